"""One clock for the page and for us, and the page's counters: what is read is what was done."""

import time

import pytest
from playwright.async_api import Page

from pageside.audit.clock import PageClock, page_clock
from pageside.audit.counters import Counters, Reading, between

pytestmark = pytest.mark.anyio

# A fixed amount of work: some hundred milliseconds of CPU.
WORK = "() => { let sum = 0; for (let i = 0; i < 3e8; i++) sum += i & 3; return sum; }"
LAYOUTS = """count => {
    for (let i = 0; i < count; i++) {
        document.body.style.width = `${100 + i}px`;
        document.body.offsetWidth;
    }
}"""


@pytest.fixture
async def page(tab: Page) -> Page:
    await tab.goto("data:text/html,<body>text</body>")
    return tab


def test_a_page_clock_counts_on_from_its_origin() -> None:
    assert PageClock(1000.0, 0.001).monotonic_s(2500) == 1002.5


async def test_the_pages_moments_are_placed_between_ours(page: Page) -> None:
    clock = await page_clock(page)
    assert 0 < clock.uncertainty_s < 1
    for _ in range(5):
        before = time.monotonic()
        now_ms = await page.evaluate("performance.now()")
        after = time.monotonic()
        placed = clock.monotonic_s(now_ms)
        assert before - clock.uncertainty_s <= placed <= after + clock.uncertainty_s


async def test_the_soonest_answer_of_several_counts(page: Page) -> None:
    """A page that is busy for the first question makes that answer worthless."""
    await page.evaluate(
        "void setTimeout(() => { const t = Date.now(); while (Date.now() < t + 300); })"
    )
    clock = await page_clock(page)
    assert clock.uncertainty_s < 0.15


async def test_another_page_has_another_origin(page: Page) -> None:
    first = await page_clock(page)
    began = time.monotonic()
    await page.goto("data:text/html,another")
    second = await page_clock(page)
    assert first.origin_s < began - first.uncertainty_s
    assert second.origin_s > began - second.uncertainty_s


def test_a_span_is_what_lies_between_two_readings() -> None:
    first = Reading(at_s=10, cpu_ms=100, layouts=5, restyles=7, nodes=50, heap_bytes=1000)
    last = Reading(at_s=12, cpu_ms=600, layouts=45, restyles=107, nodes=60, heap_bytes=500)
    span = between(first, last)
    assert (span.duration_ms, span.cpu_ms, span.layouts, span.restyles) == (2000, 500, 40, 100)
    assert span.cpu_share == 0.25


async def test_the_pages_cpu_time_is_in_the_span_and_our_waiting_is_not(page: Page) -> None:
    counters = await Counters.of(page)
    first = await counters.read()
    await page.wait_for_timeout(300)
    idle = between(first, await counters.read())
    first = await counters.read()
    await page.evaluate(WORK)
    busy = between(first, await counters.read())
    assert busy.cpu_ms > idle.cpu_ms + 50
    assert busy.cpu_ms <= busy.duration_ms + 1
    assert idle.cpu_share < busy.cpu_share


async def test_layouts_and_restyles_are_counted(page: Page) -> None:
    counters = await Counters.of(page)
    counted = []
    for count in (0, 40):
        first = await counters.read()
        await page.evaluate(LAYOUTS, count)
        counted.append(between(first, await counters.read()))
    none, forty = counted
    assert none.layouts <= 2
    assert none.restyles <= 2
    assert 40 <= forty.layouts <= 42
    assert 40 <= forty.restyles <= 42


async def test_a_reading_itself_costs_little_and_not_nothing(page: Page) -> None:
    counters = await Counters.of(page)
    assert 0 < await counters.own_ms() < 20
    first = await counters.read()
    for _ in range(20):
        await counters.read()
    span = between(first, await counters.read())
    assert span.layouts == span.restyles == 0


async def test_garbage_is_collected_and_what_is_kept_stays(page: Page) -> None:
    counters = await Counters.of(page)
    before = await counters.collected()
    await page.evaluate(
        """() => {
            const make = () => Array.from({ length: 2000 }, () => document.createElement('p'));
            document.body.append(...make());
            globalThis.thrownAway = make().length;
            globalThis.kept = new Array(200_000).fill(0).map((_, i) => ({ i }));
        }"""
    )
    after = await counters.collected()
    assert 2000 <= after.nodes - before.nodes < 2400
    assert after.heap_bytes - before.heap_bytes > 1_000_000
    await page.evaluate("document.body.replaceChildren(), kept = null")
    assert (await counters.collected()).nodes - before.nodes < 400
