"""What people do with messages and conversations, and what is kept of them."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page, expect

from harness import scripts
from harness.chatpage import ChatPage, until
from harness.serving import Serve

pytestmark = pytest.mark.anyio

ONE, TWO, THREE = (scripts.tokens([f"{name} ", "answer."]) for name in ("One", "Two", "Three"))
SLOW = scripts.words(4000, delay_ms=5)


async def opened(context: BrowserContext, serve: Serve, folder: Path, *answers: Any) -> ChatPage:
    chat = await ChatPage.open(context, serve(script=scripts.write(folder, *answers)))
    await chat.page.set_viewport_size({"width": 1200, "height": 800})
    return chat


async def looking_on(context: BrowserContext, chat: ChatPage) -> ChatPage:
    """Another tab, on the same conversation of two messages."""
    other = ChatPage(await context.new_page())
    await other.page.set_viewport_size({"width": 1200, "height": 800})
    await other.page.goto(chat.page.url)
    await until(other.shown, lambda shown: len(shown) == 2)
    return other


async def answering_elsewhere(chat: ChatPage) -> None:
    """ "short" is answered and open, "long" is being answered behind it."""
    await asked(chat, "short")
    await chat.page.get_by_test_id("new-chat").click()
    await chat.reach(await chat.send("long"), "streaming")
    await chat.page.get_by_text("short", exact=True).click()
    await until(chat.shown, lambda shown: shown == ["user: short", "assistant: One answer."])


async def asked(chat: ChatPage, prompt: str = "go") -> Any:
    answer = await chat.send(prompt)
    assert await chat.ended(answer) == "done"
    return answer


async def last_ended(chat: ChatPage) -> str:
    return await chat.ended(chat.messages().last)


async def version(chat: ChatPage, text: str) -> None:
    await expect(chat.page.locator(".branches span")).to_have_text(text)


async def test_a_prompt_in_other_words_is_a_branch(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO, THREE)
    await asked(chat, "first")
    await asked(chat, "second")
    prompt = chat.messages().nth(2)
    await prompt.hover()
    await chat.act(prompt, "edit")
    field = prompt.locator("textarea")
    assert await field.input_value() == "second"
    await field.fill("another second")
    await field.press("Enter")
    await expect(chat.messages()).to_have_count(4)
    assert await last_ended(chat) == "done"
    first = ["user: first", "assistant: One answer."]
    changed = [*first, "user: another second", "assistant: Three answer."]
    assert await chat.shown() == changed
    await version(chat, "2/2")
    sent = (await chat.probe())["asked"][-1]["messages"]
    assert [message["content"] for message in sent] == ["first", "One answer.", "another second"]
    await chat.act(chat.messages().nth(2), "earlier")
    assert await chat.shown() == [*first, "user: second", "assistant: Two answer."]
    await version(chat, "1/2")
    await chat.page.keyboard.press("Enter")  # the focus went to the button that is left
    assert await chat.shown() == changed


async def test_an_edit_is_given_up_by_escape_and_stops_nothing(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, SLOW)
    answer = await chat.send("first")
    await chat.reach(answer, "streaming")
    await chat.page.get_by_test_id("prompt").press("ArrowUp")
    field = chat.messages().first.locator("textarea")
    await expect(field).to_be_focused()
    await field.press("Escape")
    await expect(chat.page.get_by_test_id("prompt")).to_be_focused()
    assert await chat.said(chat.messages().first) == "first"
    assert await chat.state(answer) == "streaming"
    button = chat.messages().first.locator("[data-act=edit]")
    await button.focus()
    await button.press("Enter")
    await field.press("Escape")
    await expect(button).to_be_focused()
    await chat.page.keyboard.press("Escape")
    assert await chat.ended(answer) == "stopped"


async def test_a_prompt_sent_again_as_it_is_gets_another_answer(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await asked(chat)
    await chat.act(chat.messages().first, "edit")
    await chat.messages().first.locator("textarea").press("Enter")
    assert await last_ended(chat) == "done"
    assert await chat.shown() == ["user: go", "assistant: Two answer."]
    await expect(chat.messages().first.locator(".branches")).to_have_count(0)
    await expect(chat.page.locator("#notice")).to_be_hidden()
    await expect(chat.page.get_by_test_id("prompt")).to_be_focused()


@pytest.mark.parametrize("act", ["again", "continue"])
async def test_what_another_version_hides_is_said_to_be_kept(
    context: BrowserContext, serve: Serve, tmp_path: Path, act: str
) -> None:
    chat = await opened(context, serve, tmp_path, scripts.words(400, delay_ms=5), ONE)
    answer = await chat.send("go")
    await chat.reach(answer, "streaming")
    await chat.stop()
    await chat.ended(answer)
    await chat.ended(await chat.send("more"))
    before = await chat.shown()
    await chat.act(chat.messages().nth(1), act)
    await expect(chat.page.locator("#notice")).to_contain_text("What followed is kept")
    await chat.ended(chat.messages().last)
    assert len(await chat.shown()) == 2
    await chat.act(chat.messages().nth(1), "earlier")
    assert await chat.shown() == before
    await expect(chat.page.locator("#notice")).to_be_hidden()


async def test_another_answer_stands_beside_the_first(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await chat.act(await asked(chat), "again")
    assert await last_ended(chat) == "done"
    assert await chat.shown() == ["user: go", "assistant: Two answer."]
    sent = (await chat.probe())["asked"][-1]
    assert [message["content"] for message in sent["messages"]] == ["go"]
    await chat.act(chat.messages().last, "earlier")
    assert await chat.shown() == ["user: go", "assistant: One answer."]
    await chat.kept()
    await chat.page.reload()
    await expect(chat.messages()).to_have_count(2)
    await until(chat.shown, lambda shown: shown == ["user: go", "assistant: One answer."])
    await version(chat, "1/2")


async def test_a_stopped_answer_goes_on_where_it_ended(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, scripts.words(400, delay_ms=5))
    answer = await chat.send("go")
    await until(lambda: chat.text(answer), lambda text: len(text) > 200)
    await chat.stop()
    assert await chat.ended(answer) == "stopped"
    await chat.act(answer, "continue")
    last = chat.messages().last
    assert await chat.ended(last) == "done"
    assert await chat.messages().count() == 2
    assert await chat.text(last) == scripts.words_shown(400)
    assert (await chat.probe())["asked"][-1]["continues"]


async def test_a_deleted_message_takes_what_follows_and_comes_back(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await asked(chat, "first")
    await asked(chat, "second")
    whole = await chat.shown()
    await chat.messages().nth(2).hover()
    await chat.act(chat.messages().nth(2), "delete")
    assert await chat.shown() == whole[:2]
    notice = chat.page.get_by_test_id("notice")
    assert "2 messages were deleted" in await notice.inner_text()
    await notice.get_by_role("button", name="Undo").click()
    await until(chat.shown, lambda shown: shown == whole)
    await chat.kept()
    await chat.page.reload()
    await until(chat.shown, lambda shown: shown == whole)


async def test_a_queued_prompt_can_be_taken_out(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, SLOW, ONE)
    current = await chat.send("first")
    await chat.reach(current, "streaming")
    second, third = await chat.send("second"), await chat.send("third")
    await chat.act(second, "cancel")
    assert await chat.ended(second) == "stopped"
    assert "Next in the queue" in await third.inner_text()
    assert await chat.state(current) == "streaming", "only the one is taken out"


async def test_a_reload_in_the_middle_keeps_what_was_painted(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, SLOW)
    answer = await chat.send("go")
    await until(lambda: chat.text(answer), lambda text: len(text) > 500)
    painted = await chat.text(answer)
    await chat.page.reload()
    again = chat.messages().nth(1)
    await until(lambda: chat.text(again), lambda text: text.startswith(painted))
    assert scripts.words_text(4000).startswith(await chat.text(again))
    assert await chat.state(again) == "stopped"
    assert "Interrupted" in await again.inner_text()
    await chat.act(again, "continue")
    await chat.reach(chat.messages().last, "streaming")


async def test_a_crash_in_the_middle_keeps_what_was_painted(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, SLOW)
    answer = await chat.send("go")
    await until(lambda: chat.text(answer), lambda text: len(text) > 500)
    address, painted = chat.page.url, await chat.text(answer)
    await crash(chat.page)
    page = await context.new_page()
    await page.goto(address)
    again = ChatPage(page)
    await expect(again.messages()).to_have_count(2)
    message = again.messages().nth(1)
    await until(lambda: again.text(message), lambda text: text.startswith(painted))
    assert await again.state(message) == "stopped"


async def crash(page: Page) -> None:
    """Ends the renderer of this page, whatever it is doing; it never answers."""
    devtools = await page.context.new_cdp_session(page)
    async with page.expect_event("crash"):
        ending = asyncio.ensure_future(devtools.send("Page.crash"))
    ending.cancel()


async def test_two_tabs_on_one_conversation_lose_nothing(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await asked(chat, "from the first tab")
    await chat.kept()
    other = await looking_on(context, chat)
    await asked(other, "from the second tab")
    await until(chat.shown, lambda shown: len(shown) == 4)
    assert (await chat.shown())[2] == "user: from the second tab"
    await until(chat.shown, lambda shown: shown[3].startswith("assistant: One"))
    await asked(chat, "and again from the first")
    await until(other.shown, lambda shown: len(shown) == 6)
    await chat.kept()
    whole = await chat.shown()
    assert await other.shown() == whole
    await other.page.reload()
    await until(other.shown, lambda shown: shown == whole)


async def test_another_tab_leaves_the_reader_where_she_is(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, scripts.words(2_000, delay_ms=0), TWO)
    await asked(chat, "long")
    await chat.kept()
    other = await looking_on(context, chat)
    await chat.page.bring_to_front()
    await chat.page.evaluate(
        """() => {
          globalThis.read = document.querySelector("#transcript article");
          document.getElementById("scroller").scrollTop = 100;
        }"""
    )
    await expect(chat.page.locator("#latest")).to_be_visible()
    await asked(other, "from the second tab")
    await until(chat.shown, lambda shown: len(shown) == 4 and shown[3].startswith("assistant: "))
    assert await chat.page.evaluate("() => document.getElementById('scroller').scrollTop") == 100
    assert await chat.page.evaluate("() => globalThis.read.isConnected"), "drawn anew"


# The most messages that have stood on the page at once.
MOST = """() => {
  const count = () => document.querySelectorAll("[data-testid=message]").length;
  globalThis.most = count();
  const observer = new MutationObserver(() => { globalThis.most = Math.max(most, count()); });
  observer.observe(document.getElementById("transcript"), { childList: true, subtree: true });
}"""


async def test_a_tab_that_looks_on_shows_no_message_twice(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, scripts.words(300, delay_ms=10), TWO)
    await asked(chat, "first")
    await chat.kept()
    other = await looking_on(context, chat)
    for tab in (chat, other):
        await tab.page.evaluate(MOST)
    await asked(chat, "long")
    await until(other.shown, lambda shown: len(shown) == 4 and "299" in shown[3])
    assert [await tab.page.evaluate("() => most") for tab in (chat, other)] == [4, 4]
    await chat.kept()
    assert await other.shown() == await chat.shown()


async def test_both_tabs_answering_at_once_lose_nothing(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """Whether the second is a branch or comes after depends on what it had heard of the first."""
    chat = await opened(context, serve, tmp_path, ONE, scripts.words(200, delay_ms=5))
    await asked(chat)
    await chat.kept()
    other = await looking_on(context, chat)
    await other.ready()
    await asyncio.gather(chat.send("here"), other.send("there"))
    for tab in (chat, other):
        # Which message is the tab's own depends on the order, too.
        await expect(tab.page.get_by_test_id("stop")).to_be_hidden(timeout=60_000)
        await tab.kept()
    async with chat.page.expect_download() as saving:
        await chat.page.get_by_test_id("export").click()
    exported = json.loads((await (await saving.value).path()).read_text(encoding="utf-8"))
    messages = exported["conversations"][0]["messages"]
    assert {m["text"] for m in messages if m["role"] == "user"} == {"go", "here", "there"}
    answers = [(m["text"], m["state"]) for m in messages if m["role"] == "assistant"]
    whole = (scripts.words_text(200), "done")
    assert sorted(answers) == sorted([("One answer.", "done"), whole, ("One answer.", "done")])


async def titles(chat: ChatPage) -> list[str]:
    return await chat.page.get_by_test_id("open-conversation").all_inner_texts()


async def test_conversations_are_listed_and_opened(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await asked(chat, "about rain")
    await chat.page.get_by_test_id("new-chat").click()
    await expect(chat.messages()).to_have_count(0)
    await asked(chat, "about snow")
    await until(lambda: titles(chat), lambda shown: shown == ["about snow", "about rain"])
    await chat.page.get_by_text("about rain", exact=True).click()
    await until(chat.shown, lambda s: s == ["user: about rain", "assistant: One answer."])
    assert await chat.page.title() == "about rain – Pageside"
    await chat.page.go_back()
    await until(chat.shown, lambda s: s == ["user: about snow", "assistant: Two answer."])
    current = chat.page.locator("#conversations [aria-current=page]")
    assert await current.inner_text() == "about snow"


async def test_a_clock_that_is_set_back_changes_no_order(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await asked(chat, "about rain")
    await chat.page.evaluate("() => { const now = Date.now; Date.now = () => now() - 3_600_000; }")
    await chat.page.get_by_test_id("new-chat").click()
    await asked(chat, "about snow")
    await until(lambda: titles(chat), lambda shown: shown == ["about snow", "about rain"])
    await menu(chat, 0, "Rename")
    await chat.page.get_by_label("Rename the conversation").get_by_role("textbox").fill("Snow")
    await chat.page.keyboard.press("Enter")
    await until(lambda: titles(chat), lambda shown: shown == ["Snow", "about rain"])
    await chat.kept()
    await chat.page.reload()
    listed = await until(lambda: titles(chat), lambda shown: len(shown) == 2)
    assert listed == ["Snow", "about rain"], "the rename was not taken for older than the title"


async def test_an_answer_goes_on_while_another_conversation_is_open(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, scripts.words(300, delay_ms=5))
    await answering_elsewhere(chat)
    assert await chat.page.locator("li.busy").inner_text() == "long\n⋯"
    await chat.page.get_by_text("long", exact=True).click()
    await expect(chat.messages()).to_have_count(2)
    answer = chat.messages().last
    assert await chat.ended(answer) == "done"
    assert await chat.text(answer) == scripts.words_shown(300)
    await chat.kept()
    await chat.page.reload()
    await until(lambda: chat.text(answer), lambda text: text == scripts.words_shown(300))


async def test_an_answer_that_waits_in_another_conversation_is_whole_in_the_end(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, scripts.words(300, delay_ms=5), TWO)
    await asked(chat, "first")
    await chat.page.get_by_test_id("new-chat").click()
    await chat.reach(await chat.send("second"), "streaming")
    await chat.page.get_by_text("first", exact=True).click()
    await until(chat.shown, lambda shown: shown == ["user: first", "assistant: One answer."])
    await chat.page.get_by_test_id("prompt").fill("and on")
    await chat.page.keyboard.press("Enter")
    await expect(chat.messages()).to_have_count(4)
    assert await chat.state(chat.messages().last) == "queued"
    await chat.page.get_by_text("second", exact=True).click()
    await until(chat.shown, lambda shown: shown[0] == "user: second")
    await chat.page.get_by_text("first", exact=True).click()
    await expect(chat.messages()).to_have_count(4)
    assert await chat.ended(chat.messages().last) == "done"
    assert (await chat.shown())[-1] == "assistant: Two answer."
    await chat.act(chat.messages().last, "again")
    assert await last_ended(chat) == "done"
    await version(chat, "2/2")
    await chat.act(chat.messages().last, "earlier")
    assert (await chat.shown())[-1] == "assistant: Two answer.", (
        "the first one was known to be whole"
    )


async def test_a_deleted_conversation_is_not_answered(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, SLOW)
    await asked(chat, "kept")
    await chat.page.get_by_test_id("new-chat").click()
    await chat.reach(await chat.send("gone"), "streaming")
    await menu(chat, 0, "Delete")
    await expect(chat.page.get_by_test_id("stop")).to_be_hidden()
    await until(lambda: titles(chat), lambda shown: shown == ["kept"])
    await chat.kept()
    await chat.page.reload()
    await until(lambda: titles(chat), lambda shown: shown == ["kept"])


async def menu(chat: ChatPage, entry: int, act: str) -> None:
    await chat.page.get_by_test_id("menu-conversation").nth(entry).click()
    await chat.page.get_by_role("menuitem", name=act, exact=True).click()


async def test_a_conversation_is_renamed_and_deleted(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE)
    await asked(chat, "a title")
    await menu(chat, 0, "Rename")
    await (
        chat.page.get_by_label("Rename the conversation").get_by_role("textbox").fill("<b>Mine</b>")
    )
    await chat.page.keyboard.press("Enter")
    await until(lambda: titles(chat), lambda shown: shown == ["<b>Mine</b>"])
    await chat.kept()
    await chat.page.reload()
    await until(lambda: titles(chat), lambda shown: shown == ["<b>Mine</b>"])
    await expect(chat.messages()).to_have_count(2)
    await menu(chat, 0, "Delete")
    await expect(chat.messages()).to_have_count(0)
    await until(lambda: titles(chat), lambda shown: shown == [])
    await chat.page.get_by_role("button", name="Undo").click()
    await expect(chat.messages()).to_have_count(2)
    await until(lambda: titles(chat), lambda shown: shown == ["<b>Mine</b>"])


async def test_one_that_is_being_answered_is_renamed_from_another(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, scripts.words(300, delay_ms=10), TWO)
    await answering_elsewhere(chat)
    await menu(chat, 0, "Rename")
    await chat.page.get_by_label("Rename the conversation").get_by_role("textbox").fill("Mine")
    await chat.page.keyboard.press("Enter")
    await chat.page.get_by_test_id("open-conversation").filter(has_text="Mine").click()
    assert await last_ended(chat) == "done"
    await asked(chat, "and on")
    await chat.kept()
    await chat.page.reload()
    await until(lambda: titles(chat), lambda shown: shown == ["Mine", "short"])


async def test_an_empty_answer_that_was_gone_on_from_takes_nothing_with_it(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, [{"error": "no"}], TWO, THREE)
    failed = await chat.send("first")
    assert await chat.ended(failed) == "failed"
    await asked(chat, "second")
    await chat.act(chat.messages().nth(1), "retry")
    assert await last_ended(chat) == "done"
    assert (await chat.shown())[-1] == "assistant: Three answer."
    await chat.act(chat.messages().last, "earlier")
    shown = await chat.shown()
    assert [shown[2], shown[3]] == ["user: second", "assistant: Two answer."]


async def test_a_first_message_that_comes_back_is_found_again(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE)
    await asked(chat, "first")
    await chat.messages().first.hover()
    await chat.act(chat.messages().first, "delete")
    await expect(chat.messages()).to_have_count(0)
    await chat.page.get_by_role("button", name="Undo").click()
    await expect(chat.messages()).to_have_count(2)
    await expect(chat.page.locator("#welcome")).to_be_hidden()
    await chat.kept()
    await chat.page.reload()
    await until(chat.shown, lambda shown: shown == ["user: first", "assistant: One answer."])


async def test_a_long_answer_that_goes_on_is_left_and_come_back_to(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """Its text is put on the page again first, which takes longer than a click."""
    stalling: list[scripts.Event] = [{"stall_ms": 600_000}]
    long = [*scripts.words(100_000), *stalling, *scripts.tokens(["and ", "on."])]
    chat = await opened(context, serve, tmp_path, ONE, long)
    await asked(chat, "short")
    await chat.page.get_by_test_id("new-chat").click()
    answer = await chat.send("long")
    await answer.get_by_text("99999").wait_for()
    await chat.page.get_by_test_id("stop").click()
    assert await chat.ended(answer) == "stopped"
    await until(lambda: titles(chat), lambda shown: shown == ["long", "short"])
    await chat.page.evaluate(
        """() => {
          const [long, short] = document.querySelectorAll("[data-testid=open-conversation]");
          document.querySelector("[data-act=continue]").click();
          short.click();
          setTimeout(() => long.click());
        }"""
    )
    # Meanwhile "short" may be what is shown, whose answer has long ended.
    await until(
        chat.shown, lambda shown: shown[:1] == ["user: long"] and shown[-1].endswith("and on.")
    )
    assert await last_ended(chat) == "done"
    assert len(await chat.shown()) == 2


async def test_an_answer_that_ends_while_its_conversation_is_opened_is_shown_whole(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """What the store says of it is then older than what the page knows."""
    slow = scripts.tokens(["It ", "goes ", "on."], delay_ms=700)
    chat = await opened(context, serve, tmp_path, ONE, slow)
    await answering_elsewhere(chat)
    await chat.page.evaluate(
        """async () => {
          const { Keeper } = await import("/web/keeping/keeper.js");
          const { messages } = Keeper.prototype;
          const [long] = document.querySelectorAll("[data-testid=open-conversation]");
          const ended = new Promise((resolve) => (globalThis.answerEnded = resolve));
          Keeper.prototype.messages = async function (id) {
            const read = await messages.call(this, id);
            await ended;
            return read;
          };
          long.click();
        }"""
    )
    await expect(chat.page.get_by_test_id("stop")).to_be_hidden()
    await chat.page.evaluate("() => answerEnded()")
    await until(chat.shown, lambda shown: shown == ["user: long", "assistant: It goes on."])
    assert await last_ended(chat) == "done"


async def test_the_open_one_is_read_again_when_it_is_chosen(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """No tab tells the others that it has crashed."""
    chat = await opened(context, serve, tmp_path, SLOW)
    await chat.reach(await chat.send("long"), "streaming")
    await chat.kept()
    other = await looking_on(context, chat)
    await expect(other.page.get_by_text("Being written in another tab")).to_be_visible()
    await chat.page.close()
    await other.page.get_by_test_id("open-conversation").click()
    await expect(other.page.get_by_text("Interrupted")).to_be_visible()
    assert await last_ended(other) == "stopped"


async def test_one_that_another_tab_deleted_is_left(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await asked(chat, "gone")
    await chat.kept()
    other = await looking_on(context, chat)
    await other.ready()
    await other.page.get_by_test_id("prompt").fill("and then?")
    await menu(chat, 0, "Delete")
    await expect(other.page.get_by_text("was deleted in another tab")).to_be_visible()
    await expect(other.messages()).to_have_count(0)
    await other.page.get_by_test_id("prompt").press("Enter")
    assert await last_ended(other) == "done"
    whole = await other.shown()
    assert whole[0] == "user: and then?"
    await other.kept()
    await other.page.reload()
    await until(other.shown, lambda shown: shown == whole)
    await until(lambda: titles(chat), lambda shown: shown == ["and then?"])


async def test_a_deleted_one_takes_no_prompt_of_others_with_it(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, SLOW, TWO)
    await answering_elsewhere(chat)
    await chat.reach(await chat.send("waits"), "queued")
    await until(lambda: titles(chat), lambda shown: shown == ["short", "long"])
    await menu(chat, 1, "Delete")
    assert await last_ended(chat) == "done"
    assert await chat.shown() == [
        "user: short",
        "assistant: One answer.",
        "user: waits",
        "assistant: Two answer.",
    ]


async def test_those_beyond_the_list_are_found_and_opened(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE)
    await imported(chat, tmp_path, [made(f"nr {i}", at=1_000 + i) for i in range(520)])
    await until(lambda: titles(chat), lambda shown: len(shown) > 10)
    await chat.page.get_by_test_id("search").fill("nr 7")
    await chat.page.get_by_text("nr 7", exact=True).first.click()
    await until(chat.shown, lambda shown: shown == ["user: nr 7"])
    await menu(chat, 0, "Delete")
    await expect(chat.page.get_by_test_id("notice")).to_contain_text("was deleted")


async def test_what_comes_from_the_end_of_time_can_be_kept_and_moved(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE)
    await imported(chat, tmp_path, [made("last", at=8_640_000_000_000_000)])
    await chat.page.get_by_text("last", exact=True).click()
    await until(chat.shown, lambda shown: shown == ["user: last"])
    await asked(chat, "later")
    await chat.page.get_by_test_id("new-chat").click()
    await asked(chat, "new")
    await chat.kept()
    async with chat.page.expect_download() as saving:
        await chat.page.get_by_test_id("export").click()
    path = await (await saving.value).path()
    await chat.page.get_by_test_id("import-file").set_input_files(path)
    await expect(chat.page.get_by_text("conversations were imported")).to_be_visible()


def made(title: str, at: int) -> dict[str, Any]:
    message = {"id": f"m {title}", "parent": None, "role": "user", "text": title, "state": "done"}
    about = {"id": title, "title": title, "createdAt": at, "changedAt": at, "leaf": None}
    return {**about, "messages": [{**message, "at": at}]}


async def imported(chat: ChatPage, folder: Path, conversations: list[dict[str, Any]]) -> None:
    file = folder / "import.json"
    file.write_text(
        json.dumps(
            {"format": "pageside-conversations", "version": 1, "conversations": conversations}
        )
    )
    await chat.page.get_by_test_id("import-file").set_input_files(file)


async def test_back_leads_past_one_that_was_deleted(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO, THREE)
    for prompt in ("alpha", "beta", "gamma"):
        await chat.page.get_by_test_id("new-chat").click()
        await asked(chat, prompt)
    await menu(chat, 1, "Delete")
    await until(lambda: titles(chat), lambda shown: shown == ["gamma", "alpha"])
    for _ in range(6):
        await chat.page.go_back()
        await chat.page.wait_for_timeout(100)
        if await chat.shown() == ["user: alpha", "assistant: One answer."]:
            break
    assert await chat.shown() == ["user: alpha", "assistant: One answer."]


async def test_search_finds_words_of_any_message(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    answers = [scripts.tokens(["All about ", "Zebras", "."]), scripts.tokens(["你好，", "世界。"])]
    chat = await opened(context, serve, tmp_path, *answers)
    await asked(chat, "animals")
    await chat.page.get_by_test_id("new-chat").click()
    await asked(chat, "greeting")
    await chat.kept()
    await chat.page.keyboard.press("Control+k")
    await chat.page.keyboard.type("zebra")
    await until(lambda: titles(chat), lambda shown: len(shown) == 1 and "Zebras" in shown[0])
    await chat.page.get_by_test_id("search").fill("世界")
    await until(lambda: titles(chat), lambda shown: len(shown) == 1 and "greeting" in shown[0])
    await chat.page.get_by_test_id("search").fill("nowhere")
    await expect(chat.page.get_by_text("Nothing found")).to_be_visible()
    await chat.page.get_by_test_id("search").fill("")
    await until(lambda: titles(chat), lambda shown: len(shown) == 2)


async def test_conversations_leave_as_files_and_come_back(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await asked(chat, "first/..\\name")
    await chat.act(chat.messages().last, "again")
    assert await last_ended(chat) == "done"
    await chat.kept()
    async with chat.page.expect_download() as saving:
        await menu(chat, 0, "Save as Markdown")
    saved = await saving.value
    assert "/" not in saved.suggested_filename
    assert saved.suggested_filename.endswith(".md")
    text = (await saved.path()).read_text(encoding="utf-8")
    assert "Two answer." in text
    assert "One answer." not in text, "what is shown is saved"
    async with chat.page.expect_download() as saving:
        await chat.page.get_by_test_id("export").click()
    path = await (await saving.value).path()
    (exported,) = json.loads(path.read_text(encoding="utf-8"))["conversations"]
    assert [m["text"] for m in exported["messages"] if m["role"] == "assistant"] == [
        "One answer.",
        "Two answer.",
    ]
    await menu(chat, 0, "Delete")
    await chat.page.get_by_test_id("import-file").set_input_files(path)
    await until(lambda: titles(chat), lambda shown: len(shown) == 1)
    await chat.page.get_by_test_id("open-conversation").click()
    await until(chat.shown, lambda shown: shown[-1:] == ["assistant: Two answer."])
    await version(chat, "2/2")


async def test_a_bad_file_is_named_and_changes_nothing(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE)
    await asked(chat, "mine")
    bad = tmp_path / "cut.json"
    bad.write_text('{"format":"pageside-conversations","version":1,"conversations":[{"id":"x"')
    await chat.page.get_by_test_id("import-file").set_input_files(bad)
    await expect(chat.page.get_by_test_id("notice")).to_be_visible()
    assert await titles(chat) == ["mine"]
    assert await chat.shown() == ["user: mine", "assistant: One answer."]


async def test_settings_reach_the_model_and_are_kept(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE)
    await chat.page.keyboard.press("Control+,")
    form = chat.page.get_by_test_id("settings")
    await form.get_by_label("System prompt").fill("Be brief.")
    await form.get_by_label("Temperature").fill("0.7")
    await form.get_by_label("Top-k").fill("40")
    await form.get_by_label("Seed").fill("7")
    await form.get_by_label("Stop strings").fill("END\n\\n\\n")
    await form.get_by_test_id("save-settings").click()
    await chat.page.reload()
    await asked(chat)
    sent = (await chat.probe())["asked"][-1]
    assert sent["messages"][0] == {"role": "system", "content": "Be brief."}
    expected = {
        "temperature": 0.7,
        "topP": 1,
        "topK": 40,
        "repetitionPenalty": 1,
        "maxTokens": None,
        "seed": 7,
        "stop": ["END", "\n\n"],
    }
    assert sent["sampling"] == expected
    await chat.page.keyboard.press("Control+,")
    assert await form.get_by_label("Stop strings").input_value() == "END\n\\n\\n"
    await form.get_by_label("Temperature").fill("9")
    await form.get_by_test_id("save-settings").click()
    await expect(form).to_be_visible()  # the browser says what is wrong with it
    await form.get_by_role("button", name="Reset").click()
    await form.get_by_test_id("save-settings").click()
    await expect(form).to_be_hidden()
    assert await last_ended(chat) == "done"
    await asked(chat)
    assert (await chat.probe())["asked"][-1]["sampling"]["temperature"] == 0


async def test_settings_that_were_kept_by_whomever_do_no_harm(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, ONE, ONE, ONE)
    for kept in ('{"sampling":{"temperature":"hot","topK":-3}}', "[]", "null", "{not json"):
        await chat.page.evaluate("kept => localStorage['pageside-preferences'] = kept", kept)
        await chat.load_anew()
        await asked(chat)
        sampling = (await chat.probe())["asked"][-1]["sampling"]
        assert (sampling["temperature"], sampling["topK"], sampling["stop"]) == (0, 0, [])


async def test_a_draft_belongs_to_its_conversation(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE)
    await asked(chat, "kept")
    prompt = chat.page.get_by_test_id("prompt")
    await prompt.fill("half a thought")
    await chat.page.get_by_test_id("new-chat").click()
    await expect(prompt).to_have_value("")
    await chat.page.get_by_text("kept", exact=True).click()
    await expect(prompt).to_have_value("half a thought")
    await chat.page.reload()
    await expect(prompt).to_have_value("half a thought")
    await chat.page.get_by_test_id("new-chat").click()
    await prompt.fill("of a new chat")
    await chat.page.reload()
    await expect(prompt).to_have_value("of a new chat")
    await chat.page.get_by_text("kept", exact=True).click()
    await expect(prompt).to_have_value("half a thought")
    await chat.page.get_by_test_id("new-chat").click()
    await expect(prompt).to_have_value("of a new chat")
    await prompt.press("Enter")
    await expect(prompt).to_have_value("")
    assert await last_ended(chat) == "done"
    await chat.page.reload()
    await expect(prompt).to_have_value("")


async def test_escape_stops_only_where_it_means_nothing_else(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, SLOW)
    answer = await chat.send("go")
    await chat.reach(answer, "streaming")
    await chat.page.get_by_test_id("menu-conversation").click()
    await expect(chat.page.get_by_role("menu")).to_be_visible()
    await chat.page.keyboard.press("Escape")
    await expect(chat.page.get_by_role("menu")).to_be_hidden()
    search = chat.page.get_by_test_id("search")
    await search.fill("go")
    await search.press("Escape")
    await expect(search).to_have_value("")
    assert await chat.state(answer) == "streaming"
    await search.press("Escape")
    assert await chat.ended(answer) == "stopped"


async def test_the_prompt_has_the_focus_after_a_button_that_goes(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await asked(chat)
    await chat.act(chat.messages().last, "again")
    await expect(chat.page.get_by_test_id("prompt")).to_be_focused()
    assert await last_ended(chat) == "done"


async def test_the_focus_stays_in_the_list_when_an_entry_goes(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await asked(chat, "first")
    await chat.page.get_by_test_id("new-chat").click()
    await asked(chat, "second")
    await menu(chat, 0, "Delete")
    await until(lambda: titles(chat), lambda shown: shown == ["first"])
    await expect(chat.page.get_by_test_id("open-conversation")).to_be_focused()
    await chat.page.get_by_role("button", name="Undo").click()
    await until(lambda: titles(chat), lambda shown: shown == ["second", "first"])
    await expect(chat.page.get_by_test_id("prompt")).to_be_focused()


async def test_jump_to_latest_leaves_the_focus_in_the_prompt(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, scripts.words(2000))
    await asked(chat)
    await chat.page.evaluate("() => (document.querySelector('#scroller').scrollTop = 0)")
    latest = chat.page.get_by_test_id("latest")
    await expect(latest).to_be_visible()
    await latest.focus()
    await latest.press("Enter")
    await expect(latest).to_be_hidden()
    await expect(chat.page.get_by_test_id("prompt")).to_be_focused()


async def test_what_was_deleted_comes_back_by_key_after_other_news(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """A file that was refused takes the place of no Undo, and goes with the next message."""
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    await asked(chat)
    await chat.act(chat.messages().first, "delete")
    await expect(chat.messages()).to_have_count(0)
    page = chat.page
    for name in ("a.bin", "b.bin"):
        (tmp_path / name).write_bytes(b"\0")
    async with page.expect_file_chooser() as chooser:
        await page.get_by_test_id("attach").click()
    await (await chooser.value).set_files([tmp_path / "a.bin", tmp_path / "b.bin"])
    notice = page.get_by_test_id("notice")
    await expect(notice).to_contain_text("“b.bin” was left out")
    assert "“a.bin” was left out" in await notice.inner_text()
    await page.get_by_test_id("prompt").press("Control+z")  # a field's own
    await expect(chat.messages()).to_have_count(0)
    await page.get_by_test_id("attach").focus()
    await page.keyboard.press("Control+z")
    await expect(chat.messages()).to_have_count(2)
    await asked(chat, "more")
    await expect(notice).to_be_hidden()


async def test_a_conversation_deleted_on_a_phone_can_be_brought_back(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE)
    await asked(chat, "go")
    await chat.page.set_viewport_size({"width": 360, "height": 740})
    await chat.page.locator("#toggle-sidebar").click()
    await menu(chat, 0, "Delete")
    await expect(chat.messages()).to_have_count(0)
    await chat.page.get_by_role("button", name="Undo").click()  # nothing lies over it
    await expect(chat.messages()).to_have_count(2)


async def test_the_list_is_used_by_keys(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE, TWO)
    for prompt in ("first", "second"):
        await chat.page.get_by_test_id("new-chat").click()
        await asked(chat, prompt)
    page, entries = chat.page, chat.page.get_by_test_id("open-conversation")
    await page.keyboard.press("Control+k")
    await page.keyboard.press("ArrowDown")
    await expect(entries.nth(0)).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await expect(entries.nth(1)).to_be_focused()
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowUp")
    await expect(page.get_by_test_id("search")).to_be_focused()
    await page.keyboard.type("first")
    await until(lambda: titles(chat), lambda shown: shown == ["first"])
    await page.keyboard.press("Enter")
    await until(chat.shown, lambda shown: shown[:1] == ["user: first"])
    await expect(page.get_by_test_id("prompt")).to_be_focused()


AT_END = """() => {
  const { scrollTop, scrollHeight, clientHeight } = document.querySelector("#scroller");
  return scrollTop > 0 && scrollHeight - clientHeight - scrollTop < 2;
}"""


async def test_a_thousand_messages_open_newest_first(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve, tmp_path, ONE)
    turns = [
        {"role": role, "content": f"{role} {turn} **says** so.\n\n- a\n- b"}
        for turn in range(500)
        for role in ("user", "assistant")
    ]
    file = tmp_path / "long.json"
    file.write_text(json.dumps(turns))
    await chat.page.get_by_test_id("import-file").set_input_files(file)
    await until(lambda: titles(chat), lambda shown: len(shown) == 1)
    counts = await chat.page.evaluate(
        """() => new Promise((resolve) => {
          const counts = [];
          const shown = () => document.querySelectorAll("[data-testid=message]").length;
          const observer = new MutationObserver(() => {
            counts.push(shown());
            if (shown() === 1000) resolve(counts);
          });
          const options = { childList: true, subtree: true };
          observer.observe(document.querySelector("#transcript"), options);
          document.querySelector("[data-testid=open-conversation]").click();
        })"""
    )
    assert counts[0] < 20, "the newest are there at once"
    assert counts == sorted(counts)
    assert len(set(counts)) > 20, "the others come a group at a time"
    shown = await chat.messages().evaluate_all(
        "all => all.map(({ textContent }) => textContent.match(/(?:user|assistant) \\d+/)[0])"
    )
    assert shown == [f"{role} {turn}" for turn in range(500) for role in ("user", "assistant")]
    await chat.page.wait_for_function(AT_END)
    await asked(chat, "and on")
    await chat.page.wait_for_function(AT_END)
    assert await chat.page.evaluate(CHECKED) <= 24, "each of them costs at every frame"
    middle = chat.messages().nth(500)
    await middle.scroll_into_view_if_needed()
    await middle.hover()
    await chat.act(middle, "delete")
    await expect(chat.messages()).to_have_count(500)
    assert await chat.page.evaluate(CHECKED) <= 24
    await asked(chat, "and on from there")
    assert (await chat.shown())[500] == "user: and on from there"


# Parts of the transcript that the browser looks at in every frame: whether they are in sight.
CHECKED = """() => {
  const chapters = [...document.querySelectorAll("#transcript > .chapter")];
  const open = chapters.filter((chapter) => !chapter.classList.contains("finished"));
  return chapters.length + open.flatMap((chapter) => [...chapter.children]).length;
}"""
