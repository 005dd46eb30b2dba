"""CPU time of a page's main thread, from Chromium's own trace."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Browser, Page

Event = dict[str, Any]

# No more: wide sets cost 10-25 % of the time that is measured.
_CATEGORIES = [
    "-*",
    "toplevel",
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "blink.user_timing",
    "__metadata",
]

_MARK = "name => void performance.mark(name)"


@dataclass(frozen=True)
class Window:
    """Between two marks of a page; `cpu_ms` is the sum of RunTask.tdur of its main thread."""

    seconds: float
    cpu_ms: float
    layouts: int


class Trace:
    """Filled when the block of `traced` ends."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def window(self, begin: str, end: str) -> Window:
        first, last = self._mark(begin), self._mark(end)
        thread = (first["pid"], first["tid"])
        inside = [
            event
            for event in self.events
            if event["ph"] == "X"
            and (event["pid"], event["tid"]) == thread
            and first["ts"] <= event["ts"] < last["ts"]
        ]
        cpu_us = sum(_cpu_us(event) for event in inside if event["name"] == "RunTask")
        layouts = len([event for event in inside if event["name"] == "Layout"])
        return Window((last["ts"] - first["ts"]) / 1e6, cpu_us / 1e3, layouts)

    def _mark(self, name: str) -> Event:
        return next(
            event
            for event in self.events
            if event["name"] == name and "blink.user_timing" in event["cat"]
        )


def _cpu_us(task: Event) -> int:
    """What another process does meanwhile is not in it; of the rare task that the trace gives
    no CPU time, the wall time, which is never less."""
    spent: int = task["tdur"] if "tdur" in task else task["dur"]
    return spent


@asynccontextmanager
async def traced(page: Page) -> AsyncIterator[Trace]:
    """Traces the browser that `page` is in while the block runs."""
    browser = page.context.browser
    assert isinstance(browser, Browser)
    trace = Trace()
    await browser.start_tracing(page=page, categories=_CATEGORIES)
    try:
        yield trace
    finally:
        trace.events = json.loads(await browser.stop_tracing())["traceEvents"]


async def mark(page: Page, name: str) -> None:
    await page.evaluate(_MARK, name)
