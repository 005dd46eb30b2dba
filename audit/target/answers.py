"""The newest answer on the page: where it is, and how far it has come.

The answer is found by a word of it and not kept as a node: pages replace what they have shown.
Looking for it costs one walk of the document, reading its end a fixed 600 characters.
"""

import asyncio
import time

from pageside.audit.errors import AnswerNotFound
from pageside.audit.target.eye import Eye
from pageside.audit.target.recipe import Recipe

# How often a word is waited for: an evaluation of 0.3 ms, so 0.15 % of the page's main thread.
POLL_EVERY_S = 0.2
LOCATE_PATIENCE_S = 30.0

# How long a recipe's selector alone is believed, where the marker is on the page elsewhere.
_SELECTOR_PATIENCE_S = 3.0
_LATEST = 3


class Answers:
    """Finds answers on one page. `selector` is what was found, as a recipe has it; "" for none."""

    def __init__(self, eye: Eye, recipe: Recipe, notes: list[str]) -> None:
        self.selector = recipe.answer
        self._eye = eye
        self._recipe = recipe
        self._notes = notes
        self._marker = ""

    def forget(self) -> None:
        """A prompt is being sent: the newest answer is another now."""
        self._marker = ""

    async def locate(self, marker: str, patience_s: float = LOCATE_PATIENCE_S) -> None:
        """Waits for text with `marker`. Raises AnswerNotFound."""
        started = time.monotonic()
        while not await self._find(marker, time.monotonic() - started):
            if time.monotonic() - started > patience_s:
                raise AnswerNotFound(
                    f"{marker!r} is nowhere on {self._eye.page.url} after {patience_s:.0f} s",
                    hint="see that the page's backend asks the upstream that the audit plays, and "
                    'name the answers in a recipe: answer = "div.reply"',
                )
            await asyncio.sleep(POLL_EVERY_S)
        self._marker = marker
        self.selector = self.selector or await self._eye.ask("answerSelector")

    async def text(self) -> str:
        """The whole text, with a line break wherever a word ends for certain."""
        text = await self._eye.ask("answerText")
        if text is None and await self._find_again():
            text = await self._eye.ask("answerText")
        return text or ""

    async def last_word(self) -> int:
        """The highest numbered word near the end; -1 for none."""
        number = await self._eye.ask("lastWord")
        if (number is None or number < 0) and await self._find_again():
            number = await self._eye.ask("lastWord")
        return -1 if number is None else int(number)

    async def wait_for_word(self, number: int, timeout_s: float, every_s: float) -> bool:
        """Until it is there; False once `timeout_s` is over, also where the page is frozen."""
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    if await self.last_word() >= number:
                        return True
                    await asyncio.sleep(every_s)
        except TimeoutError:
            return False

    async def _find(self, marker: str, waited_s: float) -> bool:
        if not self._recipe.answer:
            return bool(await self._eye.ask("findAnswer", marker))
        for place in range(1, _LATEST + 1):
            element = await self._eye.nth_last(place, self._recipe.answer, "answer")
            if element is None:
                break
            is_it = await self._eye.ask("useAnswer", element, marker)
            await self._eye.release(element)
            if is_it:
                return True
        if waited_s < _SELECTOR_PATIENCE_S or not await self._eye.ask("findAnswer", marker):
            return False
        self._notes.append(
            f"answer = {self._recipe.answer!r} of the recipe {self._recipe.name} does not find the "
            "newest answer; it was found by its text"
        )
        return True

    async def _find_again(self) -> bool:
        """After the page replaced the element."""
        if not self._marker:
            raise AnswerNotFound(
                f"no answer on {self._eye.page.url} was located", hint="call locate_answer first"
            )
        if self._recipe.answer and await self._find(self._marker, 0):
            return True
        return bool(await self._eye.ask("refindAnswer", self._marker))
