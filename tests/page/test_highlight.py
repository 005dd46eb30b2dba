"""Code is coloured as it streams, each line in the commit that ends it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import BrowserContext, Page

from harness import scripts
from harness.chatpage import ChatPage, until
from harness.serving import Serve

pytestmark = pytest.mark.anyio

LIBRARY = Path(__file__).with_name("highlight.js")

CODE = 'const a = "b"; // c\nif (a) return 1;\n'
TOKENS = ["keyword const", "name a", 'string "b"', "comment // c"]
TOKENS += ["keyword if", "keyword return", "number 1"]


def fence(code: str, language: str = "js") -> str:
    return f"```{language}\n{code}```\n\n"


@pytest.fixture
async def page(context: BrowserContext, serve: Serve) -> AsyncIterator[Page]:
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    await page.add_init_script(path=LIBRARY)
    await page.goto(f"{serve()}/web/headless.html")
    for name in ("style", "markdown/markdown"):  # without them, lines are laid out all together
        await page.add_style_tag(url=f"/web/{name}.css")
    await page.evaluate("() => begin()")
    yield page
    assert errors == []


async def show(page: Page, *pieces: str, ends: bool = False) -> None:
    """Each in a commit of its own, all in one task."""
    await page.evaluate(
        "([pieces, ends]) => { for (const piece of pieces) show(piece); if (ends) end(); }",
        [pieces, ends],
    )


async def tokens(page: Page) -> list[str]:
    """Once all is read that has come."""
    found: list[str] = await page.evaluate("async () => (await codeHighlighted(), tokens())")
    return found


async def test_over_any_split(page: Page) -> None:
    """In the end the same document, whether it came at once or a character at a time."""
    names = ["js", "py", "rust", "html", "../js", "diff", "php", "sh"]
    long = '"' + "long " * 400 + '" // and so on\n'
    text = "".join(fence(CODE + long, name) for name in names) + "- a\n  ```js\n  if"
    cuts = [[text], scripts.per_character(text)]
    cuts += [scripts.random_pieces(text, seed) for seed in (1, 2, 3)]
    shown = []
    for pieces in cuts:
        await page.evaluate("() => begin()")
        await show(page, *pieces, ends=True)
        seen = await tokens(page)
        shown.append((seen, await page.evaluate("() => element.innerHTML")))
    seen, _ = shown[0]
    assert seen[: len(TOKENS)] == TOKENS
    assert seen[-1] == "keyword if"
    assert len(seen) > 30
    assert all(other == shown[0] for other in shown)


async def test_a_line_is_coloured_in_the_commit_that_ends_it(page: Page) -> None:
    await show(page, fence(CODE), "```js\n")
    assert await tokens(page) == TOKENS
    # With time left in the frame, which a busy machine has not always.
    await page.evaluate(
        "() => { const at = performance.now() + 1_000; performance.now = () => at; }"
    )
    for piece, more in [
        ("ret", []),
        ('urn "a', []),
        ('b"\n', []),
        ("if (", ["keyword return", 'string "ab"']),
        ("x) y;\n```", ["keyword return", 'string "ab"']),
        ("\n", ["keyword return", 'string "ab"', "keyword if"]),
    ]:
        seen = await page.evaluate("(piece) => (show(piece), tokens())", piece)
        assert seen == TOKENS + more, piece


async def test_the_text_is_that_of_the_answer(page: Page) -> None:
    """Coloured or not: what is copied and saved is the text of these nodes."""
    code = "".join(f"const a{i} = `世 ${{b}} <i>`; // {i % 7 * 'c '}\n" for i in range(300))
    await show(page, *scripts.random_pieces(fence(code) + fence(code, "?"), 1), ends=True)
    assert len(await tokens(page)) > 1000
    texts = "() => [...element.querySelectorAll('code')].map((one) => one.textContent)"
    assert await page.evaluate(texts) == [code.rstrip("\n")] * 2
    elements = "() => [...new Set([...element.querySelectorAll('code *')].map((e) => e.localName))]"
    assert await page.evaluate(elements) == ["span"]


async def test_a_name_that_a_model_made_up_asks_for_nothing(page: Page) -> None:
    names = ["../secret", "__proto__", "constructor", "https://a.invalid/b.js", '"><img/src=x>']
    requests: list[str] = []
    page.on("request", lambda request: requests.append(urlsplit(request.url).path))
    await show(page, *(fence(CODE, name) for name in (*names, "text", "")), fence(CODE), ends=True)
    assert await tokens(page) == TOKENS
    assert sorted(requests) == [
        "/web/vendor/legacy-modes/javascript.js",
        "/web/vendor/streamparser/index.js",
    ]


async def test_a_language_that_cannot_be_had_leaves_its_code_plain(page: Page) -> None:
    await page.route("**/python.js", lambda route: route.abort())
    await show(page, fence("def f(): pass\n", "py"), fence(CODE), ends=True)
    assert await tokens(page) == TOKENS
    assert "def f(): pass" in await page.evaluate("() => element.textContent")


@pytest.mark.parametrize("is_backward", [False, True])
async def test_a_selection_in_code_that_streams_stays(page: Page, is_backward: bool) -> None:
    """From a line that is coloured into one that is not yet, and on to the end of the stream."""
    await show(page, "```js\n", CODE + CODE, "if (a) retu")
    await tokens(page)
    selected = await page.evaluate(
        """(isBackward) => {
          const code = element.querySelector("code");
          const text = (at) => {
            const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
            while (walker.nextNode().length <= at) at -= walker.currentNode.length;
            return [walker.currentNode, at];
          };
          const ends = [text(8), text(code.textContent.length - 3)];
          if (isBackward) ends.reverse();
          getSelection().setBaseAndExtent(...ends.flat());
          return [getSelection().toString(), getSelection().direction];
        }""",
        is_backward,
    )
    assert selected == [(CODE + CODE + "if (a) r")[8:], "backward" if is_backward else "forward"]
    await show(page, *scripts.random_pieces("rn 1;\n" + CODE * 100, 1))
    assert (await tokens(page)).count("keyword const") == 102
    still = "() => [getSelection().toString(), getSelection().direction]"
    assert await page.evaluate(still) == selected


async def test_a_selection_elsewhere_is_left_alone(page: Page) -> None:
    await show(page, "Some words.\n\n```js\n")
    await page.evaluate(
        """() => {
          getSelection().selectAllChildren(element.querySelector("p"));
          globalThis.changes = 0;
          document.addEventListener("selectionchange", () => (changes += 1));
        }"""
    )
    await page.evaluate("() => new Promise((done) => setTimeout(done))")
    await page.evaluate("() => (changes = 0)")
    await show(page, CODE * 100, ends=True)
    assert len(await tokens(page)) == 100 * len(TOKENS)
    assert await page.evaluate("() => [getSelection().toString(), changes]") == ["Some words.", 0]


async def test_a_large_piece_is_shown_at_once_and_coloured_in_slices(page: Page) -> None:
    """2 MB: the commit that shows them colours few of them, and no commit waits for the others."""
    code = CODE * 55_000
    assert len(code) > 2_000_000
    await show(page, fence(CODE))
    assert await tokens(page) == TOKENS
    lengths = await page.evaluate(
        """(texts) => texts.map((text) => {
          show(text);
          return [element.textContent.length, tokens().length];
        })""",
        [fence(code), "And more.\n\n"],
    )
    assert lengths[0][0] > len(code)
    assert lengths[1][0] == lengths[0][0] + len("And more.")
    most = len(TOKENS) + 5000 * len(TOKENS)  # of 10,000 lines
    assert lengths[1][1] < most / 2
    await show(page, fence(CODE))
    seen = await tokens(page)
    assert len(seen) == most + len(TOKENS)
    assert seen[-len(TOKENS) :] == TOKENS


KINDS = ["comment", "string", "number", "keyword", "name", "type", "meta", "inserted", "deleted"]
Colours = dict[str, list[list[float]]]


async def colours(page: Page) -> Colours:
    """Of each kind and of plain text, in the chat: red, green and blue, and of what is behind."""
    found: Colours = await page.evaluate("(kinds) => colours(kinds)", KINDS)
    assert len(found) == 1 + len(KINDS)
    return found


def contrast(one: list[float], other: list[float]) -> float:
    """WCAG 2, contrast ratio."""

    def luminance(colour: list[float]) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture
async def chat(context: BrowserContext, serve: Serve, tmp_path: Path) -> ChatPage:
    """After an answer with code."""
    answer = scripts.tokens(scripts.random_pieces(fence(CODE) + "Done.", 1))
    chat = await ChatPage.open(context, serve(script=scripts.write(tmp_path, answer)))
    assert await chat.ended(await chat.send("go")) == "done"
    await chat.page.evaluate(f"() => {{\n{LIBRARY.read_text(encoding='utf-8')}\n}}")
    return chat


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_colours_can_be_told_and_read(chat: ChatPage, scheme: Any) -> None:
    await chat.page.emulate_media(color_scheme=scheme)
    all = await colours(chat.page)
    assert len({tuple(colour) for colour, _ in all.values()}) == len(all)
    assert {kind: contrast(*pair) for kind, pair in all.items() if contrast(*pair) < 4.5} == {}


async def test_who_forces_colours_has_their_own(chat: ChatPage) -> None:
    await chat.page.emulate_media(forced_colors="active")
    all = await colours(chat.page)
    assert len({tuple(colour) for colour, _ in all.values()}) == 1


async def test_in_the_chat(chat: ChatPage) -> None:
    seen = "() => tokens()"
    found = await until(lambda: chat.page.evaluate(seen), lambda found: len(found) >= len(TOKENS))
    assert found == TOKENS
