"""The parts of the composer, each on a page that holds nothing else."""

import base64
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, CDPSession, Error, Page, Route

from harness.chatpage import until
from harness.serving import Serve
from pageside.browser.launch import launch

pytestmark = pytest.mark.anyio


@pytest.fixture
async def page(context: BrowserContext, serve: Serve) -> Page:
    """The server's origin, headers and modules; the elements are each test's own."""
    page = await context.new_page()
    await page.goto(f"{serve()}/web/headless.html")
    return page


@pytest.fixture
async def cdp(page: Page, context: BrowserContext) -> CDPSession:
    return await context.new_cdp_session(page)


# ---- files

FILES = """async () => {
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = "/web/composer/composer.css";
  const prompt = document.createElement("textarea");
  prompt.rows = 20;
  const attach = document.createElement("button");
  attach.textContent = "Attach";
  document.head.append(style);
  document.body.append(attach, prompt);
  globalThis.troubles = [];
  const { serveFiles } = await import("/web/composer/files.js");
  const onTrouble = (failure) => troubles.push(failure);
  serveFiles({ target: document.body, prompt, attach, onTrouble });
}"""


class Desk:
    """A prompt, a button to attach files, and a folder to take them from."""

    def __init__(self, page: Page, cdp: CDPSession, folder: Path) -> None:
        self.page = page
        self.cdp = cdp
        self.folder = folder
        self.prompt = page.locator("textarea")
        self.hint = page.locator(".drop-hint")

    def file(self, name: str, content: bytes = b"text\n") -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    async def pick(self, *paths: Path) -> None:
        async with self.page.expect_file_chooser() as choosing:
            await self.page.get_by_role("button", name="Attach").click()
        await (await choosing.value).set_files(list(paths))

    async def drag(self, kind: str, *paths: Path, text: str | None = None) -> None:
        box = await self.prompt.bounding_box()
        assert box is not None
        item = {"mimeType": "text/plain", "data": text}
        data = {
            "items": [] if text is None else [item],
            "files": [str(path) for path in paths],
            "dragOperationsMask": 1,
        }
        at = {"x": box["x"] + 20, "y": box["y"] + 20}
        await self.cdp.send("Input.dispatchDragEvent", {"type": kind, **at, "data": data})

    async def drop(self, *paths: Path) -> None:
        """Moves between, as a hand does: what is over the page by now is what they fall on."""
        await self.drag("dragEnter", *paths)
        await self.drag("dragOver", *paths)
        await until(self.hint.is_visible, bool)
        await self.drag("dragOver", *paths)
        await self.drag("drop", *paths)

    async def troubles(self) -> list[dict[str, str]]:
        return await self.page.evaluate("() => troubles")

    async def assert_reads(self, value: str) -> None:
        await until(self.prompt.input_value, lambda said: said == value)

    async def refuses(self, *codes: str) -> list[dict[str, str]]:
        troubles = await until(self.troubles, lambda found: len(found) >= len(codes))
        assert [trouble["code"] for trouble in troubles] == list(codes)
        return troubles


@pytest.fixture
async def desk(page: Page, cdp: CDPSession, tmp_path: Path) -> Desk:
    await page.evaluate(FILES)
    folder = tmp_path / "files"
    folder.mkdir()
    return Desk(page, cdp, folder)


def block(name: str, language: str, text: str, fence: str = "```") -> str:
    return f"{name}\n{fence}{language}\n{text}{fence}\n"


async def test_files_are_fenced_in_order_at_the_caret(desk: Desk) -> None:
    await desk.prompt.fill("Compare these.Thanks")
    await desk.prompt.evaluate("prompt => prompt.setSelectionRange(8, 14)")
    await desk.pick(
        desk.file("b.py", b"print('\xe4\xb8\x96')\r\n"),
        desk.file("a.md", b"```\n````js\n````\n```"),
        desk.file("Makefile", b"all:\n"),
        desk.file("odd.constructor", b"x"),
    )
    first = block("b.py", "python", "print('世')\n")
    second = block("a.md", "markdown", "```\n````js\n````\n```\n", "`````")
    third = block("Makefile", "makefile", "all:\n")
    fourth = block("odd.constructor", "", "x\n")
    files = "\n".join((first, second, third, fourth))
    await desk.assert_reads(f"Compare these.\n\n{files}\nThanks")
    await desk.page.keyboard.type("And ")
    await desk.assert_reads(f"Compare these.\n\n{files}\nAnd Thanks")
    assert await desk.troubles() == []


