"""What the probe in the page noted, on Python's clock."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Page

from pageside.audit.clock import PageClock
from pageside.audit.errors import PageLost

SCRIPT = (Path(__file__).resolve().parent / "probe.js").read_text(encoding="utf-8")

_BEGIN = "() => globalThis.__pagesideProbe.begin()"
_END = "() => globalThis.__pagesideProbe?.end() ?? null"


@dataclass(frozen=True)
class Evidence:
    """Times in monotonic seconds.

    `paints` are (when the document changed, the highest word in it); `last_change_s` is the last
    change that brought or rewrote words; `inputs` are (name, start, duration in ms) of Event
    Timing; `long_frames` are Long Animation Frames as the browser attributes them.
    """

    paints: tuple[tuple[float, int], ...]
    last_change_s: float
    mutations: int
    inputs: tuple[tuple[str, float, float], ...]
    long_tasks: tuple[tuple[float, float], ...]
    long_frames: tuple[Mapping[str, Any], ...]


async def begin(page: Page) -> None:
    await page.evaluate(_BEGIN)


async def end(page: Page, clock: PageClock) -> Evidence:
    record: dict[str, Any] | None = await page.evaluate(_END)
    if record is None:
        raise PageLost(
            "the page went to another address, or was loaded again, while it was measured",
            hint="audit the address at which it stays",
        )
    at = clock.monotonic_s
    return Evidence(
        paints=tuple((at(ms), word) for ms, word in record["paints"]),
        last_change_s=at(record["lastAt"]) if record["lastAt"] else 0.0,
        mutations=record["mutations"],
        inputs=tuple((name, at(ms), duration) for name, ms, duration in record["inputs"]),
        long_tasks=tuple((at(ms), duration) for ms, duration in record["longTasks"]),
        long_frames=tuple(record["longFrames"]),
    )
