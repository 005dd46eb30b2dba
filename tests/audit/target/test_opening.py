"""Addresses nobody answers at, and recipes as files."""

import re
import socket
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext

from pageside.audit.errors import PageUnreachable, RecipeInvalid
from pageside.audit.target import Recipe, Target, load_recipe, recipe_names

from .conftest import Open

BUILT_IN = {
    "assistant-ui",
    "chainlit",
    "chat-ui",
    "deep-chat",
    "gradio",
    "librechat",
    "llama.cpp",
    "nicegui",
    "open-webui",
    "pageside",
}


@pytest.mark.anyio
async def test_nobody_at_the_address(browser: BrowserContext, site: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    tabs = len(browser.pages)
    with pytest.raises(PageUnreachable, match="does not open"):
        await Target.open(browser, f"http://127.0.0.1:{port}", Recipe())
    with pytest.raises(PageUnreachable, match="status 404"):
        await Target.open(browser, f"{site}/absent.html", Recipe())
    assert len(browser.pages) == tabs, "no tab is left open"


@pytest.mark.anyio
async def test_the_path_of_a_recipe(browser: BrowserContext, site: str) -> None:
    target = await Target.open(browser, site, Recipe(path="/textarea.html"))
    assert target.page.url == f"{site}/textarea.html"
    await target.close()


@pytest.mark.anyio
async def test_a_selector_that_only_the_browser_refuses(open_page: Open) -> None:
    with pytest.raises(RecipeInvalid, match="prompt = ':nonsense"):
        await open_page("textarea", Recipe(prompt=":nonsense(x)"))


def test_the_built_in_recipes() -> None:
    assert set(recipe_names()) == BUILT_IN
    for name in recipe_names():
        recipe = load_recipe(name)
        assert recipe.name == name
        assert recipe.notes
    assert load_recipe("pageside").feed == "script"


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('prompt = "#q"\nsend = "Control+Enter"\nstop = \'button:has-text("Halt ]")\'\n')
    assert load_recipe(str(file)) == Recipe(
        name="mine", prompt="#q", send="Control+Enter", stop='button:has-text("Halt ]")'
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("promt = '#q'", "unknown key 'promt'"),
        ("prompt = 3", "prompt in the recipe .* is a number"),
        ("notes = ['a']", "notes in the recipe .* is a list"),
        ("[prompt]\nx = 1", "prompt in the recipe .* is a table"),
        ("feed = 'disk'", "feed in the recipe .* is 'disk'"),
        ("path = 'chat'", "path in the recipe .* is 'chat'"),
        ("prompt = 'div['", "prompt in the recipe .* an unclosed '\\['"),
        ("stop = 'a)'", "stop in the recipe .* an unopened '\\)'"),
        ("answer = 'a,,b'", "an empty part"),
        ("answer = 'a[b=\"c]'", "an unclosed quote"),
        ("send = '//button'", "another kind of selector"),
        ("ready = 'xpath=//a'", "another kind of selector"),
        ("new_chat = ' a'", "a space at an end"),
        ("prompt = 'a {}'", "a brace"),
        ("prompt = #q", "is not TOML"),
        ("prompt = '\udcff'", "is not TOML"),
        ("prompt = " + "[" * 100_000, "is not TOML"),
    ],
)
def test_what_cannot_be_meant(content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(RecipeInvalid) as caught:
        load_recipe(str(file))
    assert re.search(said, caught.value.message)
    assert str(file) in caught.value.message
    assert caught.value.hint


def test_no_such_recipe(tmp_path: Path) -> None:
    with pytest.raises(RecipeInvalid, match="no recipe 'gradoi'") as caught:
        load_recipe("gradoi")
    assert "gradio" in caught.value.hint
    with pytest.raises(RecipeInvalid, match="cannot be read"):
        load_recipe(str(tmp_path / "absent.toml"))
