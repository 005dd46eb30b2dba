"""Footnotes: a reference leads to its note and back, in its own answer, by pointer and by key."""

from itertools import pairwise
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Locator

from harness import scripts
from harness.chatpage import ChatPage, until
from harness.serving import Serve

pytestmark = pytest.mark.anyio

PROSE = "Some words that are read on the way.\n\n" * 60


def answer(name: str) -> list[scripts.Event]:
    text = (
        f"{name}[^why] and[^how], again[^why].\n\n{PROSE}[^how]: How {name}.\n[^why]: Why {name}."
    )
    return scripts.tokens(scripts.random_pieces(text, 1))


@pytest.fixture
async def answers(context: BrowserContext, serve: Serve, tmp_path: Path) -> list[Locator]:
    script = scripts.write(tmp_path, answer("one"), answer("two"))
    chat = await ChatPage.open(context, serve(script=script))
    answers = []
    for _ in range(2):
        answers.append(await chat.send("go"))
        assert await chat.ended(answers[-1]) == "done"
    return answers


async def is_focused(answer: Locator, wanted: str) -> None:
    """Waits until the focused link is seen, in a paragraph or note of this answer that says so."""
    focused = """(answer) => {
          const link = document.activeElement.closest(".note-link");
          const box = link?.getBoundingClientRect();
          if (!link || !answer.contains(link) || box.bottom < 0 || box.top > innerHeight) return "";
          return link.closest(".note, p").textContent;
        }"""
    await until(lambda: answer.evaluate(focused), lambda text: text == wanted)


@pytest.mark.parametrize("way", ["pointer", "key"])
async def test_there_and_back(answers: list[Locator], way: str) -> None:
    async def follow(link: Locator) -> None:
        await link.scroll_into_view_if_needed()
        await (link.click() if way == "pointer" else link.press("Enter"))

    for answer, name in zip(answers, ("one", "two"), strict=True):
        references = answer.locator("p > sup > .note-link")
        assert await references.all_text_contents() == ["2", "1", "2"]
        address = answer.page.url
        await follow(references.nth(2))
        await is_focused(answer, f"2Why {name}.")
        await follow(answer.locator(".note .note-link").nth(1))
        await is_focused(answer, f"{name}2 and1, again2.")
        assert answer.page.url == address


async def test_a_note_of_several_blocks_has_them_below_each_other(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    text = "a[^1]\n\n[^1]: First.\n\n    Second.\n\n    ```\n    code\n    ```\n"
    script = scripts.write(tmp_path, scripts.tokens(scripts.random_pieces(text, 1)))
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    assert await chat.ended(answer) == "done"
    boxes = await answer.locator(".note > div > *").evaluate_all(
        "(blocks) => blocks.map((block) => block.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) == 3
    assert all(above["bottom"] <= below["top"] for above, below in pairwise(boxes))
