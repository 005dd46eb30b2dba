"""What goes wrong is said in one line, keeps the text, and leaves a way on."""

from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Route

from harness import scripts
from harness.chatpage import ChatPage, until
from harness.serving import Serve
from pageside.server.live import LiveServer

pytestmark = pytest.mark.anyio

BEGINNING = scripts.words(40, delay_ms=2)
WHOLE = scripts.words(60)


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        ({"crash": True}, "The engine's worker ended unexpectedly. Retry starts a new one."),
        ({"error": "the tensor is on fire"}, "The tensor is on fire. Retry plays on."),
    ],
)
async def test_a_fault_in_an_answer_keeps_the_text_and_retry_works(
    fault: dict[str, object], line: str, context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, [*BEGINNING, {"stall_ms": 50}, fault], WHOLE)
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    assert await chat.ended(answer) == "failed"
    assert await chat.text(answer) == scripts.words_shown(40)
    assert line in await answer.inner_text()
    if "crash" in fault:
        # A new worker plays the script from its beginning.
        scripts.write(tmp_path, WHOLE)
    await answer.get_by_role("button", name="Retry").click()
    again = chat.messages().last
    assert await chat.ended(again) == "done"
    assert await chat.text(again) == scripts.words_shown(60)
    await chat.act(again, "earlier")
    assert await chat.text(again) == scripts.words_shown(40), "the first attempt is still there"


async def test_the_queue_is_bounded_and_says_where_one_stands(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.words(4000, delay_ms=1), WHOLE)
    chat = await ChatPage.open(context, serve(script=script))
    current = await chat.send("first")
    await chat.reach(current, "streaming")
    waiting = [await chat.send(f"prompt {i}") for i in range(4)]
    assert [await chat.state(answer) for answer in waiting] == ["queued"] * 4
    assert "Next in the queue" in await waiting[0].inner_text()
    assert "3 before it in the queue" in await waiting[3].inner_text()
    await chat.page.get_by_test_id("prompt").fill("one too many")
    assert await chat.page.get_by_test_id("send").is_disabled()
    await chat.page.keyboard.press("Enter")
    assert await chat.messages().count() == 10, "nothing was sent"
    assert "The queue is full" in await chat.page.get_by_test_id("notice").inner_text()
    assert await chat.page.get_by_test_id("prompt").input_value() == "one too many"
    for answer in (current, *waiting):
        assert await chat.ended(answer) == "done"
    # Now the page knows how long an answer takes.
    await chat.page.keyboard.press("Enter")
    assert await chat.ended(chat.messages().last) == "done"
    await chat.reach(await chat.send("and again"), "streaming")
    last = await chat.send("again")
    assert "about" in await last.inner_text()


async def test_an_empty_prompt_is_not_sent(context: BrowserContext, serve: Serve) -> None:
    chat = await ChatPage.open(context, serve())
    await chat.ready()
    for prompt in ("", "   \n\n  "):
        await chat.page.get_by_test_id("prompt").fill(prompt)
        assert await chat.page.get_by_test_id("send").is_disabled()
        await chat.page.keyboard.press("Enter")
    assert await chat.messages().count() == 0


async def test_a_composing_enter_does_not_send(context: BrowserContext, serve: Serve) -> None:
    chat = await ChatPage.open(context, serve())
    await chat.ready()
    await chat.page.get_by_test_id("prompt").fill("ni")
    for init in ({"isComposing": True}, {"keyCode": 229}):
        await chat.page.get_by_test_id("prompt").evaluate(
            "(box, init) => box.dispatchEvent(new KeyboardEvent('keydown',"
            " { key: 'Enter', bubbles: true, cancelable: true, ...init }))",
            init,
        )
    assert await chat.messages().count() == 0
    await chat.page.keyboard.press("Shift+Enter")
    assert await chat.messages().count() == 0
    await chat.page.keyboard.press("Enter")
    assert await chat.messages().count() == 2


