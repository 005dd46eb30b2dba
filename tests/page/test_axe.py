"""The page by axe-core: nothing serious in any state, any colours, any size, either language."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page, Route

from harness import scripts
from harness.chatpage import ChatPage, until
from harness.serving import Serve

pytestmark = pytest.mark.anyio

# From npm, as package-lock.json pins it; scripts/test installs it.
AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
BARRED = {"serious", "critical"}

RICH = """<think>
Let me *see*: `code`.
</think>

# A title

A paragraph with **strong**, *emphasis*, ~~deleted~~ and `code`, [a link](https://example.org) and a
note[^1]. A formula: $a^2 + b^2 = c^2$.

## Lists

- one
- two
  1. first
  2. second
- [x] done
- [ ] to do

> Quoted, with `code` and [a link](https://example.org).

```python
# a comment
def f(x: int) -> str:
    return f"{x}" + 'text'
```

```
plain
```

| left | right |
|:-----|------:|
| `a`  |   1   |
| b    |   2   |

![a picture](https://example.org/picture.png)

---

$$\\frac{a}{b}$$

<b>markup</b>

[^1]: The note.
"""

SCRIPTS: dict[str, list[scripts.Event]] = {
    "rich": scripts.tokens(scripts.random_pieces(RICH, 1)),
    "streaming": [*scripts.tokens(scripts.random_pieces(RICH, 2)), {"stall_ms": 600_000}],
    "never": [],
    "failed": [*scripts.words(40), {"error": "the tensor is on fire"}],
}


Reach = Callable[[ChatPage], Awaitable[None]]


async def ready(chat: ChatPage) -> None:
    await until(chat.status, lambda said: said.startswith(("Ready", "就绪")))


async def loading(chat: ChatPage) -> None:
    await chat.reach(await chat.send("go"), "loading")


async def streaming(chat: ChatPage) -> None:
    answer = await chat.send("go")
    await answer.get_by_text("The note.").wait_for()
    assert await chat.state(answer) == "streaming"
    await chat.reach(await chat.send("and then?"), "queued")


async def done(chat: ChatPage) -> None:
    answer = await chat.send("What is *this*?")
    assert await chat.ended(answer) == "done"
    await answer.locator("math").nth(1).wait_for()
    await answer.locator("details summary").first.click()


async def failed(chat: ChatPage) -> None:
    assert await chat.ended(await chat.send("go")) == "failed"


async def settings(chat: ChatPage) -> None:
    await done(chat)
    await chat.page.keyboard.press("Control+,")
    await chat.page.locator("#settings summary").click()


async def conversations(chat: ChatPage) -> None:
    await done(chat)
    await chat.page.keyboard.press("Control+k")
    await chat.page.get_by_test_id("menu-conversation").click()


async def gauges(chat: ChatPage) -> None:
    await done(chat)
    await chat.page.keyboard.press("F2")
    await chat.page.get_by_role("region").get_by_text("JSON").wait_for()


async def editing(chat: ChatPage) -> None:
    await done(chat)
    await chat.page.keyboard.press("ArrowUp")


# The way to a state, and the script that is played meanwhile. A new state is one line here.
STATES: dict[str, tuple[Reach, str]] = {
    "welcome": (ready, "rich"),
    "loading": (loading, "never"),
    "streaming": (streaming, "streaming"),
    "done": (done, "rich"),
    "failed": (failed, "failed"),
    "settings": (settings, "rich"),
    "conversations": (conversations, "rich"),
    "gauges": (gauges, "rich"),
    "editing": (editing, "rich"),
}


async def light(page: Page) -> None:
    await page.emulate_media(color_scheme="light")


async def dark(page: Page) -> None:
    await page.emulate_media(color_scheme="dark")


async def phone(page: Page) -> None:
    await page.set_viewport_size({"width": 360, "height": 640})


async def chinese(page: Page) -> None:
    language = "Object.defineProperty(navigator, 'language', { get: () => 'zh-CN' });"
    await page.add_init_script(language)


LOOKS: dict[str, Callable[[Page], Awaitable[None]]] = {
    "light": light,
    "dark": dark,
    "phone": phone,
    "Chinese": chinese,
}


async def never(route: Route) -> None:
    """The engine waits for its script, and so loads for ever."""


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("state", STATES)
async def test_nothing_serious(
    state: str, look: str, context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    reach, script = STATES[state]
    page = await context.new_page()
    await LOOKS[look](page)
    if script == "never":
        await page.route("**/api/script", never)
    await page.goto(serve(script=scripts.write(tmp_path, SCRIPTS[script])))
    await reach(ChatPage(page))
    assert await violations(page) == []


async def test_a_fault_would_be_found(context: BrowserContext, serve: Serve) -> None:
    page = await context.new_page()
    await page.goto(serve())
    await ready(ChatPage(page))
    await page.evaluate(
        """() => {
          const button = document.createElement("button");
          const faint = document.createElement("p");
          faint.textContent = "faint";
          faint.style.cssText = "color: #aaa; background: #fff";
          document.querySelector("header").append(button, faint);
        }"""
    )
    found = {line.split(":")[0] for line in await violations(page)}
    assert {"critical button-name", "serious color-contrast"} <= found


async def violations(page: Page) -> list[str]:
    """One line for each element: impact, rule, element, and what is wrong with it."""
    if not AXE.is_file():
        pytest.fail("axe-core is not installed: run scripts/test, or npm ci", pytrace=False)
    # By the debugger: the page's own policy lets no script in.
    session = await page.context.new_cdp_session(page)
    await session.send("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
    results: dict[str, Any] = await page.evaluate("() => axe.run(document)")
    assert len(results["passes"]) >= 10, "axe looked at nothing"
    return [
        f"{found['impact']} {found['id']}: {' '.join(map(str, node['target']))}: "
        f"{' '.join(node['failureSummary'].split())}"
        for found in results["violations"]
        if found["impact"] in BARRED
        for node in found["nodes"]
    ]