async def test_ctrl_z_takes_them_out_and_brings_back_what_was_there(desk: Desk) -> None:
    await desk.prompt.click()
    await desk.page.keyboard.type("Look: ")
    await desk.pick(desk.file("a.txt", b"one\ntwo\n" * 40), desk.file("b.txt"))
    files = "\n".join((block("a.txt", "text", "one\ntwo\n" * 40), block("b.txt", "text", "text\n")))
    await desk.assert_reads(f"Look: \n\n{files}")
    await desk.page.keyboard.press("Control+z")
    assert await desk.prompt.input_value() == "Look: "
    await desk.page.keyboard.press("Control+Shift+z")
    assert await desk.prompt.input_value() == f"Look: \n\n{files}"


async def test_ctrl_z_takes_out_what_is_too_long_to_be_typed(desk: Desk) -> None:
    """20,000 lines: typed by a script they would hold up the page for minutes."""
    await desk.prompt.click()
    await desk.page.keyboard.type("Look: here")
    await desk.prompt.evaluate("prompt => prompt.setSelectionRange(6, 6)")
    long = b"one two three four five six seven eight nine ten\n" * 20_000
    await desk.pick(desk.file("a.txt", long))
    whole = f"Look: \n\n{block('a.txt', 'text', long.decode())}\nhere"
    await desk.assert_reads(whole)
    await desk.page.keyboard.type("ab")
    await desk.page.keyboard.press("Control+z")
    assert await desk.prompt.input_value() == whole, "first what was typed after it"
    await desk.page.keyboard.press("Control+z")
    assert await desk.prompt.input_value() == "Look: here"
    await desk.page.keyboard.type("and ")
    assert await desk.prompt.input_value() == "Look: and here"


async def test_they_come_where_nothing_can_be_typed_by_a_script(desk: Desk) -> None:
    await desk.page.evaluate("() => { document.execCommand = () => false; }")
    await desk.prompt.evaluate(
        "prompt => prompt.addEventListener('input', () => (globalThis.seen = prompt.value))"
    )
    await desk.prompt.fill("Look")
    await desk.pick(desk.file("a.txt"))
    await desk.assert_reads(f"Look\n\n{block('a.txt', 'text', 'text' + chr(10))}")
    assert await desk.page.evaluate("() => seen") == await desk.prompt.input_value()


@pytest.mark.parametrize(
    ("before", "shown"), [("", ""), ("a", "a\n\n"), ("a\n", "a\n\n"), ("a\n\n", "a\n\n")]
)
async def test_they_are_paragraphs_of_their_own(desk: Desk, before: str, shown: str) -> None:
    await desk.prompt.fill(before)
    await desk.pick(desk.file("a.txt"))
    await desk.assert_reads(f"{shown}{block('a.txt', 'text', 'text' + chr(10))}")


async def test_the_same_file_may_come_again(desk: Desk) -> None:
    once = block("a.txt", "text", "text\n")
    path = desk.file("a.txt")
    await desk.pick(path)
    await desk.assert_reads(once)
    await desk.pick(path)
    await desk.assert_reads(f"{once}\n{once}")


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"a\0b", "file_binary", "it is no text in UTF-8 or UTF-16"),
        (b"\x89PNG\r\n\x1a\n", "file_binary", "it is no text in UTF-8 or UTF-16"),
        (b"caf\xe9", "file_binary", "it is no text in UTF-8 or UTF-16"),
        ("世".encode()[:-1], "file_binary", "it is no text in UTF-8 or UTF-16"),
        (b"\xff\xfea", "file_binary", "it is no text in UTF-8 or UTF-16"),
        (b"\xff\xfe\0\0a\0\0\0", "file_binary", "it is no text in UTF-8 or UTF-16"),
        (b"x" * 1_000_001, "file_large", "1 MB is the most"),
        (b"", "file_empty", "it is empty"),
        (b"\xef\xbb\xbf", "file_empty", "it is empty"),
    ],
)
async def test_what_is_no_text_is_refused_and_the_others_are_not(
    desk: Desk, content: bytes, code: str, said: str
) -> None:
    await desk.pick(desk.file("no.bin", content), desk.file("yes.txt"))
    (trouble,) = await desk.refuses(code)
    assert trouble["message"].startswith("“no.bin” was left out: it is ")
    assert said in trouble["message"]
    await desk.assert_reads(block("yes.txt", "text", "text\n"))


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff世界 🌍\r\n".encode(),
        b"\xff\xfe" + "世界 🌍\r\n".encode("utf-16-le"),
        b"\xfe\xff" + "世界 🌍\r\n".encode("utf-16-be"),
        "世界 🌍\r".encode(),
    ],
)
async def test_encodings_that_say_what_they_are(desk: Desk, content: bytes) -> None:
    await desk.pick(desk.file("a.txt", content))
    await desk.assert_reads(block("a.txt", "text", "世界 🌍\n"))
    assert await desk.troubles() == []


