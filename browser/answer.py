"""One prompt's way through the page: asked, read piece by piece, ended or stopped."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from pageside.browser.handoff import Handoff

Figures = dict[str, Any]
Ask = Callable[[], Coroutine[Any, Any, Figures]]
Halt = Callable[[], Coroutine[Any, Any, None]]

# Of an answer that was stopped before the model began.
NEVER_BEGAN: Figures = {
    "reason": "stopped",
    "prompt_tokens": 0,
    "reused_tokens": 0,
    "tokens": 0,
    "ttft_ms": 0,
    "decode_ms": 0,
    "tokens_per_s": 0,
}


class Exchange:
    """The page's side of an answer; it lives until the model is idle again.

    `ask` runs the model and returns its figures; `halt` asks it to stop. It waits for
    the exchange `after` which it comes.
    """

    def __init__(self, ask: Ask, halt: Halt, after: "Exchange | None") -> None:
        self.handoff = Handoff()
        self.stopping = False
        self._ask = ask
        self._halt = halt
        self._loop = asyncio.get_running_loop()
        self._run = asyncio.create_task(self._run_after(after))
        self._run.add_done_callback(_retrieve)
        self._run.add_done_callback(lambda _: self.handoff.end())
        self._stop: asyncio.Task[None] | None = None
        self._asked = False

    @property
    def result(self) -> Figures | None:
        """The figures, once there are any."""
        if not self.over or self._run.cancelled() or self._run.exception():
            return None
        return self._run.result()

    @property
    def over(self) -> bool:
        return self._run.done()

    def stop(self) -> "asyncio.Task[None]":
        """Stops the model; text that is on its way can still be read."""
        if self._stop is None:
            self.stopping = True
            self.handoff.flow()
            self._stop = asyncio.create_task(self._halt_and_wait())
            self._stop.add_done_callback(_retrieve)
        return self._stop

    def stop_from_any_thread(self) -> None:
        self.stopping = True
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.stop)

    async def figures(self) -> Figures:
        """The model's figures, once it is idle; raises what went wrong."""
        return await asyncio.shield(self._run)

    async def idle(self) -> None:
        """Returns when the model is idle, however that came about."""
        await asyncio.wait((self._run,))

    async def _run_after(self, after: "Exchange | None") -> Figures:
        if after is not None:
            await after.idle()
        if self.stopping:
            return dict(NEVER_BEGAN)
        self._asked = True
        return await self._ask()

    async def _halt_and_wait(self) -> None:
        if self._asked and not self.over:
            await self._halt()
        await self.idle()


def _retrieve(task: "asyncio.Task[Any]") -> None:
    """Of an abandoned answer nobody asks how it ended; asyncio would complain."""
    if not task.cancelled():
        task.exception()


class Answer:
    """The reader's side of an answer: iterate over its pieces of text.

    Leaving the loop, by `break` or by an exception, drops the last reference to the
    iterator and so stops the model. Who keeps a reference calls `aclose`.
    """

    def __init__(self, begin: Callable[[], Exchange]) -> None:
        self._begin = begin
        self._exchange: Exchange | None = None
        self._closed = False

    def __aiter__(self) -> "Answer":
        return self

    async def __anext__(self) -> str:
        piece = await self.take()
        if piece is None:
            raise StopAsyncIteration
        return piece

    async def take(self) -> str | None:
        """The next piece; None after the last; raises what ended the answer early."""
        if self._closed:
            return None
        if self._exchange is None:
            self._exchange = self._begin()
        try:
            piece = await self._exchange.handoff.take()
        except asyncio.CancelledError:
            self.abandon()  # now: the traceback may keep this object alive for long
            raise
        if piece is None:
            self._closed = True
            await self._exchange.figures()
        return piece

    async def aclose(self) -> None:
        """Stops the model and returns when it is idle."""
        self._closed = True
        if self._exchange is not None:
            await asyncio.shield(self._exchange.stop())

    def abandon(self) -> None:
        """Stops the model, from any thread, without waiting for it."""
        self._closed = True
        if self._exchange is not None and not self._exchange.over:
            self._exchange.stop_from_any_thread()

    def __del__(self) -> None:
        self.abandon()
