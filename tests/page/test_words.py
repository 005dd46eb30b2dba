"""The page in Chinese: nothing is left in English, and nothing is translated in vain."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page

from harness import scripts
from harness.chatpage import ChatPage
from harness.serving import Serve

WEB = Path(__file__).resolve().parents[2] / "web"
WORKER = WEB.parent / "worker"

# Names, units and what people type.
LATIN = re.compile(r"[A-Za-z]{2,}")
KEYS = {"Enter", "Shift", "Esc", "Ctrl"}
NAMES = {"Pageside", "CPU", "Wasm", "WebGPU", "MB", "Worker", "Markdown", "JSON", "Top", *KEYS}


def translated() -> set[str]:
    """The keys of the Chinese table."""
    table = (
        (WEB / "chinese.js")
        .read_text(encoding="utf-8")
        .split("const CHINESE = {")[1]
        .split("\n};")[0]
    )
    entries = re.findall(r'^  (?:"((?:[^"\\]|\\.)+)"|(\w+)):', table, flags=re.MULTILINE)
    return {unquoted(quoted) or bare for quoted, bare in entries}


def unquoted(source: str) -> str:
    """What a string of a script says."""
    said: str = json.loads(f'"{source}"')
    return said


def said() -> set[str]:
    """What the scripts say in so many words, and what the document does."""
    words: set[str] = set()
    for path in WEB.rglob("*.js"):
        if "vendor" not in path.parts:
            script = path.read_text(encoding="utf-8")
            sources = re.findall(r'(?<![#.\w])say\(\s*"((?:[^"\\]|\\.)+)"', script)
            words |= set(map(unquoted, sources))
    page = (WEB / "index.html").read_text(encoding="utf-8")
    for tag, text in re.findall(r"(<\w+[^>]*\bdata-say\b[^>]*>)([^<]*)", page):
        names = re.search(r'data-say="([^"]*)"', tag)
        if names is None:
            words.add(" ".join(text.split()))
        for name in names[1].split() if names else ():
            value = re.search(rf'\b{name}="([^"]*)"', tag)
            assert value is not None, tag
            words.add(value[1])
    return words


def codes() -> set[str]:
    """Of failures, as worker/errors.js lists them and web/ makes them."""
    listed = re.search(r"Codes: ([^.]*)\.", (WORKER / "errors.js").read_text(encoding="utf-8"))
    assert listed is not None
    ours = {
        code
        for path in WEB.rglob("*.js")
        if "vendor" not in path.parts
        for code in re.findall(r'code: "(\w+)"', path.read_text(encoding="utf-8"))
    }
    return set(re.findall(r"\w+", listed[1].replace("*", ""))) | ours


def reasons() -> set[str]:
    """Why a better backend is not used, and the stages of loading."""
    text = (WEB / "backends.js").read_text(encoding="utf-8")
    stages = (WEB / "status.js").read_text(encoding="utf-8").split("STAGES = {")[1].split("}")[0]
    definitions = (
        (WEB / "transcript" / "figures.js").read_text(encoding="utf-8").split("DEFINITIONS =")[1]
    )
    return {
        *re.findall(r'return "((?:this|no) [^"]+)"', text),
        *re.findall(r'"(the (?:only|page)[^"]+)"', text),
        *re.findall(r': "([^"]+)"', stages),
        "".join(re.findall(r'"([^"]+)"', definitions.split(";\n\n")[0])),
    }


def test_everything_is_translated_and_nothing_in_vain() -> None:
    used = said() | codes() | reasons()
    assert len(said()) > 40
    assert used - translated() == set()
    assert translated() - used == set()


@pytest.fixture
async def chinese(context: BrowserContext, serve: Serve, tmp_path: Path) -> AsyncIterator[ChatPage]:
    script = scripts.write(
        tmp_path,
        [
            {"prefill_ms": 30},
            *scripts.tokens(["<think>", "嗯", "</think>", "`好`", "\n\n```\n1\n```\n"]),
        ],
        [*scripts.tokens(["好"]), {"error": "坏了"}],
    )
    page = await context.new_page()
    await page.add_init_script(
        "Object.defineProperty(navigator, 'language', { get: () => 'zh-CN' });"
    )
    await page.goto(f"{serve(script=script)}/")
    yield ChatPage(page)


SHOWN = """() => {
  const shown = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement, data } = texts.currentNode;
    if (data.trim() && !parentElement.closest("noscript, .code code")) shown.push(data);
  }
  for (const element of document.body.querySelectorAll("*")) {
    for (const name of ["title", "aria-label", "placeholder", "alt"]) {
      const value = element.getAttribute(name);
      if (value && !element.closest("noscript")) shown.push(value);
    }
  }
  return shown;
}"""


async def left_in_english(page: Page) -> list[str]:
    shown = await page.evaluate(SHOWN)
    return [text for text in shown if set(LATIN.findall(text)) - NAMES]


@pytest.mark.anyio
async def test_the_page_speaks_chinese(chinese: ChatPage) -> None:
    page = chinese.page
    await page.wait_for_selector("#status:has-text('就绪')")
    assert await page.get_attribute("html", "lang") == "zh-CN"
    assert await left_in_english(page) == []
    answer = await chinese.send("你好")
    assert await chinese.ended(answer) == "done"
    assert await left_in_english(page) == []
    assert await answer.locator("summary").inner_text() == "思考过程"


@pytest.mark.anyio
async def test_a_failure_is_told_in_chinese_with_the_english_behind_it(chinese: ChatPage) -> None:
    for _ in range(2):
        answer = await chinese.send("你好")
        await chinese.ended(answer)
    assert await chinese.state(answer) == "failed"
    problem = await answer.locator(".problem").inner_text()
    assert problem.startswith("脚本在这里报告了错误。（")
    assert "坏了" in problem
    assert await answer.get_by_role("button", name="重试").count() == 1
