"""Servers for tests of the page."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pageside.models.store import ModelStore
from pageside.server.app import create_app
from pageside.server.live import LiveServer
from pageside.server.settings import Settings

# A browser keeps what a page has stored for as long as it runs: on a port that comes again, a test
# would find the conversations of another.
_seen: set[str] = set()


class Serve:
    """Starts servers on free ports that none had before; all end with `running`."""

    def __init__(self, running: ExitStack, folder: Path) -> None:
        self.running = running
        self.folder = folder

    def __call__(
        self, *, script: Path | None = None, store: ModelStore | None = None, **settings: Any
    ) -> str:
        """The address of a new server: with a store it runs a real engine, else a script."""
        return self.app(self.create(script=script, store=store, **settings))

    def create(
        self, *, script: Path | None = None, store: ModelStore | None = None, **settings: Any
    ) -> Any:
        settings.setdefault("engine", "transformers" if store else "scripted")
        return create_app(
            store or ModelStore(self.folder / "models"), Settings(script=script, **settings)
        )

    def app(self, app: Any) -> str:
        """The address of a new server of any application."""
        while (url := self.running.enter_context(LiveServer(app)).url) in _seen:
            pass  # it keeps its port until the test ends, so the next has another
        _seen.add(url)
        return url
