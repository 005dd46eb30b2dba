"""Pages of every make are found one's way on, and used as a person uses them."""

import re
from typing import Any

import pytest

from pageside.audit.clock import page_clock
from pageside.audit.errors import (
    AnswerNotFound,
    AuditError,
    PageLost,
    PromptNotFound,
    StopNotPressed,
)
from pageside.audit.target import Recipe, Target, composer
from pageside.audit.text import words_in

from .conftest import Open

pytestmark = pytest.mark.anyio

PROMPT = "zebra question 7"
WORDS = list(range(40))

PAGES = [
    "textarea",
    "button_only",
    "editor",
    "replaced",
    "shadow",
    "spans",
    "static_answer",
    "newest_first",
]
# Words and markers are cut anywhere: by characters, by whole answers, and in between.
CUTS = [1, 40, 7]


async def sent(target: Target) -> list[str]:
    prompts: list[str] = await target.page.evaluate("sent")
    return [prompt.strip() for prompt in prompts]


# A box, or something that nobody sees, is no part of an answer.
IS_CLEAN = """(answer) =>
  !answer.querySelector("textarea, input, [contenteditable]") &&
  answer.getBoundingClientRect().width > 10"""


async def answered(target: Target, marker: str) -> str:
    await target.locate_answer(marker, 10)
    assert await target.wait_for_word(WORDS[-1], 20)
    element = await target.answer_element()
    # A page that still draws may have replaced it once more.
    assert element is None or await element.evaluate(IS_CLEAN)
    return await target.answer_text()


@pytest.mark.parametrize("name", PAGES)
async def test_prompts_and_their_answers(name: str, open_page: Open) -> None:
    target = await open_page(f"{name}?cut={','.join(map(str, CUTS))}")
    prompts = [f"{PROMPT}{turn}" for turn in range(len(CUTS))]
    for turn, prompt in enumerate(prompts, 1):
        await target.send(prompt)
        text = await answered(target, f"alpha{turn}")
        assert words_in(text) == WORDS
        assert re.findall(r"alpha\d", text) == [f"alpha{turn}"], "no other answer"
        assert "zebra" not in text, "the prompt is not part of the answer"
    assert await sent(target) == prompts, "each was sent once"
    assert target.notes == []


async def test_a_marker_of_an_earlier_answer_is_not_the_newest(open_page: Open) -> None:
    target = await open_page("textarea?wait=700")
    for turn in (1, 2):
        await target.send(PROMPT)
        await target.locate_answer("w0", 10)
        assert f"alpha{turn}" in await target.answer_text()
        assert await target.wait_for_word(WORDS[-1], 20)


async def test_an_answer_is_found_again_where_it_was_replaced(open_page: Open) -> None:
    target = await open_page("replaced")
    await target.send(PROMPT)
    await answered(target, "alpha1")
    for look in (target.answer_text, lambda: target.has_word(WORDS[-1])):
        await target.page.evaluate("draw()")
        assert await look()


async def test_enter_is_preferred_and_the_rest_is_found(open_page: Open) -> None:
    target = await open_page("textarea")
    await target.send(PROMPT)
    await answered(target, "alpha1")
    found = target.recipe
    assert (found.prompt, found.send) == ('textarea[placeholder="Write\\ a\\ message"]', "Enter")
    assert found.answer == "div.reply"


async def test_a_completed_recipe_is_a_recipe(open_page: Open) -> None:
    first = await open_page("textarea?endless")
    await first.send(PROMPT)
    await first.locate_answer("alpha1", 10)
    assert await first.stop_box()
    second = await open_page("textarea", first.recipe)
    await second.send(PROMPT)
    assert words_in(await answered(second, "alpha1")) == WORDS
    assert second.notes == []


@pytest.mark.parametrize("name", ["keys_only", "gate", "late", "navigates", "overlay"])
async def test_pages_that_want_something_first(name: str, open_page: Open) -> None:
    target = await open_page(name)
    await target.send(PROMPT)
    text = await answered(target, "alpha1")
    assert words_in(text) == WORDS
    assert "zebra" not in text
    assert await sent(target) == [PROMPT]


async def test_a_banner_is_refused_rather_than_accepted(open_page: Open) -> None:
    target = await open_page("overlay")
    await target.send(PROMPT)
    assert await target.page.evaluate("choice") == "none"


