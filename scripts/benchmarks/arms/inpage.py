"""Engines in a tab: Pageside, and its peers on pages that offer the same two functions.

`bench.load(options)` loads; `bench.answer(question)` gives {startedAt, arrivals, text or ids}.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import BrowserContext, Page
from tokenizers import Tokenizer

from arms.timing import Arrival, Timing
from origin import PAGES
from question import Question
from renderers import renderers

SETTLE_S = 0.3

_LOAD = "options => globalThis.bench.load(options)"
_ANSWER = "question => globalThis.bench.answer(question)"


class InPage:
    """One tab with one engine; `ready` is what loading told."""

    def __init__(self, page: Page, question: Question, tokenizer: Tokenizer, ready: Any) -> None:
        self.ready = ready
        self._page = page
        self._question = question
        self._tokenizer = tokenizer

    async def answer(self) -> Timing:
        # Chromium lowers the priority of the processes of tabs that are not in front.
        await self._page.bring_to_front()
        await asyncio.sleep(SETTLE_S)
        before = await self._cpu_ms()
        got = await self._page.evaluate(_ANSWER, self._question.to_page())
        after = await self._cpu_ms()
        text = got["text"] if "text" in got else self._tokenizer.decode(got["ids"])
        arrivals = [Arrival(at_ms, tokens) for at_ms, tokens in got["arrivals"]]
        # The other tabs are idle meanwhile.
        cpu_ms = max(after[pid] - before[pid] for pid in before.keys() & after.keys())
        return Timing(got["startedAt"], arrivals, cpu_ms, text)

    async def _cpu_ms(self) -> dict[int, float]:
        browser = self._page.context.browser
        assert browser is not None
        return {process["id"]: process["cpuTime"] * 1000 for process in await renderers(browser)}


@asynccontextmanager
async def opened(
    context: BrowserContext, address: str, recorder: str | None = None
) -> AsyncIterator[Page]:
    """A new tab; `recorder` names a script of pages/ that runs before the page's own."""
    page = await context.new_page()
    try:
        if recorder is not None:
            await page.add_init_script(path=PAGES / recorder)
        await page.goto(address)
        yield page
    finally:
        await page.close()


@asynccontextmanager
async def pageside(
    context: BrowserContext, url: str, threads: int, question: Question, tokenizer: Tokenizer
) -> AsyncIterator[InPage]:
    """Pageside's own page for Python, its events taken in the page instead."""
    async with opened(context, f"{url}/web/headless.html", "recorder.js") as page:
        ready = await page.evaluate(_LOAD, {"device": "wasm", "threads": threads})
        yield InPage(page, question, tokenizer, ready)


@asynccontextmanager
async def peer(
    context: BrowserContext,
    address: str,
    options: dict[str, object],
    question: Question,
    tokenizer: Tokenizer,
) -> AsyncIterator[InPage]:
    """A page of pages/ with a peer's engine."""
    async with opened(context, address) as page:
        yield InPage(page, question, tokenizer, await page.evaluate(_LOAD, options))