async def test_the_most_is_for_all_that_come_at_once(desk: Desk) -> None:
    half, rest = b"x" * 600_000, b"y" * 400_000
    await desk.pick(desk.file("a", half), desk.file("b", half), desk.file("c", rest))
    (trouble,) = await desk.refuses("file_large")
    assert "“b”" in trouble["message"]
    files = (block("a", "", f"{half.decode()}\n"), block("c", "", f"{rest.decode()}\n"))
    await desk.assert_reads("\n".join(files))


async def test_a_file_that_is_gone_is_named(desk: Desk) -> None:
    path = desk.file("a.txt")
    await desk.page.evaluate(
        """() => {
          const input = document.createElement("input");
          input.type = "file";
          document.body.append(input);
        }"""
    )
    await desk.page.locator("input[type=file]").set_input_files(path)
    path.unlink()
    await desk.prompt.evaluate(
        """(prompt) => {
          const clipboardData = new DataTransfer();
          clipboardData.items.add(document.querySelector("input").files[0]);
          const init = { clipboardData, bubbles: true, cancelable: true };
          prompt.dispatchEvent(new ClipboardEvent("paste", init));
        }"""
    )
    (trouble,) = await desk.refuses("file_unreadable")
    assert "“a.txt” was left out: it cannot be read" in trouble["message"]
    assert await desk.prompt.input_value() == ""


async def test_dropped_files_with_a_hint_while_they_are_over_the_page(desk: Desk) -> None:
    paths = (desk.file("a.py", b"1\n"), desk.file("b.rs", b"2\n"))
    assert await desk.hint.is_hidden()
    await desk.drag("dragEnter", *paths)
    await desk.drag("dragOver", *paths)
    await until(desk.hint.is_visible, bool)
    assert "Drop text files" in await desk.hint.inner_text()
    size = await desk.page.evaluate("() => ({ width: innerWidth, height: innerHeight })")
    assert await desk.hint.bounding_box() == {"x": 0, "y": 0, **size}
    await desk.drag("dragOver", *paths)  # now over the hint
    await desk.drag("drop", *paths)
    await desk.assert_reads(
        "\n".join((block("a.py", "python", "1\n"), block("b.rs", "rust", "2\n")))
    )
    assert await desk.hint.is_hidden()


async def test_the_hint_goes_when_the_files_leave_the_page(desk: Desk) -> None:
    """The debugger can take no files away again: that they leave is told to the hint."""
    path = desk.file("a.txt")
    for _ in range(2):
        await desk.drag("dragEnter", path)
        await desk.drag("dragOver", path)
        await until(desk.hint.is_visible, bool)
        await desk.hint.dispatch_event("dragleave")
        assert await desk.hint.is_hidden()
    assert await desk.prompt.input_value() == ""


async def test_a_folder_is_refused(desk: Desk) -> None:
    folder = desk.folder / "folder"
    folder.mkdir()
    await desk.drop(folder, desk.file("a.txt"))
    (trouble,) = await desk.refuses("file_folder")
    assert "“folder” was left out: it is a folder" in trouble["message"]
    await desk.assert_reads(block("a.txt", "text", "text\n"))


async def test_dragged_text_is_the_browsers(desk: Desk) -> None:
    await desk.drag("dragEnter", text="dragged")
    await desk.drag("dragOver", text="dragged")
    assert await desk.hint.is_hidden()
    await desk.drag("drop", text="dragged")
    await desk.assert_reads("dragged")


