"""Where text comes from: our upstream and the scripted engine play the same answers."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.async_api import BrowserContext

from pageside.audit.feed import PaceFeed, ScriptFeed, _lines, scheduled_s
from pageside.audit.pace import Pace, steady
from pageside.audit.subject import own_page
from pageside.audit.target import Target, load_recipe
from pageside.audit.text import tokens, words_in
from pageside.audit.waiting import until
from pageside.server.script import Event, parse_script

pytestmark = pytest.mark.anyio

MARKER = "qzmarkerqz"
PATIENCE_S = 20


def texts(*pieces: str) -> list[Event]:
    return [Event("text", text=piece) for piece in pieces]


@pytest.fixture
def pace() -> Iterator[Pace]:
    with Pace() as pace:
        yield pace


@pytest.fixture
async def client(pace: Pace) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=pace.url, trust_env=False, timeout=PATIENCE_S) as client:
        yield client


async def ask(client: httpx.AsyncClient, prompt: str) -> str:
    """The whole stream, as sent."""
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": prompt}]}
    return (await client.post("/v1/chat/completions", json=body)).text


class TestPaceFeed:
    async def test_prompts_get_the_earlier_answers_in_turn(
        self, pace: Pace, client: httpx.AsyncClient
    ) -> None:
        feed = PaceFeed(pace, MARKER)
        await feed.play(texts("w9 "), [texts("first "), texts("second ")])
        for expected in ("first ", "second ", "w9 "):
            assert expected in await ask(client, f"Audit {MARKER}.")
            delivery = feed.delivery()
            assert delivery is not None
            assert delivery.text == expected

    async def test_only_marked_prompts_are_the_audits(
        self, pace: Pace, client: httpx.AsyncClient
    ) -> None:
        feed = PaceFeed(pace, MARKER)
        await feed.play(texts("w0 "), [])
        assert "w0" not in await ask(client, "Give this chat a title")
        assert (feed.delivery(), feed.emitted_s(1)) == (None, None)
        assert "w0" in await ask(client, f"Audit {MARKER}.")
        assert feed.delivery() is not None

    async def test_what_was_delivered_before_is_not_this_answer(
        self, pace: Pace, client: httpx.AsyncClient
    ) -> None:
        feed = PaceFeed(pace, MARKER)
        await feed.play(texts("w0 "), [])
        await ask(client, MARKER)
        await feed.play(texts("w1 "), [])
        assert feed.delivery() is None
        feed.proceed()  # nothing is there to open
        await ask(client, MARKER)
        delivery = feed.delivery()
        assert delivery is not None
        assert delivery.text == "w1 "

    async def test_each_part_waits_at_its_gate(self, pace: Pace, client: httpx.AsyncClient) -> None:
        feed = PaceFeed(pace, MARKER)
        gate = feed.gate(1000)
        parts = [texts("a ", "b "), texts("c ", "d "), texts("e ")]
        await feed.play([*parts[0], gate, *parts[1], gate, *parts[2]], [])
        answer = asyncio.create_task(ask(client, MARKER))
        for so_far in ("a b ", "a b c d "):
            assert await until(lambda so_far=so_far: _text(feed) == so_far, PATIENCE_S)
            await asyncio.sleep(0.1)
            assert _text(feed) == so_far
            opened = time.monotonic()
            feed.proceed()
        await answer
        assert _text(feed) == "a b c d e "
        emitted = feed.emitted_s(4)
        assert emitted is not None
        assert len(emitted) == 1
        assert opened <= emitted[0] <= time.monotonic()

    @pytest.mark.parametrize("rate", [100, 5_000, float("inf")])
    async def test_every_token_has_its_time_also_those_written_together(
        self, pace: Pace, client: httpx.AsyncClient, rate: float
    ) -> None:
        feed = PaceFeed(pace, MARKER)
        await feed.play([*texts("before "), *steady(tokens(60), rate)], [])
        asked = time.monotonic()
        await ask(client, MARKER)
        emitted = feed.emitted_s(1)
        assert emitted is not None
        assert len(emitted) == 60
        assert emitted == sorted(emitted)
        assert asked < emitted[0] <= emitted[-1] < time.monotonic()


def _text(feed: PaceFeed) -> str:
    delivery = feed.delivery()
    return delivery.text if delivery else ""


@pytest.fixture(scope="module")
def page_url() -> Iterator[str]:
    with own_page() as url:
        yield url


class TestScriptFeed:
    async def answer(
        self, chromium: BrowserContext, url: str, last: int, prompts: int = 1
    ) -> list[int]:
        """The words that a fresh tab with Pageside's page answers to the last of the prompts."""
        target = await Target.open(chromium, url, load_recipe("pageside"))
        try:
            for _ in range(prompts):
                await target.send("Audit: go on.")
                await target.locate_answer("start")
            await target.wait_for_word(last, 5)
            return words_in(await target.answer_text())
        finally:
            await target.close()

    async def test_the_page_plays_the_newest_script_it_was_given(
        self, chromium: BrowserContext, page_url: str
    ) -> None:
        feed = ScriptFeed(chromium)
        await feed.play([*texts("start "), *steady(tokens(40), 500)], [])
        assert await self.answer(chromium, page_url, 39) == list(range(40))
        last = [*texts("start "), feed.gate(50), *texts(*tokens(25))]
        await feed.play(last, [texts("start ", "earlier ")])
        assert await self.answer(chromium, page_url, 24, prompts=2) == list(range(25))
        await chromium.unroute("**/api/script")

    async def test_two_feeds_in_one_browser_each_give_their_own(
        self, chromium: BrowserContext, page_url: str
    ) -> None:
        """As when two pages are compared."""
        a, b = ScriptFeed(chromium), ScriptFeed(chromium)
        for feed, count in ((a, 10), (b, 20), (a, 30)):
            await feed.play(texts("start ", *tokens(count)), [])
            assert await self.answer(chromium, page_url, count - 1) == list(range(count))
        await chromium.unroute("**/api/script")

    def test_nobody_knows_when_its_tokens_were_emitted(self, chromium: BrowserContext) -> None:
        feed = ScriptFeed(chromium)
        assert (feed.emitted_s(3), feed.delivery()) == (None, None)
        feed.proceed()
        assert feed.gate(1500) == Event("stall", ms=1500)


