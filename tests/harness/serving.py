"""Servers for tests of the page."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pageside.models.store import ModelStore
from pageside.server.app import create_app
from pageside.server.live import LiveServer
from pageside.server.settings import Settings


class Serve:
    """Starts servers on free ports; all end with `running`."""

    def __init__(self, running: ExitStack, folder: Path) -> None:
        self.running = running
        self.folder = folder

    def __call__(
        self, *, script: Path | None = None, store: ModelStore | None = None, **settings: Any
    ) -> str:
        """The address of a new server: with a store it runs the real engine, else a script."""
        return self.app(self.create(script=script, store=store, **settings))

    def create(
        self, *, script: Path | None = None, store: ModelStore | None = None, **settings: Any
    ) -> Any:
        engine = "transformers" if store else "scripted"
        return create_app(
            store or ModelStore(self.folder / "models"),
            Settings(engine=engine, script=script, **settings),
        )

    def app(self, app: Any) -> str:
        """The address of a new server of any application."""
        return self.running.enter_context(LiveServer(app)).url
