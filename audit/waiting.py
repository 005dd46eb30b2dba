"""Waiting for something that no event tells."""

import asyncio
import time
from collections.abc import Awaitable, Callable

LOOK_S = 0.05


async def until(holds: Callable[[], bool], patience_s: float, look_s: float = LOOK_S) -> bool:
    """Whether it came to hold within `patience_s`; looks every `look_s`."""

    async def ask() -> bool:
        return holds()

    return await until_asked(ask, patience_s, look_s)


async def until_asked(
    holds: Callable[[], Awaitable[bool]], patience_s: float, look_s: float = LOOK_S
) -> bool:
    """The same of what has to be awaited."""
    ends = time.monotonic() + patience_s
    while True:
        if await holds():
            return True
        if time.monotonic() >= ends:
            return False
        await asyncio.sleep(look_s)