def test_scripts_are_written_as_they_are_read() -> None:
    answers = [
        [Event("prefill", ms=40), Event("text", text='é\n\u2028"{', ms=3.5), Event("stall", ms=9)],
        [Event("text", text="w0 "), Event("error", text="out of ideas")],
        [Event("crash")],
    ]
    ends = [[*answer, Event("end")] for answer in answers]
    assert parse_script(_lines(answers), name="it") == [event for end in ends for event in end]


class TestScheduled:
    """Three tokens, 1 s apart, the first at once, from a start that nobody knows."""

    TOKENS = steady(["w0 ", "w1 ", "w2 "], 1)

    def test_the_quickest_paint_tells_the_start(self) -> None:
        paints = [(10.4, 1), (11.1, 2), (12.9, 3)]
        assert scheduled_s(self.TOKENS, paints) == pytest.approx([10.1, 11.1, 12.1])

    def test_no_token_was_painted_before_it_was_emitted(self) -> None:
        paints = [(10.0, 3)]  # all at once
        assert scheduled_s(self.TOKENS, paints) == pytest.approx([8.0, 9.0, 10.0])

    def test_stalls_and_bursts_are_in_the_schedule(self) -> None:
        events = steady(["a", "b", "c", "d"], 2, burst=2, stall_every=2, stall_ms=5000)
        assert scheduled_s(events, [(100.0, 1)]) == pytest.approx([100, 100, 106, 106])

    def test_paints_of_nothing_and_of_more_than_there_is_do_not_count(self) -> None:
        paints = [(1.0, 0), (2.0, 9), (10.5, 1)]
        assert scheduled_s(self.TOKENS, paints) == pytest.approx([10.5, 11.5, 12.5])
        assert scheduled_s(self.TOKENS, [(1.0, 0)]) == []
        assert scheduled_s(self.TOKENS, []) == []
        assert scheduled_s([], [(1.0, 1)]) == []

    @given(
        lags=st.lists(st.floats(0, 5), min_size=1, max_size=40),
        start=st.floats(0, 1e6),
        rate=st.floats(1, 1000),
    )
    def test_the_quickest_lag_is_nothing_and_the_others_what_they_are_above_it(
        self, lags: list[float], start: float, rate: float
    ) -> None:
        paints = [(start + i / rate + lag, i + 1) for i, lag in enumerate(lags)]
        emitted = scheduled_s(steady(tokens(len(lags)), rate), paints)
        found = [at - sent for (at, _), sent in zip(paints, emitted, strict=True)]
        assert found == pytest.approx([lag - min(lags) for lag in lags], abs=1e-6)
