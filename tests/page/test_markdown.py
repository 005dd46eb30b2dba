"""Answers are Markdown: the same over every split, inert, and finished parts are left alone."""

from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page

from harness import scripts, specifications
from harness.serving import Serve

pytestmark = pytest.mark.anyio

LIBRARY = Path(__file__).with_name("markdown.js")


@pytest.fixture
async def page(context: BrowserContext, serve: Serve) -> Page:
    """The page, with what shows Markdown at hand, and without its Content-Security-Policy: what is
    shown must be inert by itself."""
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    await session.send("Page.setBypassCSP", {"enabled": True})
    await page.add_init_script(path=LIBRARY)
    await page.goto(f"{serve()}/web/headless.html")
    await page.evaluate("async () => (await markdown).ready()")
    return page


def cuts(text: str) -> list[list[str]]:
    short = [text[at : at + 3] for at in range(0, len(text), 3)]
    return [scripts.per_character(text), short, *(scripts.random_pieces(text, s) for s in (1, 2))]


@pytest.mark.parametrize("name", specifications.NAMES)
async def test_what_comes_in_pieces_is_shown_as_what_comes_at_once(page: Page, name: str) -> None:
    examples = specifications.markdown_of(name)
    assert len(examples) > 600
    different = "async (all) => (await markdown).different(all)"
    assert await page.evaluate(different, [[text, cuts(text)] for text in examples]) == []


async def test_and_so_are_long_answers(page: Page) -> None:
    """Part by part: character by character each would take a minute."""
    answers = sorted((Path(__file__).parents[1] / "js" / "markdown" / "answers").glob("*.md"))
    texts = [answer.read_bytes().decode() for answer in answers]
    pieces = [[text, [scripts.random_pieces(text, seed) for seed in (1, 2, 3)]] for text in texts]
    different = "async (all) => (await markdown).different(all)"
    assert len(texts) >= 30
    assert await page.evaluate(different, pieces) == []


@pytest.mark.parametrize("space", ["\u3000", "\u00a0", "\u2003 "])
async def test_wide_spaces_are_text_wherever_pieces_end(page: Page, space: str) -> None:
    text = f"# {space}a\n\n{space}b\n\n|{space}c | d{space}|\n|---|---|\n|{space}e | {space}f |\n"
    different = "async (all) => (await markdown).different(all)"
    assert await page.evaluate(different, [[text, cuts(text)]]) == []


# More than 1,000 elements in one another take the tab down, each time it is opened.
DEEP = {
    "quotes": "> " * 3_000 + "deep",
    "lists": "- " * 3_000 + "deep",
    "mixed": "> - " * 1_500 + "deep",
    "indented": "".join(f"{'  ' * i}- w\n" for i in range(600)) + "deep",
    "stars": "*" * 10_000 + "deep" + "*" * 10_000,
    "emphasis": "*a **b " * 3_000 + "deep" + "** *" * 3_000,
    "brackets": "[" * 3_000 + "deep" + "](x)" * 3_000,
    "images": "![" * 3_000 + "deep" + "](x)" * 3_000,
}


@pytest.mark.parametrize("name", DEEP)
async def test_what_nests_without_end_ends(page: Page, name: str) -> None:
    text = DEEP[name]
    cuts = [scripts.random_pieces(text, 1), [text[i : i + 400] for i in range(0, len(text), 400)]]
    different = "async (all) => (await markdown).different(all)"
    assert await page.evaluate(different, [[text, cuts]]) == []
    shown = """async (text) => {
      const element = (await markdown).show([text]);
      document.body.append(element);
      const depth = (e) => { let n = 0; for (; e; e = e.parentElement) n += 1; return n; };
      return [element.innerText, Math.max(...Array.from(element.querySelectorAll("*"), depth))];
    }"""
    words, depth = await page.evaluate(shown, text)
    assert "deep" in words
    assert depth < 450


