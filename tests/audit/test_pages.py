"""The pages the audit is tried on show every word in order, however their stream is cut."""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from harness import auditpages
from harness.auditpages import B_KINDS, EXPECTED, AuditPages
from pageside.audit.text import tokens, words_in
from pageside.browser.launch import launch
from pageside.server.live import LiveServer

WORDS = 90
PAGES = [(page, {}) for page in EXPECTED] + [("fault-b", {"kind": kind}) for kind in B_KINDS[1:]]


@pytest.fixture(scope="module")
async def browser(anyio_backend: str) -> AsyncIterator[BrowserContext]:
    async with launch() as browser:
        yield browser.context


@pytest.fixture
def pages() -> Iterator[AuditPages]:
    with AuditPages() as pages:
        yield pages


def events(cut: random.Random) -> bytes:
    """An answer as an upstream writes it; pieces of 1–40 characters, three bytes at each word."""
    text = re.sub(r"(w\d+)", r"\1€", "".join(tokens(WORDS))) + "END"
    written = ": a comment\n\n"
    while text:
        length = cut.randint(1, 40)
        delta = {"choices": [{"index": 0, "delta": {"content": text[:length]}}]}
        end = cut.choice(["\n\n", "\r\n\r\n"])
        written += f"data:{json.dumps(delta, ensure_ascii=False)}{end}"
        text = text[length:]
    return (written + "data: [DONE]\n\n").encode()


def upstream(seed: int) -> Starlette:
    """Cuts its bytes anywhere; keeps the conversations it got in `state.asked`."""
    cut = random.Random(seed)
    asked: list[list[dict[str, str]]] = []

    async def answer(request: Request) -> StreamingResponse:
        asked.append((await request.json())["messages"])
        return StreamingResponse(pieces(events(cut)), media_type="text/event-stream")

    async def pieces(content: bytes) -> AsyncIterator[bytes]:
        while content:
            length = cut.randint(1, 90)
            yield content[:length]
            content = content[length:]
            await asyncio.sleep(0.002)  # else the browser reads all of it at once

    anyone = Middleware(
        CORSMiddleware, allow_origins=["*"], allow_methods=["POST"], allow_headers=["*"]
    )
    route = Route("/v1/chat/completions", answer, methods=["POST"])
    app = Starlette(routes=[route], middleware=[anyone])
    app.state.asked = asked
    return app


@pytest.mark.parametrize(("page", "query"), PAGES, ids=lambda value: str(value))
async def test_streams_every_word_in_order(
    browser: BrowserContext,
    pages: AuditPages,
    monkeypatch: pytest.MonkeyPatch,
    page: str,
    query: dict[str, str],
) -> None:
    monkeypatch.setattr(auditpages, "HOLD_S", 0.2)
    app = upstream(seed=len(page))
    with LiveServer(app) as server:
        tab = await browser.new_page()
        await tab.goto(pages.address(page, server.url, history=3, **query))
        await tab.get_by_role("textbox").fill("Hello")
        await tab.keyboard.press("Enter")
        await tab.wait_for_function("() => document.body.textContent.includes('END')")
        text = await tab.locator(".assistant .content").last.text_content() or ""
        await tab.close()
    assert words_in(text) == list(range(WORDS))
    assert text.count("€") == WORDS
    (messages,) = app.state.asked
    assert [m["role"] for m in messages] == ["user", "assistant", "user", "user"]
    assert messages[-1]["content"] == "Hello"


def test_every_page_is_there_and_no_other() -> None:
    folder = Path(__file__).parent / "pages"
    # odd.html is the page of test_odd_pages.py.
    assert {path.stem for path in folder.glob("*.html")} == {*EXPECTED, "odd"}
