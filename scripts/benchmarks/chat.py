"""The chat page, and a peer's page with the same marks on it, as a person uses them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import Page

PATIENCE_S = 300

_LENGTH = """() => {
  const bodies = document.querySelectorAll(
    "[data-testid=message][data-role=assistant] [data-testid=message-body]");
  return bodies[bodies.length - 1]?.textContent.length ?? 0;
}"""
_TEXT = _LENGTH.replace(".length ?? 0", ' ?? ""')
_STATE = """() => {
  const answers = document.querySelectorAll("[data-testid=message][data-role=assistant]");
  return answers[answers.length - 1]?.dataset.state ?? "";
}"""
_STATUS = "() => document.querySelector('[data-testid=status]')?.textContent ?? ''"


async def open_chat(page: Page, url: str) -> None:
    """Goes to `url` and waits until its engine is ready."""
    await page.goto(url)
    await _until(lambda: page.evaluate(_STATUS), lambda status: status.startswith("Ready"))


async def send(page: Page, prompt: str = "Go on.") -> None:
    await page.get_by_test_id("prompt").fill(prompt)
    await page.keyboard.press("Enter")


async def length(page: Page) -> int:
    """Code units of the newest answer that are on the page."""
    found: int = await page.evaluate(_LENGTH)
    return found


async def text(page: Page) -> str:
    found: str = await page.evaluate(_TEXT)
    return found


async def reach_length(page: Page, wanted: int) -> None:
    await _until(lambda: length(page), lambda characters: characters >= wanted)


async def reach_state(page: Page, *wanted: str) -> str:
    """Waits until the newest answer is in one of the states; which one."""
    reached: str = await _until(lambda: page.evaluate(_STATE), lambda state: state in wanted)
    return reached


async def _until(read: Callable[[], Awaitable[Any]], holds: Callable[[Any], bool]) -> Any:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if holds(value := await read()):
                return value
            await asyncio.sleep(0.05)
