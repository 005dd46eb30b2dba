"""A pause in an answer that lasts until somebody else ends it."""

import asyncio
import math

from pageside.server.script import Event

# As a stall without an end; script files cannot hold it.
GATE = Event("stall", ms=math.inf)


class Gate:
    """Awaited in the server's loop, opened from any thread; also before it is awaited.

    Opened twice before it is passed, it is open once.
    """

    def __init__(self) -> None:
        self._open = False
        self._news = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def wait(self) -> None:
        # `open` writes what this reads before it reads what this writes: one of them sees it.
        self._loop = asyncio.get_running_loop()
        while not self._open:
            await self._news.wait()
            self._news.clear()
        self._open = False

    def open(self) -> None:
        self._open = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._news.set)