PASTE = """(prompt, pasted) => {
  for (const files of pasted) {
    const clipboardData = new DataTransfer();
    for (const [name, text] of files) clipboardData.items.add(new File([text], name));
    const init = { clipboardData, bubbles: true, cancelable: true };
    prompt.dispatchEvent(new ClipboardEvent("paste", init));
  }
}"""


async def test_pasted_files_keep_their_order_while_others_are_read(desk: Desk) -> None:
    await desk.prompt.evaluate(PASTE, [[["a.c", "x" * 900_000], ["b.c", "y"]], [["c.c", "z"]]])
    texts = [("a.c", "x" * 900_000), ("b.c", "y"), ("c.c", "z")]
    await desk.assert_reads("\n".join(block(name, "c", f"{text}\n") for name, text in texts))


CLIPBOARD = """async (hasText) => {
  const canvas = new OffscreenCanvas(2, 2);
  canvas.getContext("2d").fillRect(0, 0, 2, 2);
  const items = { "image/png": await canvas.convertToBlob() };
  if (hasText) items["text/plain"] = new Blob(["words"], { type: "text/plain" });
  await navigator.clipboard.write([new ClipboardItem(items)]);
}"""


@pytest.mark.parametrize("has_text", [False, True])
async def test_a_pasted_picture_is_refused_unless_it_is_of_text(
    desk: Desk, context: BrowserContext, has_text: bool
) -> None:
    await context.grant_permissions(["clipboard-write"])
    await desk.page.evaluate(CLIPBOARD, has_text)
    await desk.prompt.focus()
    await desk.page.keyboard.press("Control+v")
    if has_text:
        await desk.assert_reads("words")
        assert await desk.troubles() == []
    else:
        await desk.refuses("file_binary")
        assert await desk.prompt.input_value() == ""


# ---- drafts

DRAFTS = """async () => {
  const { Drafts } = await import("/web/composer/drafts.js");
  globalThis.troubles = [];
  globalThis.drafts = new Drafts(undefined, (failure) => troubles.push(failure));
}"""
MODULE = Path(__file__).resolve().parents[2] / "web" / "composer" / "drafts.js"
STORED = "() => Object.values(localStorage).join('')"


@pytest.fixture
async def drafting(page: Page) -> Page:
    """With `drafts` and `troubles`."""
    await page.evaluate(DRAFTS)
    return page


async def draft(page: Page, conversation: str) -> str:
    return await page.evaluate("(id) => drafts.of(id)", conversation)


async def test_a_draft_is_written_when_typing_rests_and_not_before(drafting: Page) -> None:
    at_once = await drafting.evaluate(
        """() => {
          for (const text of ["a", "ab", "abc"]) drafts.keep("one", text);
          return [drafts.of("one"), localStorage.length];
        }"""
    )
    assert at_once == ["abc", 0]
    await until(lambda: drafting.evaluate(STORED), lambda stored: "abc" in stored)


async def test_what_was_typed_last_survives_a_reload(drafting: Page) -> None:
    await drafting.evaluate("() => { drafts.keep('one', '世界\\n'); drafts.keep('two', 'b'); }")
    await drafting.reload()
    await drafting.evaluate(DRAFTS)
    assert [await draft(drafting, name) for name in ("one", "two", "three")] == ["世界\n", "b", ""]


async def test_a_page_that_is_hidden_has_written(drafting: Page) -> None:
    stored = await drafting.evaluate(
        """() => {
          drafts.keep("one", "hidden soon");
          document.dispatchEvent(new Event("visibilitychange"));
          const shown = localStorage.length;
          Object.defineProperty(document, "hidden", { get: () => true });
          document.dispatchEvent(new Event("visibilitychange"));
          return [shown, Object.values(localStorage).includes("hidden soon")];
        }"""
    )
    assert stored == [0, True]


async def test_what_was_sent_is_no_draft(drafting: Page) -> None:
    left = await drafting.evaluate(
        """() => {
          drafts.keep("one", "text");
          drafts.flush();
          const before = Object.values(localStorage).includes("text");
          drafts.keep("one", "");
          return [before, drafts.of("one"), Object.values(localStorage).filter(Boolean)];
        }"""
    )
    assert left == [True, "", []]