HOSTILE = [
    '<img src="/stolen" onerror="hacked=1">',
    "<script>hacked=1</script>",
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
    '<svg onload="hacked=1"><circle/></svg>',
    "<style>@import '/stolen'</style><link rel=stylesheet href=/stolen>",
    "<base href=//elsewhere.invalid/><meta http-equiv=refresh content='0;/stolen'>",
    "<form action=javascript:hacked=1><button>x</button></form>",
    "[x](javascript:hacked=1)",
    "[x](JaVaScRiPt:hacked=1) [y](&#106;avascript:hacked=1) [z](java&#10;script:hacked=1)",
    '[x](<javascript:hacked=1> "t") <javascript:hacked=1> [x]\n\n[x]: javascript:hacked=1',
    "[x](data:text/html,<script>hacked=1</script>) [x](vbscript:x) [x](blob:x) [x](file:///etc)",
    "![x](http://elsewhere.invalid/?q=secret) ![x](/stolen) ![x](javascript:hacked=1)",
    "[x](\x01javascript:hacked=1) [x](\u2028javascript:hacked=1)",
    '```"><img src=/stolen onerror=hacked=1>\ncode\n```',
    "$\\href{javascript:hacked=1}{x}$ $$<img src=/stolen onerror=hacked=1>$$",
    "| <img src=/stolen> | [x](javascript:hacked=1) |\n|---|---|\n| `<a>` | <b onclick=hacked=1> |",
    "# <img src=/stolen onerror=hacked=1>\n> <iframe src=/stolen>\n- <object data=/stolen>",
    "[^1]\n\n[^1]: <img src=/stolen onerror=hacked=1>",
    '<a href="javascript:hacked=1">x</a> <a href=x target=_top onmouseover=hacked=1>y</a>',
]
ELEMENTS = (
    "div, p, h1, h2, h3, h4, h5, h6, ul, ol, li, blockquote, pre, code, hr, br, em, strong, del, "
    "a, span, sup, button[type=button], table, thead, tbody, tr, th, td, "
    "input[type=checkbox][disabled]"
)


async def test_output_is_inert_without_any_policy(page: Page) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    address = page.url
    not_inert = "async ([all, elements]) => (await markdown).notInert(all, elements)"
    texts = [[text, cuts(text)] for text in HOSTILE]
    assert await page.evaluate(not_inert, [texts, ELEMENTS]) == []
    await page.wait_for_timeout(200)
    assert await page.evaluate("() => globalThis.hacked ?? null") is None
    assert [url for url in requests if not url.endswith("/web/icon.svg")] == []  # the tab's own
    assert page.url == address


async def test_every_word_of_hostile_output_is_there_to_read(page: Page) -> None:
    shown = await page.evaluate(
        "async (all) => { const { show } = await markdown;"
        " return all.map((text) => show([text]).textContent); }",
        HOSTILE[:7],
    )
    for text, seen in zip(HOSTILE[:7], shown, strict=True):
        assert seen == text


FORMULAS = {
    "$a^2+b^2=c^2$": True,
    "$$\\frac{a_i}{b_i}=\\sum_{k=1}^{n}x_k^2$$": True,
    "$\\notacommand{x}$": False,
    "$\\href{javascript:hacked=1}{x}$": False,
    "$\\def\\a{\\a\\a}\\a$": False,
    f"${'x+' * 2000}x$": False,
}


@pytest.mark.parametrize(("text", "is_drawn"), FORMULAS.items(), ids=lambda value: str(value)[:20])
async def test_formulas_are_drawn_or_shown_as_they_are_written(
    page: Page, text: str, is_drawn: bool
) -> None:
    drawn, shown = await page.evaluate(
        """async (text) => {
          const { show, settled } = await markdown;
          const element = show([...text]);
          await settled();
          return [element.querySelectorAll("math").length, element.textContent];
        }""",
        text,
    )
    assert drawn == int(is_drawn)
    if not is_drawn:
        assert shown == text.strip("$")


async def test_what_draws_formulas_may_be_out_of_reach_for_a_while(
    context: BrowserContext, serve: Serve
) -> None:
    page = await context.new_page()
    await page.add_init_script(path=LIBRARY)
    await page.route("**/temml.mjs", lambda route: route.abort())
    await page.goto(f"{serve()}/web/headless.html")
    shown = await page.evaluate(
        """async () => {
          const { show, settled } = await markdown;
          const element = show(["$a^2$"]);
          await settled();
          return [element.textContent, element.querySelector(".math").title];
        }"""
    )
    assert shown[0] == "a^2"
    assert "temml" in shown[1]


async def test_many_formulas_share_no_frame(page: Page) -> None:
    """Some are drawn at once, the rest later, and all in the end."""
    formula = r"$$\frac{a_i}{b_i}=\sum_{k=1}^{n}x_k^2$$" + "\n\n"
    at_once, in_the_end = await page.evaluate(
        """async (text) => {
          const { show, settled } = await markdown;
          const element = show([text]);
          const drawn = () => element.querySelectorAll("math").length;
          const before = drawn();
          await settled();
          return [before, drawn()];
        }""",
        formula * 1000,
    )
    assert at_once < in_the_end == 1000


