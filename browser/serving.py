"""The server behind a page: a running one, or one of our own for as long as it is needed."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from pageside.browser.errors import RequestInvalid
from pageside.models.pull import pull
from pageside.models.store import ModelStore, default_root
from pageside.server.app import create_app
from pageside.server.live import LiveServer
from pageside.server.script import read_script
from pageside.server.settings import Settings

# Stage, done, total: bytes, except in "prefill", which counts tokens. Total 0: unknown.
OnProgress = Callable[[str, int, int], None]


@asynccontextmanager
async def served(
    settings: Settings,
    url: str | None = None,
    store: ModelStore | None = None,
    on_progress: OnProgress | None = None,
) -> AsyncIterator[str]:
    """The URL of a server with `settings`, its model pulled first if it is not there.

    With `url` that is the one: a server that runs already, under its own settings.
    """
    if url is not None:
        _check_unset(settings)
        yield url
        return
    store = store or ModelStore(default_root())
    if settings.script is not None:
        read_script(settings.script, name=str(settings.script))
    if settings.engine != "scripted":
        await _pull(store, settings.model, on_progress)
    server = LiveServer(create_app(store, settings))
    await asyncio.to_thread(server.__enter__)
    try:
        yield server.url
    finally:
        await asyncio.to_thread(server.stop)


def host_of(url: str) -> str:
    """The host of a URL, with brackets if it is an IPv6 address."""
    host = urlsplit(url).hostname or ""
    return f"[{host}]" if ":" in host else host


def _check_unset(settings: Settings) -> None:
    """What only a server's own settings can say must not be asked of a running one."""
    fields = ("model", "engine", "script")
    told = [name for name in fields if getattr(settings, name) != getattr(Settings(), name)]
    if told:
        raise RequestInvalid(
            f"the server at the URL decides the {' and '.join(told)}",
            hint="leave out either the URL or the rest",
        )


async def _pull(store: ModelStore, model: str, on_progress: OnProgress | None) -> None:
    """Pulls in a thread; a cancelled task ends the pull at its next progress report."""
    loop = asyncio.get_running_loop()
    cancelled = threading.Event()

    def report(stage: str, done_bytes: int, total_bytes: int) -> None:
        if cancelled.is_set():
            raise asyncio.CancelledError
        if on_progress is not None:
            loop.call_soon_threadsafe(on_progress, stage, done_bytes, total_bytes)

    try:
        await asyncio.to_thread(pull, store, model, report)
    finally:
        cancelled.set()