async def test_no_box_says_what_was_seen_and_what_to_do(open_page: Open) -> None:
    with pytest.raises(PromptNotFound) as caught:
        await open_page("nothing", patience_s=1)
    assert "no prompt box on" in caught.value.message
    assert "prompt =" in caught.value.hint
    with pytest.raises(PromptNotFound) as caught:
        await open_page("late", Recipe(prompt="#absent"), patience_s=1)
    assert "'#absent'" in caught.value.message
    assert '<input type="search" aria-label="Search">' in caught.value.message


async def test_a_page_that_sends_nothing_is_named(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composer, "SENT_PATIENCE_S", 0.3)
    target = await open_page("deaf")
    with pytest.raises(PromptNotFound) as caught:
        await target.send(PROMPT)
    assert "nothing sent it" in caught.value.message
    assert "send =" in caught.value.hint


async def test_no_answer_is_named(open_page: Open) -> None:
    target = await open_page("textarea")
    await target.send(PROMPT)
    with pytest.raises(AnswerNotFound, match="beta"):
        await target.locate_answer("beta", 0.5)


async def test_a_word_that_does_not_come(open_page: Open) -> None:
    target = await open_page("textarea")
    await target.send(PROMPT)
    await answered(target, "alpha1")
    assert await target.has_word(WORDS[-1])
    assert not await target.has_word(WORDS[-1] + 1)
    assert not await target.wait_for_word(WORDS[-1] + 1, 0.5)


async def test_a_frozen_page_does_not_hold_the_wait(open_page: Open) -> None:
    target = await open_page("textarea")
    await target.send(PROMPT)
    await answered(target, "alpha1")
    freeze = "() => setTimeout(() => { const end = Date.now() + 2000; while (Date.now() < end); })"
    await target.page.evaluate(freeze)
    assert not await target.wait_for_word(WORDS[-1] + 1, 0.5)
    assert await target.wait_for_word(WORDS[-1], 20), "it can be asked again"


@pytest.mark.parametrize("name", ["textarea", "button_only"])
async def test_stop_is_there_while_it_streams(name: str, open_page: Open) -> None:
    target = await open_page(f"{name}?endless")
    assert await target.stop_box() is None
    await target.send(PROMPT)
    await target.locate_answer("alpha1", 10)
    pressed_s = await target.press_stop()
    length = len(await target.answer_text())
    await target.page.wait_for_timeout(100)
    assert abs(len(await target.answer_text()) - length) < 30, "nothing but buttons came after it"
    now_s = (await page_clock(target.page)).monotonic_s(
        await target.page.evaluate("performance.now()")
    )
    assert 0 < now_s - pressed_s < 30
    if name == "textarea":
        click_ms: float = await target.page.evaluate("stoppedAt")
        own_s = (await page_clock(target.page)).monotonic_s(click_ms)
        assert abs(own_s - pressed_s) < 0.05, "the page saw the same click"
    assert await target.stop_box() is None


async def test_a_stop_that_moves_from_under_the_pointer_is_pressed_again(open_page: Open) -> None:
    target = await open_page("moves?endless&presses=2")
    await target.send(PROMPT)
    await target.locate_answer("alpha1", 10)
    pressed_s = await target.press_stop()
    assert await target.page.evaluate("misses") == 2
    own_s = (await page_clock(target.page)).monotonic_s(await target.page.evaluate("stoppedAt"))
    assert abs(own_s - pressed_s) < 0.05, "the press that counted is the one that stopped it"


async def test_a_stop_that_cannot_be_reached_is_named(open_page: Open) -> None:
    target = await open_page("moves?endless&presses=99")
    await target.send(PROMPT)
    await target.locate_answer("alpha1", 10)
    with pytest.raises(StopNotPressed, match=r"clicks on Stop did not reach it"):
        await target.press_stop()


@pytest.mark.parametrize("way", ["covered", "anew&presses=99"])
async def test_a_press_of_something_else_is_none(way: str, open_page: Open) -> None:
    target = await open_page(f"moves?endless&{way}")
    await target.send(PROMPT)
    await target.locate_answer("alpha1", 10)
    with pytest.raises(StopNotPressed, match=r"clicks on Stop did not reach it"):
        await target.press_stop()
    assert await target.page.evaluate("globalThis.stoppedAt") is None


async def test_a_stop_that_is_drawn_anew_and_moves_is_pressed_again(open_page: Open) -> None:
    target = await open_page("moves?endless&anew&presses=2")
    await target.send(PROMPT)
    await target.locate_answer("alpha1", 10)
    pressed_s = await target.press_stop()
    own_s = (await page_clock(target.page)).monotonic_s(await target.page.evaluate("stoppedAt"))
    assert abs(own_s - pressed_s) < 0.05


