"""An answer and its code leave the page as the model wrote them."""

from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Locator

from harness import scripts
from harness.chatpage import ChatPage, until
from harness.serving import Serve

pytestmark = pytest.mark.anyio

# More than one group of lines, and no newline at the end of the answer.
CODE = "".join(f"print({i}, '世 <b>&amp;</b>')\n" for i in range(150))
TEXT = f"Some *code*:\n\n```python\n{CODE}```\n\n- and `more`  \n\n```../../sh\nls\n```"


@pytest.fixture
async def answer(context: BrowserContext, serve: Serve, tmp_path: Path) -> Locator:
    await context.grant_permissions(["clipboard-write"])
    script = scripts.write(tmp_path, scripts.tokens(scripts.random_pieces(TEXT, 1)))
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    assert await chat.ended(answer) == "done"
    return answer


async def clipboard(answer: Locator) -> str:
    """As a person sees it: pasted. The page itself may not read it."""
    prompt = answer.page.get_by_test_id("prompt")
    await prompt.fill("")
    await prompt.press("Control+V")
    return await prompt.input_value()


async def assert_copied(answer: Locator, text: str) -> None:
    """The clipboard outlives a test: what the last one copied may still be there at first."""
    assert await until(lambda: clipboard(answer), lambda pasted: pasted == text)


async def test_copy_code(answer: Locator) -> None:
    button = answer.get_by_label("Copy this code").first
    await button.click()
    await until(button.inner_text, lambda said: said == "Copied")
    await assert_copied(answer, CODE.rstrip("\n"))
    await until(button.inner_text, lambda said: said == "Copy")


async def test_copy_with_the_keyboard(answer: Locator) -> None:
    await answer.get_by_label("Copy this code").nth(1).focus()
    await answer.page.keyboard.press("Enter")
    await assert_copied(answer, "ls")


async def test_copy_the_answer_as_it_was_written(answer: Locator) -> None:
    await answer.get_by_test_id("copy-message").click()
    await assert_copied(answer, TEXT)


async def test_a_browser_that_refuses_is_named(answer: Locator) -> None:
    await answer.page.context.clear_permissions()
    await answer.page.evaluate(
        "() => (navigator.clipboard.writeText = () => Promise.reject(new Error('no')))"
    )
    button = answer.get_by_test_id("copy-message")
    await button.click()
    assert await until(button.inner_text, lambda said: said != "Copy") == "Not allowed"


@pytest.mark.parametrize(("which", "name"), [(0, "code.py"), (1, "code.txt")])
async def test_save_code_under_a_name_that_is_no_path(
    answer: Locator, which: int, name: str, tmp_path: Path
) -> None:
    async with answer.page.expect_download() as saving:
        await answer.get_by_label("Save this code").nth(which).click()
    download = await saving.value
    assert download.suggested_filename == name
    saved = tmp_path / name
    await download.save_as(saved)
    assert saved.read_text(encoding="utf-8") == (CODE.rstrip("\n"), "ls")[which]