async def test_all_can_be_forgotten(drafting: Page) -> None:
    left = await drafting.evaluate(
        """() => {
          localStorage.setItem("another", "stays");
          drafts.keep("one", "1");
          drafts.flush();
          drafts.keep("two", "2");
          drafts.clear();
          drafts.flush();
          return [drafts.of("one"), drafts.of("two"), { ...localStorage }];
        }"""
    )
    assert left == ["", "", {"another": "stays"}]


KEEP = """(all) => {
  for (const [conversation, text] of all) {
    drafts.keep(conversation, text);
    drafts.flush();
  }
}"""


async def test_fifty_are_kept_and_the_oldest_go(drafting: Page) -> None:
    await drafting.evaluate(KEEP, [[f"c{i}", f"text {i}"] for i in range(50)])
    await drafting.evaluate(KEEP, [["c1", "again"], ["c50", "text 50"], ["c51", "text 51"]])
    found = [await draft(drafting, f"c{i}") for i in range(52)]
    assert found == ["", "again", "", *(f"text {i}" for i in range(3, 52))]
    assert await drafting.evaluate("() => localStorage.length") == 51, "the texts and their index"
    await drafting.evaluate(KEEP, [["none", ""], ["c9", ""]])
    assert await draft(drafting, "c3") == "text 3", "nothing goes for what is not kept"


async def test_a_million_characters_are_kept_and_the_oldest_go(drafting: Page) -> None:
    await drafting.evaluate(KEEP, [[f"c{i}", str(i) * 300_000] for i in range(5)])
    lengths = [len(await draft(drafting, f"c{i}")) for i in range(5)]
    assert lengths == [0, 0, 300_000, 300_000, 300_000]
    await drafting.evaluate(KEEP, [["c2", "short"], ["c5", "5" * 300_000]])
    assert [len(await draft(drafting, f"c{i}")) for i in (2, 3, 5)] == [5, 300_000, 300_000]
    assert await drafting.evaluate("() => troubles") == []


async def test_one_that_is_too_long_lasts_as_long_as_the_page(drafting: Page) -> None:
    await drafting.evaluate(KEEP, [["a", "kept"], ["b", "x" * 1_000_001], ["b", "y" * 1_000_001]])
    assert len(await draft(drafting, "b")) == 1_000_001
    assert await draft(drafting, "a") == "kept"
    (trouble,) = await drafting.evaluate("() => troubles")
    assert trouble["code"] == "drafts_unkept"
    assert "too long" in trouble["message"]


async def test_a_full_storage_is_told_once_and_nothing_is_lost(drafting: Page) -> None:
    await drafting.evaluate(KEEP, [["a", "before"]])
    await drafting.evaluate(
        """() => {
          for (let size = 2 ** 23; size >= 1; size /= 2) {
            try {
              for (;;) localStorage.setItem(`filler ${Math.random()}`, "x".repeat(size));
            } catch (error) {
              if (error.name !== "QuotaExceededError") throw error;
            }
          }
        }"""
    )
    await drafting.evaluate(KEEP, [["b", "1" * 3000], ["c", "2" * 3000], ["b", "3" * 3000]])
    found = [await draft(drafting, name) for name in ("a", "b", "c")]
    assert found == ["before", "3" * 3000, "2" * 3000]
    (trouble,) = await drafting.evaluate("() => troubles")
    assert trouble["code"] == "drafts_unkept"
    assert "quota" in trouble["message"]


async def test_a_refused_storage_is_told_once_and_drafts_live_in_memory(
    context: BrowserContext, serve: Serve
) -> None:
    """A sandboxed document has no origin of its own, and so no storage, and no modules of ours."""
    page = await context.new_page()

    async def sandboxed(route: Route) -> None:
        headers = {"content-type": "text/html", "content-security-policy": "sandbox allow-scripts"}
        await route.fulfill(headers=headers, body="<!doctype html>")

    await page.route("**/*", sandboxed)
    await page.goto(serve())
    refused = "() => { try { return localStorage.length; } catch (error) { return error.name; } }"
    assert await page.evaluate(refused) == "SecurityError"
    module = base64.b64encode(MODULE.read_bytes()).decode()
    own = DRAFTS.replace("/web/composer/drafts.js", f"data:text/javascript;base64,{module}")
    await page.evaluate(own)
    await page.evaluate(KEEP, [[f"c{i}", f"text {i}"] for i in range(60)])
    assert [await draft(page, f"c{i}") for i in (0, 9, 10, 59)] == ["", "", "text 10", "text 59"]
    troubles: list[dict[str, str]] = await page.evaluate("() => troubles")
    assert [trouble["code"] for trouble in troubles] == ["drafts_unkept"]


