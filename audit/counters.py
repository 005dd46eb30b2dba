"""The main thread's own counters, read before and after a stretch of time: no trace, no probe.

A trace costs a tenth of the CPU that it measures here; two readings cost about a millisecond, so
CPU per token is taken from these, and the trace tells the shape of it (metrics/).
Source: Chromium's `Performance.getMetrics`; ThreadTime is the CPU time of the renderer's main
thread, so what other processes do is not in it.
"""

import time
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from playwright.async_api import CDPSession, Page

_LOOKS = 8


@dataclass(frozen=True)
class Reading:
    """`at_s` is monotonic; `cpu_ms` and the counts are since the page's process began."""

    at_s: float
    cpu_ms: float
    layouts: int
    restyles: int
    nodes: int
    heap_bytes: int


@dataclass(frozen=True)
class Span:
    """Between two readings."""

    duration_ms: float
    cpu_ms: float
    layouts: int
    restyles: int

    @property
    def cpu_share(self) -> float:
        """Of one core, 0 to 1."""
        return self.cpu_ms / self.duration_ms


def between(first: Reading, last: Reading) -> Span:
    return Span(
        duration_ms=(last.at_s - first.at_s) * 1000,
        cpu_ms=last.cpu_ms - first.cpu_ms,
        layouts=last.layouts - first.layouts,
        restyles=last.restyles - first.restyles,
    )


class Counters:
    """Reads one page's counters."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session

    @classmethod
    async def of(cls, page: Page) -> "Counters":
        session = await page.context.new_cdp_session(page)
        await session.send("Performance.enable")
        return cls(session)

    async def read(self) -> Reading:
        answer = await self._session.send("Performance.getMetrics")
        at_s = time.monotonic()
        values = {metric["name"]: float(metric["value"]) for metric in answer["metrics"]}
        return Reading(
            at_s=at_s,
            cpu_ms=values["ThreadTime"] * 1000,
            layouts=int(values["LayoutCount"]),
            restyles=int(values["RecalcStyleCount"]),
            nodes=int(values["Nodes"]),
            heap_bytes=int(values["JSHeapUsedSize"]),
        )

    async def own_ms(self) -> float:
        """What one reading costs the main thread, and so what a span holds of ours: the end of
        its first reading and the beginning of its last. The median of several in a row."""
        readings = [await self.read() for _ in range(_LOOKS)]
        return median(b.cpu_ms - a.cpu_ms for a, b in pairwise(readings))

    async def collected(self) -> Reading:
        """After the garbage has been collected, so that nodes and heap are live ones."""
        await self._session.send("HeapProfiler.collectGarbage")
        return await self.read()
