"""Ctrl-C and SIGTERM for a command that runs on an event loop: an orderly end."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Turns the first signal into the cancellation of the command's task.

    A second one does not wait for the cleaning up: it raises KeyboardInterrupt.
    """

    def __init__(self, task: "asyncio.Task[int]") -> None:
        self.received: int | None = None
        self._task = task
        self._loop = task.get_loop()
        self._in_blocking_call = False

    @contextmanager
    def blocking_call(self) -> Iterator[None]:
        """Around a call that may block the loop, such as writing to a slow reader.

        No task could be cancelled then, so a signal raises KeyboardInterrupt there.
        """
        self._in_blocking_call = True
        try:
            yield
        finally:
            self._in_blocking_call = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        """The signal handler."""
        again = self.received is not None
        self.received = number
        if again or self._in_blocking_call:
            raise KeyboardInterrupt
        self._loop.call_soon_threadsafe(self._task.cancel)


def run_interruptibly(command: Callable[[Interrupts], Awaitable[int]]) -> int:
    """The command's exit status; 128 and the signal's number if a signal ended it."""

    async def run() -> int:
        task = asyncio.current_task()
        assert task is not None
        interrupts = Interrupts(task)
        with _handling(interrupts):
            try:
                return await command(interrupts)
            except (asyncio.CancelledError, KeyboardInterrupt):
                if interrupts.received is None:
                    raise
                return 128 + interrupts.received

    return asyncio.run(run())


@contextmanager
def _handling(interrupts: Interrupts) -> Iterator[None]:
    # A closed terminal is one more way to end; Windows has no such signal.
    hangup = [signal.SIGHUP] if hasattr(signal, "SIGHUP") else []
    numbers = [signal.SIGINT, signal.SIGTERM, *hangup]
    previous = {number: signal.signal(number, interrupts.handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
