"""Open WebUI as it is; its settings are environment variables."""

import os

from open_webui import app

app(["serve", "--host", os.environ["HOST"], "--port", os.environ["PORT"]])