async def test_the_server_goes_while_the_page_is_open(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """What is loaded goes on; what needs the server says so, and works once it is back."""
    app = serve.create(
        script=scripts.write(tmp_path, [*BEGINNING, {"stall_ms": 50}, {"crash": True}])
    )
    with LiveServer(app) as server:
        port = server.port
        chat = await ChatPage.open(context, server.url)
        await chat.ready()
    answer = await chat.send("no server needed for this one")
    assert await chat.ended(answer) == "failed"
    assert await chat.text(answer) == scripts.words_shown(40)
    await answer.get_by_role("button", name="Retry").click()
    second = chat.messages().last
    assert await chat.ended(second) == "failed"
    assert "Start it again with pageside serve" in await second.inner_text()
    scripts.write(tmp_path, WHOLE)
    with LiveServer(app, port=port):
        await second.get_by_role("button", name="Retry").click()
        third = chat.messages().last
        assert await chat.ended(third) == "done"
        assert await chat.text(third) == scripts.words_shown(60)


async def test_new_chat_forgets(context: BrowserContext, serve: Serve, tmp_path: Path) -> None:
    script = scripts.write(tmp_path, scripts.words(60_000, delay_ms=1), WHOLE)
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    await chat.reach(answer, "streaming")
    await chat.page.get_by_role("button", name="New chat").click()
    assert await chat.messages().count() == 0
    await until(lambda: chat.page.get_by_test_id("stop").is_hidden(), bool)
    again = await chat.send("go")
    assert await chat.ended(again) == "done"
    assert await chat.text(again) == scripts.words_shown(60)


async def test_without_a_secure_context_the_page_says_so(
    context: BrowserContext, serve: Serve
) -> None:
    url = serve(allowed_hosts=("kiosk.example",))
    page = await context.new_page()
    await page.add_init_script(
        "Object.defineProperty(globalThis, 'isSecureContext', { get: () => false })"
    )
    await page.goto(f"{url}/")
    chat = ChatPage(page)
    status = await until(chat.status, lambda status: status != "Starting…")
    assert "http://localhost or https" in status


async def test_a_suggestion_is_sent_by_mouse_and_by_keyboard(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await ChatPage.open(context, serve(script=scripts.write(tmp_path, WHOLE)))
    await chat.ready()
    suggestion = chat.page.get_by_role("button", name="What is the capital of France?")
    for use in (suggestion.click, lambda: suggestion.press("Enter")):
        await use()
        answer = chat.messages().last
        assert await chat.ended(answer) == "done"
        assert await chat.text(answer) == scripts.words_shown(60)
        assert "capital of France" in await chat.messages().first.inner_text()
        await chat.page.get_by_role("button", name="New chat").click()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/api/settings", "The server does not answer"),
        ("/api/script", "This line is no event of a script: <!doctype html>"),
    ],
)
async def test_what_is_no_json_is_named(
    path: str, said: str, context: BrowserContext, serve: Serve
) -> None:
    """A proxy, or another server on the port, that answers 200 with a page of its own."""
    page = await context.new_page()

    async def answer_html(route: Route) -> None:
        await route.fulfill(content_type="text/html", body="<!doctype html><p>Hello")

    await page.route(f"**{path}", answer_html)
    await page.goto(serve())
    chat = ChatPage(page)
    assert await chat.ended(await chat.send("go")) == "failed"
    assert said in await chat.messages().last.inner_text()


async def test_retry_keeps_to_the_queue_bound(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    failing = [*scripts.words(2), {"error": "no"}]
    stalled = [*scripts.words(2), {"stall_ms": 60_000}]
    chat = await ChatPage.open(context, serve(script=scripts.write(tmp_path, failing, stalled)))
    failed = await chat.send("first")
    assert await chat.ended(failed) == "failed"
    await chat.reach(await chat.send("second"), "streaming")
    for i in range(4):
        assert await chat.state(await chat.send(f"waits {i}")) == "queued"
    await failed.get_by_role("button", name="Retry").click()
    assert "The queue is full" in await chat.page.get_by_test_id("notice").inner_text()
    states = [await chat.state(message) for message in await chat.messages().all()]
    assert states[:2] == ["done", "failed"], "nothing was taken away"
    assert states.count("queued") == 4


async def test_focus_is_in_the_prompt_at_the_start_and_after_stop(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.words(60_000, delay_ms=1), WHOLE)
    chat = await ChatPage.open(context, serve(script=script))
    await chat.ready()
    await chat.page.keyboard.type("go")
    await chat.page.keyboard.press("Enter")
    await chat.reach(chat.messages().last, "streaming")
    await chat.stop()
    assert await chat.ended(chat.messages().last) == "stopped"
    await chat.page.keyboard.type("again")
    assert await chat.page.get_by_test_id("prompt").input_value() == "again"
