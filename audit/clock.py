"""One clock for Python, the trace and the page: seconds of this machine's monotonic clock.

Chromium stamps its trace with the same clock as `time.monotonic` (seen on Linux). A page's
`performance.now()` starts elsewhere and is placed by asking for it.
"""

import time
from dataclasses import dataclass

from playwright.async_api import Page

_NOW = "() => performance.now()"
_ASKS = 9


@dataclass(frozen=True)
class PageClock:
    """Places a page's `performance.now()`; off by at most `uncertainty_s` either way."""

    origin_s: float
    uncertainty_s: float

    def monotonic_s(self, now_ms: float) -> float:
        return self.origin_s + now_ms / 1000


async def page_clock(page: Page) -> PageClock:
    """The best of several questions: the one whose answer came back soonest."""
    best = PageClock(0, float("inf"))
    for _ in range(_ASKS):
        before = time.monotonic()
        now_ms: float = await page.evaluate(_NOW)
        after = time.monotonic()
        uncertainty_s = (after - before) / 2
        if uncertainty_s < best.uncertainty_s:
            best = PageClock((before + after) / 2 - now_ms / 1000, uncertainty_s)
    return best
