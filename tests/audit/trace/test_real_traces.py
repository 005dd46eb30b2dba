"""Traces of a real Chromium: what a page does is what the trace is read to say."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError

from pageside.audit.errors import PageLost, TraceInvalid
from pageside.audit.metrics import slots, work
from pageside.audit.trace import Trace, Window, mark, record
from pageside.audit.trace import recording as recording_module

pytestmark = pytest.mark.anyio

PIECES = 24

# Rewriting and appending differ by far more than what is laid out besides.
FEW_OBJECTS = 15


def median_missed(window: Window) -> float:
    return median(update.missed_slots for update in window.updates)


@pytest.fixture
def busy_machine() -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        yield
        busy.kill()


async def test_a_page_that_appends(streaming: Any) -> None:
    before = time.monotonic()
    measured = await streaming.measure(PIECES)
    after = time.monotonic()
    window: Window = measured.stream

    assert before < window.begin_s < window.end_s < after, "the trace's clock is Python's"
    assert len(window.arrivals) >= PIECES * 0.8, "chunks may be merged on a busy machine"
    assert len(window.arrivals) * 0.7 <= len(window.updates) <= PIECES + 3
    assert list(window.arrivals_s) == sorted(window.arrivals_s)
    for update in window.updates:
        assert update.requested_ms < update.committed_ms
        assert update.presented_ms is not None
    commits = [update.committed_ms for update in window.updates]
    assert commits == sorted(commits)
    assert len(window.layouts) == len(window.updates)
    assert max(layout.dirty_objects for layout in window.layouts) <= FEW_OBJECTS
    assert window.layouts[-1].total_objects > window.layouts[0].total_objects
    assert len(window.restyles) >= len(window.updates)
    assert window.frames.presented >= len(window.updates) * 0.9
    assert window.frames.partial < window.frames.presented, "a busy machine makes some"
    assert 16 < window.slot_ms < 17.5

    assert sum(window.stages.values()) == pytest.approx(window.cpu_ms)
    for stage in ("script", "style", "layout", "prepaint", "paint", "composite"):
        assert window.stages[stage] > 0, stage
    assert sum(u.cpu_ms for u in window.updates) <= window.cpu_ms * 1.001
    assert window.counters[-1].nodes > window.counters[0].nodes
    assert window.counters[-1].heap_bytes > 0

    assert measured.idle.updates == ()
    assert measured.idle.cpu_ms < window.cpu_ms / 2
    assert 0.1 < (window.cpu_ms - measured.idle.cpu_ms) / PIECES < 15
    assert slots.missed_by_presentation_percent(window) is not None

    recorded_s = (window.duration_ms + measured.idle.duration_ms) / 1000
    assert len(measured.recording.content) < 500_000 * (recorded_s + 1), "lean"


async def test_a_page_that_blocks_is_late_with_and_without_a_spinner(
    streaming: Any, busy_machine: None
) -> None:
    # 60 ms of work on each piece, and time for a frame before the next.
    plain, spinning = [
        (await streaming.measure(12, work=60, every=100, **options)).stream
        for options in ({}, {"spinner": 1})
    ]
    for window in (plain, spinning):
        assert window.stages["script"] > 0.7 * window.cpu_ms
        assert sum(task.wall_ms > 50 for task in window.tasks) >= 10
        assert window.long_frames
        by_main = sum(update.missed_by_main for update in window.updates)
        assert by_main >= 2 * (len(window.updates) - 2)
        assert by_main > sum(update.missed_by_presentation for update in window.updates)
    # How many exactly is the machine's business; 60 ms of work is three slots and more.
    assert min(median_missed(plain), median_missed(spinning)) >= 2
    # What counting dropped frames would make of the same page:
    assert plain.frames.dropped > plain.frames.partial
    assert spinning.frames.partial > spinning.frames.dropped


async def test_a_page_that_rewrites_lays_out_more_as_the_answer_grows(streaming: Any) -> None:
    growth = {}
    for render in ("append", "rewrite"):
        short, long = [
            (await streaming.measure(10, render=render, before=before)).stream
            for before in (10, 300)
        ]
        growth[render] = work.dirty_growth(short, long)
        if render == "rewrite":
            assert long.stages["parse"] > 0
            assert long.stages["layout"] > short.stages["layout"]
            dirty = work.dirty_objects_per_update(long)
            assert dirty is not None and dirty > 300
    assert growth["append"] <= 2 < 8 < growth["rewrite"], growth


async def test_frames_in_which_nothing_changed_are_no_updates(streaming: Any) -> None:
    window = (await streaming.measure(10, render="nothing")).stream
    assert len(window.arrivals) >= 7
    assert len(window.updates) <= 3
    assert sum(update.missed_slots for update in window.updates) <= 2


@pytest.mark.parametrize("feed", ["fetch", "xhr", "events", "worker", "socket"])
async def test_arrivals_are_seen_however_the_page_reads(
    streaming: Any, socket: Callable[[int], Any], feed: str
) -> None:
    async with socket(10) as address:
        window = (await streaming.measure(10, feed=feed, socket=address)).stream
    assert 7 <= len(window.arrivals) <= 11
    assert len({arrival.request for arrival in window.arrivals}) == 1
    size = sum(arrival.size_bytes for arrival in window.arrivals)
    assert size >= sum(len(f"w{number} ") for number in range(10))


async def test_blame_names_the_function_with_detail_and_the_call_without(streaming: Any) -> None:
    detailed = await streaming.measure(8, work=30, feed="events", detail=True)
    worst = detailed.stream.blame(1)[0]
    page = (await _source(streaming)).splitlines()
    assert worst.function == "burn"
    assert page[worst.line - 1][worst.column - 1 :].startswith("(ms)")
    assert worst.cpu_ms > detailed.stream.stages["script"] / 2
    assert worst.cpu_ms <= detailed.stream.cpu_ms

    window = (await streaming.measure(8, work=30, feed="events")).stream
    called = window.blame(1)[0]
    assert called.function == "source.onmessage"
    assert page[called.line - 1][called.column - 1 :].startswith("message =>")
    assert called.cpu_ms > window.stages["script"] / 2


async def test_blame_finds_what_promises_call(streaming: Any) -> None:
    window = (await streaming.measure(8, work=70)).stream
    worst = window.blame(1)[0]
    assert worst.url.startswith(streaming.url)
    assert "ReadableStreamDefaultReader.read" in worst.function
    assert worst.cpu_ms > window.stages["script"] / 2


async def test_two_recordings_at_once_are_refused_and_the_first_goes_on(streaming: Any) -> None:
    page = await streaming.open()
    async with record(page) as first:
        await mark(page, "a")
        with pytest.raises(TraceInvalid, match="already"):
            async with record(page):
                pass
        await mark(page, "b")
    assert first.trace.window("a", "b").tasks
    await page.close()


async def test_a_failed_block_ends_its_recording(streaming: Any) -> None:
    page = await streaming.open()
    with pytest.raises(ZeroDivisionError):
        async with record(page):
            raise ZeroDivisionError
    async with record(page) as recording:
        await mark(page, "a")
    assert "a" in recording.trace.marks
    await page.close()


async def test_a_page_that_is_lost(streaming: Any) -> None:
    page = await streaming.open()
    with pytest.raises(PageLost, match="ended while it was traced"):
        async with record(page):
            await page.close()
    with pytest.raises(PageLost):
        async with record(page):
            pass
    page = await streaming.open()
    async with record(page) as recording:
        await mark(page, "a")
    assert recording.trace.marks.keys() == {"a"}, "the browser records on"
    await page.close()


async def test_a_page_that_crashes_is_lost_and_does_not_hang(streaming: Any) -> None:
    page, other = await streaming.open(), await streaming.open()
    with pytest.raises(PageLost, match="crashed"):
        async with record(page):
            with pytest.raises(PlaywrightError):
                await page.goto("chrome://crash")
    async with record(other) as recording:
        await mark(other, "a")
    assert recording.trace.marks.keys() == {"a"}
    await other.close()  # but not `page`: Playwright waits for a crashed one for ever


async def test_a_trace_that_lost_a_part_is_refused(
    streaming: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_module, "_BUFFER_KB", 64)
    with pytest.raises(TraceInvalid, match="lost a part"):
        await streaming.measure(PIECES)


async def test_shuffled_events_say_the_same(streaming: Any) -> None:
    content = (await streaming.measure(6)).recording.content
    events = json.loads(content)["traceEvents"]
    forward, backward = [
        Trace(order).window("begin", "end") for order in (events, list(reversed(events)))
    ]
    assert forward.updates == backward.updates
    assert forward.stages == pytest.approx(backward.stages)
    assert forward.arrivals_s == backward.arrivals_s


async def _source(streaming: Any) -> str:
    page = await streaming.open()
    source: str = await page.evaluate("fetch('/').then(r => r.text())")
    await page.close()
    return source