async def test_two_tabs_keep_each_others_drafts(drafting: Page, context: BrowserContext) -> None:
    other = await context.new_page()
    await other.goto(drafting.url)
    await other.evaluate(DRAFTS)
    await drafting.evaluate(KEEP, [["a", "1"]])
    await other.evaluate(KEEP, [["b", "2"]])
    await drafting.evaluate(KEEP, [["c", "3"]])
    # Another tab may be another process, which learns of a change a little later.
    for page in (drafting, other):
        for name, text in (("a", "1"), ("b", "2"), ("c", "3")):
            assert await until(partial(draft, page, name), bool) == text
    await other.evaluate("() => drafts.clear()")
    length = partial(drafting.evaluate, "() => localStorage.length")
    assert await until(length, lambda length: length == 0) == 0


# ---- keys

KEYS = """async () => {
  const { submitOnEnter } = await import("/web/composer/keys.js");
  const prompt = document.createElement("textarea");
  document.body.append(prompt);
  globalThis.sent = [];
  submitOnEnter(prompt, () => sent.push(prompt.value));
  prompt.focus();
}"""


async def press_enter(cdp: CDPSession, key_code: int) -> None:
    key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": key_code}
    for kind in ("rawKeyDown", "keyUp"):
        await cdp.send("Input.dispatchKeyEvent", {"type": kind, **key})


async def compose(cdp: CDPSession, text: str) -> None:
    at = len(text)
    composition = {"text": text, "selectionStart": at, "selectionEnd": at}
    await cdp.send("Input.imeSetComposition", composition)


async def test_enter_sends_and_shift_enter_does_not(page: Page) -> None:
    await page.evaluate(KEYS)
    await page.keyboard.type("a")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("b")
    assert await page.evaluate("() => sent") == []
    await page.keyboard.press("Enter")
    assert await page.evaluate("() => sent") == ["a\nb"]
    assert await page.locator("textarea").input_value() == "a\nb", "no line of its own"


@pytest.mark.parametrize("key_code", [13, 229])
async def test_an_enter_that_an_input_method_uses_does_not_send(
    page: Page, cdp: CDPSession, key_code: int
) -> None:
    await page.evaluate(KEYS)
    await compose(cdp, "nihao")
    assert await page.locator("textarea").input_value() == "nihao"
    await press_enter(cdp, key_code)
    assert await page.evaluate("() => sent") == []
    await cdp.send("Input.insertText", {"text": "你好"})
    assert await page.locator("textarea").input_value() == "你好"
    await press_enter(cdp, 13)
    assert await page.evaluate("() => sent") == ["你好"]


async def test_safari_ends_a_composition_before_the_key(page: Page, cdp: CDPSession) -> None:
    await page.evaluate(KEYS)
    await compose(cdp, "ni")
    await cdp.send("Input.insertText", {"text": "你"})
    await press_enter(cdp, 229)
    assert await page.evaluate("() => sent") == []


# ---- the count

COUNT = """async ({ before, contextWindow }) => {
  const { PromptCount } = await import("/web/composer/count.js");
  const element = document.createElement("p");
  document.body.append(element);
  globalThis.asked = [];
  const count = (text) => new Promise((resolve) => asked.push({ text, resolve }));
  globalThis.counter = new PromptCount(element, count, () => before, () => contextWindow);
}"""