async def test_a_wrong_stop_of_a_recipe_is_named(open_page: Open) -> None:
    target = await open_page("moves?endless", Recipe(stop="#nothere"))
    await target.send(PROMPT)
    await target.locate_answer("alpha1", 10)
    with pytest.raises(StopNotPressed, match="matches stop = '#nothere' of the recipe"):
        await target.press_stop()


async def test_no_stop_is_named(open_page: Open) -> None:
    target = await open_page("replaced")
    with pytest.raises(AuditError, match="no Stop button"):
        await target.press_stop()


async def test_typing_does_not_send(open_page: Open) -> None:
    target = await open_page("textarea")
    assert await target.type_slowly("two\nlines", 1)
    assert await target.page.locator("textarea").input_value() == "two lines"
    assert await sent(target) == []
    await target.page.locator("textarea").evaluate("(e) => (e.disabled = true)")
    assert not await target.type_slowly("more", 1)


async def test_the_wheel_turns_the_transcript(open_page: Open) -> None:
    target = await open_page("scrolls")
    await target.send(PROMPT)
    await answered(target, "alpha1")
    top = "document.querySelector('#pane').scrollTop"
    before: float = await target.page.evaluate(top)
    await target.scroll(-500)
    await target.page.wait_for_function(f"{top} < {before - 400}")
    assert 0 <= await target.page.evaluate(top) < before - 400


@pytest.mark.parametrize("recipe", [Recipe(), Recipe(new_chat="#start"), Recipe(new_chat="h1")])
async def test_a_new_chat_is_empty(recipe: Recipe, open_page: Open) -> None:
    target = await open_page("gate", recipe)
    await target.page.evaluate("() => (globalThis.isSame = true)")
    await target.send(PROMPT)
    await answered(target, "alpha1")
    await target.new_chat()
    assert "alpha1" not in await target.page.inner_text("body")
    by_button = recipe.new_chat == "#start"
    assert await target.page.evaluate("globalThis.isSame === true") is by_button
    await target.send(PROMPT)
    assert words_in(await answered(target, "alpha2" if by_button else "alpha1")) == WORDS


async def test_a_selector_that_fits_no_longer_is_told(open_page: Open) -> None:
    old = Recipe(name="old", prompt="#gone", answer=".gone")
    target = await open_page("textarea", old, patience_s=2)
    await target.send(PROMPT)
    assert words_in(await answered(target, "alpha1")) == WORDS
    assert [note.split(" ")[0] for note in target.notes] == ["prompt", "answer"]


async def test_a_lost_page_is_named(open_page: Open) -> None:
    target = await open_page("textarea")
    await target.send(PROMPT)
    await answered(target, "alpha1")
    await target.page.close()
    with pytest.raises(PageLost):
        await target.answer_text()


async def test_nothing_of_ours_stays_in_the_page(open_page: Open) -> None:
    """No global of ours, and no observer, timer or listener that runs while it is measured."""
    watch = """
      globalThis.made = [];
      const watched = ["setTimeout", "setInterval", "requestAnimationFrame", "MutationObserver"];
      for (const name of watched) {
        const native = globalThis[name];
        globalThis[name] = new Proxy(native, {
          apply: (f, self, args) => (made.push(name), Reflect.apply(f, self, args)),
          construct: (f, args) => (made.push(name), Reflect.construct(f, args)),
        });
      }
      const listen = EventTarget.prototype.addEventListener;
      EventTarget.prototype.addEventListener = function (...args) {
        if (this === globalThis) made.push(args[0]);
        return listen.apply(this, args);
      };
      globalThis.before = Object.keys(globalThis).length;
    """
    target = await open_page("replaced", init_script=watch)
    await target.send(PROMPT)
    await target.locate_answer("alpha1", 10)
    assert await target.wait_for_word(WORDS[-1], 20)
    assert words_in(await target.answer_text()) == WORDS
    keys: list[str] = await target.page.evaluate("Object.keys(globalThis).slice(globalThis.before)")
    own = {"sent", "answers", "turns", "draw", "stream", "paragraphs", "before"}
    assert set(keys) <= own
    made: list[Any] = await target.page.evaluate("made")
    assert set(made) == {"setTimeout"}, "the page's own"
