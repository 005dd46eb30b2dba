"""What a person sees of an answer: its thinking folded, and the newest text in view."""

from pathlib import Path

import pytest
from playwright.async_api import BrowserContext

from harness import scripts
from harness.chatpage import ChatPage, until
from harness.serving import Serve

pytestmark = pytest.mark.anyio

THINKING = "<think>\nLet me *see*: `</think>` is a tag.\n</think>\n\nThe **answer**."


async def test_thinking_is_folded_and_streams_by_itself(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    slow = [*scripts.tokens(["<think>", "Hm", "m"]), {"stall_ms": 600}]
    rest = scripts.tokens([" so.</think>", "\n\n", "Yes", "."])
    script = scripts.write(tmp_path, [*slow, *rest], scripts.tokens(list(THINKING)))
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    thinking = answer.locator("details.thinking")
    await until(thinking.locator("summary").inner_text, lambda said: said == "Thinking…")
    assert await thinking.get_attribute("open") is None
    assert await chat.ended(answer) == "done"
    assert await thinking.locator("summary").inner_text() == "Thought"
    assert await thinking.locator(".markdown").text_content() == "Hmm so."
    assert await answer.locator(".body > .markdown").text_content() == "Yes."
    second = await chat.send("go")
    assert await chat.ended(second) == "done"
    assert await second.locator("details code").text_content() == "</think>"
    assert await second.locator(".body > .markdown strong").text_content() == "answer"


async def test_thinking_that_never_ends_is_there_to_read(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.tokens(["<think>", "\n", "on and", " on"]))
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    assert await chat.ended(answer) == "done"
    assert await answer.locator("details.thinking").get_attribute("open") == ""
    assert await answer.get_by_text("on and on").is_visible()


async def test_an_answer_without_thought_has_no_fold(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.tokens(["<think>\n\n</think>\n\n", "Yes."]))
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    assert await chat.ended(answer) == "done"
    assert await answer.locator("details").count() == 0
    assert await chat.text(answer) == "Yes."


AT_END = """() => {
  const { scrollTop, scrollHeight, clientHeight } = document.getElementById("scroller");
  return scrollHeight - clientHeight - scrollTop < 5;
}"""


# A key and a wheel scroll smoothly, over some frames.
RESTING = """(scroller) => new Promise((resolve) => {
  let [top, frames] = [-1, 0];
  const look = () => {
    frames = scroller.scrollTop === top ? frames + 1 : 0;
    top = scroller.scrollTop;
    if (frames === 20) resolve(top);
    else requestAnimationFrame(look);
  };
  look();
})"""


@pytest.mark.parametrize("way", ["wheel", "key"])
async def test_the_newest_text_is_in_view_until_the_user_moves_up(
    context: BrowserContext, serve: Serve, tmp_path: Path, way: str
) -> None:
    script = scripts.write(tmp_path, scripts.words(6000, delay_ms=1))
    chat = await ChatPage.open(context, serve(script=script))
    page = chat.page
    answer = await chat.send("go")
    scroller = page.locator("#scroller")
    await until(lambda: scroller.evaluate("s => s.scrollTop"), lambda top: top > 800)
    assert await page.evaluate(AT_END)
    latest = page.get_by_test_id("latest")
    assert await latest.is_hidden()
    if way == "wheel":
        box = await scroller.bounding_box()
        assert box is not None
        await page.mouse.move(box["x"] + 200, box["y"] + 200)
        await page.mouse.wheel(0, -400)
    else:
        await scroller.focus()
        await page.keyboard.press("PageUp")
    await until(latest.is_hidden, lambda hidden: not hidden)
    top = await scroller.evaluate(RESTING)
    length = len(await chat.text(answer))
    await until(lambda: chat.text(answer), lambda text: len(text) > length + 500)
    assert await scroller.evaluate("s => s.scrollTop") == pytest.approx(top, abs=2)
    await latest.click()
    assert await latest.is_hidden()
    await until(lambda: page.evaluate(AT_END), bool)
    await chat.stop()
    assert await chat.ended(answer) == "stopped"


HEARD = """() => {
  globalThis.heard = { status: [], sentences: [] };
  const [status, sentences] = ["announced", "sentences"].map((id) => document.getElementById(id));
  const see = (element, on) => new MutationObserver(on).observe(element, { childList: true });
  see(status, () => heard.status.push(status.textContent));
  see(sentences, (records) => {
    const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
    heard.sentences.push(...added.map(({ textContent }) => textContent));
  });
}"""
SPOKEN = "First **one**. Second:\n\n- a `b`\n\n第三句。And\nso on"
SENTENCES = ["First one.", "Second:", "- a b", "第三句。", "And", "so on"]


@pytest.mark.parametrize("seed", [None, 1, 2])
async def test_a_screen_reader_is_told_what_happens_and_no_token(
    seed: int | None, context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    pieces = list(SPOKEN) if seed is None else scripts.random_pieces(SPOKEN, seed)
    chat = await ChatPage.open(
        context, serve(script=scripts.write(tmp_path, scripts.tokens(pieces)))
    )
    await chat.page.evaluate(HEARD)
    assert await chat.ended(await chat.send("go")) == "done"
    heard = await chat.page.evaluate("heard")
    assert heard["status"] == ["An answer is being written", "The answer is complete"]
    assert heard["sentences"] == [], "sentences are for those who ask"
    await chat.page.keyboard.press("Control+,")
    await chat.page.get_by_label("Screen readers").check()
    await chat.page.get_by_test_id("save-settings").click()
    assert await chat.ended(await chat.send("go")) == "done"
    assert await chat.page.evaluate("heard.sentences") == SENTENCES
    assert await chat.page.locator("#sentences p").count() == 5, "the oldest go"
