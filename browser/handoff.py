"""Text on its way from the page to its one reader: in order, acknowledged when taken."""

import asyncio
from collections import deque


class Handoff:
    """The bound between page and reader.

    `offer` returns when its text was taken, which is what the page calls painted: it
    keeps at most two texts unacknowledged, and merges what the model adds meanwhile.
    So no more than two lie here however long the reader takes.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, asyncio.Event]] = deque()
        self._news = asyncio.Event()
        self._flowing = False
        self._ended = False

    def __len__(self) -> int:
        return len(self._waiting)

    async def offer(self, text: str) -> None:
        """Queues `text`; returns once it was taken, or once nothing has to wait."""
        taken = asyncio.Event()
        self._waiting.append((text, taken))
        self._news.set()
        if not self._flowing:
            await taken.wait()

    async def take(self) -> str | None:
        """The next text, waiting for it if need be; None after the last."""
        while not self._waiting:
            if self._ended:
                return None
            self._news.clear()
            await self._news.wait()
        text, taken = self._waiting.popleft()
        taken.set()
        return text

    def flow(self) -> None:
        """Acknowledges everything from now on: a model that is to stop must not wait."""
        self._flowing = True
        for _, taken in self._waiting:
            taken.set()

    def end(self) -> None:
        """Nothing more will be offered."""
        self._ended = True
        self._news.set()