class Counter:
    """A count whose answers the test gives, on a clock that the test moves."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.line = page.locator("p")

    async def build(self, before: int = 0, context_window: int | None = None) -> None:
        await self.page.evaluate(COUNT, {"before": before, "contextWindow": context_window})

    async def type(self, *texts: str) -> None:
        await self.page.evaluate("(texts) => texts.forEach((text) => counter.changed(text))", texts)

    async def rest(self, ms: int) -> list[str]:
        """The texts that a count has been asked of by then."""
        await self.page.clock.run_for(ms)
        return await self.page.evaluate("() => asked.map(({ text }) => text)")

    async def answer(self, which: int, counted: dict[str, Any] | None) -> None:
        await self.page.evaluate(
            "async ([which, counted]) => asked[which].resolve(counted)", [which, counted]
        )

    async def shown(self) -> tuple[str, bool]:
        """The words, and whether they warn."""
        is_over = await self.line.evaluate("(line) => line.classList.contains('over')")
        return await self.line.text_content() or "", is_over


def tokens(count: int, at_least: bool = False) -> dict[str, Any]:
    return {"tokens": count, "isAtLeast": at_least}


@pytest.fixture(scope="module")
async def clocked(anyio_backend: str) -> AsyncIterator[BrowserContext]:
    """A browser of its own: a clock that is moved is that of all its pages, also of later ones."""
    async with launch() as browser:
        yield browser.context


@pytest.fixture
async def counter(clocked: BrowserContext, serve: Serve) -> Counter:
    page = await clocked.new_page()
    await page.clock.install(time=0)
    await page.goto(f"{serve()}/web/headless.html")
    await page.clock.pause_at(1_000_000)
    return Counter(page)


async def test_tokens_are_counted_when_typing_rests(counter: Counter) -> None:
    await counter.build()
    await counter.type("a")
    assert await counter.rest(250) == []
    await counter.type("ab", "abc")
    assert await counter.rest(299) == []
    assert await counter.rest(1) == ["abc"]
    await counter.answer(0, tokens(1234))
    assert await counter.shown() == ("1,234 tokens", False)
    await counter.type("abcd")
    assert await counter.shown() == ("", False), "a count of another text is no count"
    assert await counter.rest(1000) == ["abc", "abcd"]


async def test_the_newest_wins(counter: Counter) -> None:
    await counter.build()
    await counter.type("one")
    await counter.rest(300)
    await counter.type("two")
    assert await counter.rest(300) == ["one", "two"]
    await counter.answer(1, tokens(2))
    await counter.answer(0, tokens(1))
    assert await counter.shown() == ("2 tokens", False)


async def test_an_empty_prompt_has_no_count(counter: Counter) -> None:
    await counter.build()
    await counter.type("one")
    await counter.rest(300)
    await counter.type("")
    await counter.answer(0, tokens(1))
    assert await counter.shown() == ("", False)
    await counter.type(" \n ")
    assert await counter.rest(1000) == ["one"]


async def test_what_cannot_be_told_is_not_shown(counter: Counter) -> None:
    errors: list[Error] = []
    counter.page.on("pageerror", lambda error: errors.append(error))
    await counter.build()
    await counter.type("one")
    await counter.rest(300)
    await counter.answer(0, None)
    assert await counter.shown() == ("", False)
    assert errors == []


TOO_LONG = "too long. Shorten it, or start a new chat"
TOO_LONG_ALONE = "too long for this model. Shorten it"


@pytest.mark.parametrize(
    ("before", "window", "counted", "shown"),
    [
        (0, None, tokens(1), "1 token"),
        (0, None, tokens(1000, True), "≥ 1,000 tokens"),
        (0, 2048, tokens(2047), "2,047 of 2,048 tokens"),
        (0, 2048, tokens(2048), f"2,048 of 2,048 tokens: {TOO_LONG_ALONE}"),
        (47, 2048, tokens(2000), "2,000 tokens; with the conversation 2,047 of 2,048"),
        (48, 2048, tokens(2000), f"With the conversation 2,048 of 2,048 tokens: {TOO_LONG}"),
        (9, 20, tokens(90, True), f"With the conversation ≥ 99 of 20 tokens: {TOO_LONG}"),
    ],
)
async def test_what_is_shown(
    counter: Counter,
    before: int,
    window: int | None,
    counted: dict[str, Any],
    shown: str,
) -> None:
    await counter.build(before, window)
    await counter.type("text")
    await counter.rest(300)
    await counter.answer(0, counted)
    words, is_over = await counter.shown()
    assert words == shown
    assert is_over == ("too long" in shown)
    await counter.type("")
    assert await counter.shown() == ("", False), "and the warning goes"
