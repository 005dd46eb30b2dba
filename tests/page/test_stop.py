"""Stop stops the model in every state, ten times in a row, and the next prompt works."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext

from harness import scripts
from harness.chatpage import ChatPage
from harness.serving import Serve

pytestmark = pytest.mark.anyio

TIMES = 10
NORMAL = scripts.tokens(["a ", "normal ", "answer"])

# Each answer would last a minute; it is stopped in the state it is named after.
LONG = {
    "prefill": [{"prefill_ms": 60_000}],
    "streaming": scripts.words(60_000, delay_ms=1),
    "stalled": [*scripts.words(3), {"stall_ms": 60_000}, *scripts.words(3)],
}


async def assert_normal(chat: ChatPage) -> None:
    answer = await chat.send("again")
    assert await chat.ended(answer) == "done"
    assert await chat.text(answer) == "a normal answer"


@pytest.mark.parametrize("state", LONG)
async def test_stop_ten_times_and_answer_after_each(
    state: str, context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await ChatPage.open(context, serve(script=scripts.write(tmp_path, LONG[state], NORMAL)))
    for _ in range(TIMES):
        answer = await chat.send("go")
        await chat.reach(answer, "prefill" if state == "prefill" else "streaming")
        await chat.stop()
        assert await chat.ended(answer) == "stopped"
        shown = await chat.text(answer)
        assert scripts.words_text(60_000).startswith(shown)
        await assert_normal(chat)
        assert await chat.text(answer) == shown, "nothing is added after the end"
    assert (await chat.probe())["workers"] == 1, "no worker had to be thrown away"


@pytest.mark.parametrize("path", ["/api/settings", "/api/script"])
async def test_stop_in_loading_and_the_next_prompt_loads_again(
    path: str, context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    app = Slow(serve.create(script=scripts.write(tmp_path, NORMAL)), path)
    chat = await ChatPage.open(context, serve.app(app))
    for _ in range(TIMES):
        answer = await chat.send("go")
        await chat.reach(answer, "loading")
        await chat.stop()
        assert await chat.ended(answer) == "stopped"
        assert await chat.text(answer) == ""
        app.is_slow = False
        await assert_normal(chat)
        app.is_slow = True
        await chat.load_anew()


class Slow:
    """An application that does not answer for `path` while `is_slow`."""

    def __init__(self, app: Callable[..., Any], path: str) -> None:
        self.app = app
        self.path = path
        self.is_slow = True

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"] == self.path and self.is_slow:
            while (await receive())["type"] != "http.disconnect":
                pass
            return
        await self.app(scope, receive, send)


async def test_stop_ends_what_waits_in_the_queue(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, LONG["streaming"], NORMAL)
    chat = await ChatPage.open(context, serve(script=script))
    for _ in range(TIMES):
        first = await chat.send("go")
        await chat.reach(first, "streaming")
        second = await chat.send("and then")
        assert await chat.state(second) == "queued"
        await chat.stop()
        assert await chat.ended(first) == "stopped"
        assert await chat.ended(second) == "stopped"
        assert await chat.text(second) == ""
        await assert_normal(chat)


async def test_stop_under_a_firehose_changes_nothing_afterwards(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.words(60_000, delay_ms=0.2), NORMAL)
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    await chat.reach(answer, "streaming")
    await chat.page.wait_for_timeout(500)
    await chat.stop()
    assert await chat.ended(answer) == "stopped"
    text, texts = await chat.text(answer), (await chat.probe())["texts"]
    await chat.page.wait_for_timeout(300)
    assert await chat.text(answer) == text
    assert (await chat.probe())["texts"] == texts, "the worker is silent after Stop"
    assert scripts.words_text(60_000).startswith(text)
    await assert_normal(chat)


async def test_escape_stops_too(context: BrowserContext, serve: Serve, tmp_path: Path) -> None:
    script = scripts.write(tmp_path, LONG["streaming"], NORMAL)
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    await chat.reach(answer, "streaming")
    await chat.page.keyboard.press("Escape")
    assert await chat.ended(answer) == "stopped"
    marks = "() => performance.getEntriesByType('mark').map((mark) => mark.name)"
    names = await chat.page.evaluate(marks)
    assert names.index("pageside:stop") < names.index("pageside:stopped")


async def test_a_worker_that_does_not_hear_stop_is_ended(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """As in one enormous prefill step: three seconds, then the worker goes."""
    script = scripts.write(tmp_path, LONG["streaming"], NORMAL)
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    await chat.reach(answer, "streaming")
    await chat.page.evaluate(
        "() => { const post = probe.last.postMessage;"
        " probe.last.postMessage = function (m) { if (m.type !== 'stop') post.call(this, m); } }"
    )
    await chat.stop()
    assert await chat.ended(answer) == "stopped"
    script.write_text(scripts.write(tmp_path, NORMAL).read_text())
    await assert_normal(chat)
    assert (await chat.probe())["workers"] == 2