async def test_finished_parts_stay_the_same_nodes(page: Page) -> None:
    """So a selection in them survives, to the end of the stream and beyond."""
    first = (
        "# Title\n\nA *finished* paragraph with [a link](https://example.org).\n\n- one\n- two\n\n"
    )
    then = (
        "More **text**\n\n```js\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end."
    )
    same = await page.evaluate(
        """async ([first, then]) => {
          const { MarkdownView } = await import("/web/markdown/view.js");
          const element = document.createElement("div");
          document.body.append(element);
          const view = new MarkdownView(element);
          view.write(first);
          view.commit();
          const before = [...element.querySelectorAll("h1, p, em, a, ul, li")];
          const list = before.filter((one) => one.localName === "li");
          getSelection().selectAllChildren(element.querySelector("em"));
          for (const char of then) {
            view.write(char);
            view.commit();
          }
          view.end();
          view.commit();
          const after = [...element.querySelectorAll("h1, p, em, a, ul, li")];
          return [
            before.length > 6,
            list.length,
            before.every((one, at) => after[at] === one),
            getSelection().toString(),
          ];
        }""",
        [first, then],
    )
    assert same == [True, 2, True, "finished"]


async def test_a_definition_that_comes_late_changes_nothing_beside_it(page: Page) -> None:
    first = "# See\n\nWhat *this* says, [here][1], [2], ![there][1] and in a note[^n].\n\n"
    then = "More.\n\n[1]: https://example.org/\n[2]: /not-safe\n\n[^n]: The note.\n"
    same, shown = await page.evaluate(
        """async ([first, then]) => {
          const { MarkdownView } = await import("/web/markdown/view.js");
          const { settled } = await markdown;
          const element = document.createElement("div");
          document.body.append(element);
          const view = new MarkdownView(element);
          const write = (text) => {
            view.write(text);
            view.commit();
          };
          write(first);
          const paragraph = element.querySelector("p");
          const around = () => [...paragraph.childNodes].filter((_, at) => at % 2 === 0);
          const before = [paragraph.firstChild, paragraph.querySelector("em"), ...around()];
          getSelection().selectAllChildren(paragraph.querySelector("em"));
          for (const char of then) write(char);
          view.end();
          view.commit();
          await settled();
          const after = [paragraph.firstChild, paragraph.querySelector("em"), ...around()];
          return [
            before.every((one, at) => after[at] === one) && getSelection().toString(),
            [...paragraph.children].map((one) => `${one.localName} ${one.textContent}`),
          ];
        }""",
        [first, then],
    )
    assert same == "this"
    assert shown == ["em this", "a here", "span 2", "a there", "sup 1"]


async def test_a_table_of_many_columns_scrolls_and_breaks_no_word(page: Page) -> None:
    columns = "|".join(["centreplease"] * 7)
    rows = f"|{columns}|\n|{'-|' * 7}\n" + f"|{columns}|\n" * 70
    await page.set_viewport_size({"width": 360, "height": 740})
    broken, scrolls = await page.evaluate(
        """async (texts) => {
          for (const name of ["style.css", "markdown/markdown.css", "transcript/transcript.css"]) {
            const link = document.createElement("link");
            Object.assign(link, { rel: "stylesheet", href: `/web/${name}` });
            const loaded = new Promise((resolve) => (link.onload = resolve));
            document.head.append(link);
            await loaded;
          }
          const { show } = await markdown;
          const elements = texts.map((text) => {
            const body = document.createElement("div");
            body.className = "body";
            body.style.width = "328px";
            document.body.append(body);
            return body.appendChild(show([text]));
          });
          const height = (cell) => cell.getClientRects().length && cell.clientHeight;
          const line = parseFloat(getComputedStyle(document.body).fontSize) * 3;
          const cells = elements.flatMap((element) => [...element.querySelectorAll("td")]);
          return [
            cells.filter((cell) => height(cell) > line).length,
            elements.map((element) => {
              const table = element.querySelector(".table");
              return table.scrollWidth > table.clientWidth && element.scrollWidth <= 328;
            }),
          ];
        }""",
        [rows[: rows.index("\n", 200) + 1], rows],
    )
    assert broken == 0
    assert scrolls == [True, True]


async def test_many_definitions_that_come_late_share_no_frame(page: Page) -> None:
    at_once, in_the_end = await page.evaluate(
        """async (texts) => {
          const { show, settled } = await markdown;
          const element = show(texts);
          const linked = () => element.querySelectorAll("p .note-link").length;
          const before = linked();
          await settled();
          return [before, linked()];
        }""",
        ["n[^1] " * 10_000, "\n\n[^1]: The note.\n"],
    )
    assert at_once < in_the_end == 10_000


async def test_where_groups_end_depends_on_the_text_alone(page: Page) -> None:
    """And not on which blocks were let go of when they were counted."""
    table = "|a|b|\n|-|-|\n" + "|x|y|\n" * 21 + "\n"
    items = "- a\n  - b\n" * 11 + "\n\n"
    text = f"{table}para\n\npara\n\n{items}Text.\n\nText.\n"
    different = "async (all) => (await markdown).different(all)"
    pieces = [*cuts(text), *([text[:at], text[at:]] for at in range(6, len(text), 9))]
    assert await page.evaluate(different, [[text, pieces]]) == []
