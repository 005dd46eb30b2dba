"""How late this machine wakes a process that asks to be woken: the control for wall-clock figures.

A page cannot paint sooner than its process runs. Where even a sleeping timer is late, a late
paint says nothing about the page.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_SLEEP_S = 0.01


class Lateness:
    """Milliseconds beyond the time asked for, one value a wake-up."""

    def __init__(self) -> None:
        self.values_ms: list[float] = []

    @property
    def p95_ms(self) -> float:
        ordered = sorted(self.values_ms)
        return ordered[int(0.95 * (len(ordered) - 1))] if ordered else 0.0


def load_average() -> float | None:
    """Of the last minute, this audit included; None where the system has none."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


@asynccontextmanager
async def watching() -> AsyncIterator[Lateness]:
    """Takes a sample every few milliseconds while the block runs."""
    lateness = Lateness()
    sampling = asyncio.create_task(_sample(lateness))
    try:
        yield lateness
    finally:
        sampling.cancel()


async def _sample(lateness: Lateness) -> None:
    while True:
        asked = time.monotonic() + _SLEEP_S
        await asyncio.sleep(_SLEEP_S)
        lateness.values_ms.append((time.monotonic() - asked) * 1000)
