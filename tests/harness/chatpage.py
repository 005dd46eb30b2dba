"""The chat page as a person uses it, and as a profiler looks into it."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.async_api import BrowserContext, Locator, Page

PATIENCE_S = 120

# Installed before the page's own scripts. Counts what reaches the page and what
# the page does to its document; changes nothing.
PROBE = """
globalThis.probe = {
  received: [],          // type of every message from a worker
  asked: [],             // what was to be generated
  texts: 0,              // text messages
  acknowledged: 0,       // painted messages
  mostUnpainted: 0,
  workers: 0,
  commits: [],           // time of each append into an answer
  frames: 0,
  mostCommitsInFrame: 0,
  rewrites: 0,           // changes of text that was already there, and removals
  lastMutationAt: 0,
  stopAt: 0,             // when the click on Stop happened
  errors: [],
};
{
  const { probe } = globalThis;
  let inFrame = 0;
  const frame = () => {
    probe.frames += 1;
    inFrame = 0;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);

  const NativeWorker = Worker;
  globalThis.Worker = class extends NativeWorker {
    constructor(...args) {
      super(...args);
      this.isModel = args[1]?.name === "pageside"; // the other one keeps conversations
      if (!this.isModel) return;
      probe.workers += 1;
      probe.last = this;
      this.addEventListener("message", ({ data }) => {
        probe.received.push(data.type);
        if (data.type !== "text") return;
        probe.texts += 1;
        probe.mostUnpainted = Math.max(probe.mostUnpainted, probe.texts - probe.acknowledged);
      });
      this.addEventListener("error", (event) => probe.errors.push(event.message ?? "error"));
    }
    postMessage(message, ...rest) {
      if (this.isModel && message.type === "painted") probe.acknowledged = probe.texts;
      if (this.isModel && message.type === "generate") probe.asked.push(message);
      super.postMessage(message, ...rest);
    }
  };

  const { appendData } = CharacterData.prototype;
  CharacterData.prototype.appendData = function (text) {
    if (probe.commits.at(-1) !== probe.frames) inFrame = 0;
    probe.commits.push(probe.frames);
    return appendData.call(this, text);
  };

  addEventListener("click", (event) => {
    if (event.target.dataset?.testid === "stop") probe.stopAt = event.timeStamp;
  }, true);
  new MutationObserver((records) => {
    for (const record of records) {
      const { target } = record;
      const element = target instanceof Element ? target : target.parentElement;
      if (!element?.closest("[data-testid=message-body]")) continue;
      probe.lastMutationAt = performance.now();
      if (record.removedNodes.length) probe.rewrites += 1;
      const { oldValue } = record;
      if (record.type === "characterData" && !target.data.startsWith(oldValue)) probe.rewrites += 1;
    }
  }).observe(document, {
    subtree: true, childList: true, characterData: true, characterDataOldValue: true,
  });
}
"""


@dataclass
class ChatPage:
    """One tab on the page."""

    page: Page

    @classmethod
    async def open(cls, context: BrowserContext, url: str, *, probe: bool = True) -> "ChatPage":
        page = await context.new_page()
        if probe:
            await page.add_init_script(PROBE)
        await page.goto(f"{url}/")
        return cls(page)

    async def load_anew(self) -> None:
        """The page again, with an empty conversation."""
        await self.page.goto(self.page.url.partition("#")[0])

    async def send(self, prompt: str) -> Locator:
        """Sends as a person does; the answer's message."""
        count = await self.messages().count()
        await self.page.get_by_test_id("prompt").fill(prompt)
        await self.page.keyboard.press("Enter")
        answer = self.messages().nth(count + 1)
        await answer.wait_for(state="attached")
        return answer

    def messages(self) -> Locator:
        return self.page.get_by_test_id("message")

    async def stop(self) -> None:
        """Clicks Stop where it is; Playwright's own click would wait for the page's frames."""
        box = await self.page.get_by_test_id("stop").bounding_box()
        assert box is not None, "there is no Stop to press"
        await self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    async def state(self, answer: Locator) -> str:
        return await answer.get_attribute("data-state") or ""

    async def reach(self, answer: Locator, *states: str) -> str:
        """Waits until the answer is in one of `states`."""
        return await until(lambda: self.state(answer), lambda state: state in states)

    async def ended(self, answer: Locator) -> str:
        return await self.reach(answer, "done", "stopped", "failed")

    async def text(self, answer: Locator) -> str:
        """Of its paragraphs and the like, an empty line between two."""
        body = answer.get_by_test_id("message-body")
        return await body.evaluate(
            """body => [...body.querySelectorAll("p, h1, h2, h3, h4, h5, h6, pre, td, th")]
              .map((block) => block.textContent).join("\\n\\n")"""
        )

    async def act(self, message: Locator, act: str) -> None:
        """Presses a button of a message: "edit", "again", "continue" and the like."""
        await message.locator(f"[data-act={act}]").click()

    async def shown(self) -> list[str]:
        """Every message in its order: its role, and the text that is shown."""
        # In one go: between two questions the page may show another conversation.
        shown: list[str] = await self.messages().evaluate_all(
            """all => all.map((message) => {
              const body = message.querySelector("[data-testid=message-body]");
              return `${message.dataset.role}: ${body?.innerText.trim()}`;
            })"""
        )
        return shown

    async def said(self, message: Locator) -> str:
        """What a message shows, without the space around it."""
        return (await message.get_by_test_id("message-body").inner_text()).strip()

    async def kept(self) -> None:
        """Waits until everything is in the store."""
        await self.page.evaluate("() => pageside.settled()")

    async def status(self) -> str:
        return await self.page.get_by_test_id("status").inner_text()

    async def probe(self) -> dict[str, Any]:
        """What PROBE counted."""
        return await self.page.evaluate("() => ({ ...globalThis.probe, last: undefined })")

    async def ready(self) -> str:
        return await until(self.status, lambda status: status.startswith("Ready"))


async def until(read: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
    """The first value read that holds; fails with the last one read."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds(value := await read()):
        assert time.monotonic() < deadline, f"after {PATIENCE_S} s it is still {value!r}"
        await asyncio.sleep(0.01)
    return value
