"""One page under test, used as a person uses it.

    Target ── Composer      writes and sends        ─┐
           ├─ Answers       where the answer is      ├─ Eye: functions inside the page
           ├─ StopButton    where Stop is           ─┘
           └─ Visibility    a tab that says it is hidden

What runs in the page: detection in `open`, `send` and `locate_answer`, before there is anything to
measure. After that nothing runs by itself; one call is one evaluation, whose main-thread CPU was
measured beside 400 messages and a 340 KB answer: an empty evaluation 0.2 ms, `has_word` 0.3 ms
(`wait_for_word` asks five times a second: 0.15 % of the thread), `stop_box` 3 ms, `answer_text`
4 ms. `asyncio.sleep` and then `has_word` waits without any polling.
"""

import asyncio
from dataclasses import replace
from typing import Self
from urllib.parse import urljoin

from playwright.async_api import BrowserContext, Dialog, ElementHandle, Page, Response
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pageside.audit.errors import PageUnreachable, PromptNotFound, StopNotPressed
from pageside.audit.target.answers import POLL_EVERY_S, Answers
from pageside.audit.target.boxes import Box
from pageside.audit.target.composer import Composer
from pageside.audit.target.eye import Eye
from pageside.audit.target.recipe import Recipe
from pageside.audit.target.stop import StopButton
from pageside.audit.target.visibility import Visibility

OPEN_PATIENCE_S = 30.0
_LOAD_PATIENCE_MS = 15_000
_LOOK_EVERY_S = 0.1
_EMPTY_LOOKS = 10


class Target:
    """A tab with the page in it. `notes` are lines for a person: where a recipe did not fit."""

    def __init__(self, page: Page, url: str, recipe: Recipe) -> None:
        self.page = page
        self.url = url
        self.notes: list[str] = []
        self._given = recipe
        self._eye = Eye(page)
        self._composer = Composer(self._eye, recipe, self.notes)
        self._answers = Answers(self._eye, recipe, self.notes)
        self._stop = StopButton(self._eye, recipe)
        self._visibility = Visibility(self._eye)
        self._dialogs: set[asyncio.Task[None]] = set()
        self._last_marker = ""

    @classmethod
    async def open(
        cls,
        context: BrowserContext,
        url: str,
        recipe: Recipe,
        *,
        init_script: str | None = None,
        patience_s: float = OPEN_PATIENCE_S,
    ) -> Self:
        """A new tab with the page ready for a prompt. `init_script` runs before the page's own.

        Raises PageUnreachable, PromptNotFound, RecipeInvalid; the tab is closed then.
        """
        page = await context.new_page()
        target = cls(page, urljoin(url, recipe.path), recipe)
        try:
            page.on("dialog", target._accept)
            if init_script is not None:
                await page.add_init_script(init_script)
            await target._start(patience_s)
        except BaseException:
            await target.close()
            raise
        return target

    @property
    def recipe(self) -> Recipe:
        """The recipe, completed by what was detected so far."""
        return replace(
            self._given,
            prompt=self._composer.prompt,
            send=self._composer.send_by,
            answer=self._answers.selector,
            stop=self._stop.selector,
        )

    async def send(self, prompt: str) -> None:
        """Writes `prompt` and sends it; returns once the page has taken it.

        Raises PromptNotFound where no way of sending works.
        """
        self._answers.forget()
        await self._composer.send(prompt)

    async def locate_answer(self, marker: str, patience_s: float | None = None) -> None:
        """Finds the answer that holds the word `marker`, once it is on the page.

        Later calls refer to this one, also after the page has replaced its element. Raises
        AnswerNotFound.
        """
        wait = () if patience_s is None else (patience_s,)
        await self._answers.locate(marker, *wait)
        self._last_marker = marker

    async def answer_text(self) -> str:
        """The newest answer's text, shadow trees included, blocks separated by line breaks."""
        return await self._answers.text()

    async def answer_is_visible(self) -> bool:
        """Whether the end of the newest answer can be seen: displayed, and not transparent."""
        return bool(await self._eye.ask("answerIsVisible"))

    async def answer_element(self) -> ElementHandle | None:
        """The newest answer's element as it is now, for a probe; pages may replace it."""
        return await self._eye.grasp("answerElement")

    async def has_word(self, number: int) -> bool:
        """Whether the newest answer has come to the word w<number>: one look at its end."""
        return await self._answers.last_word() >= number

    async def wait_for_word(
        self, number: int, timeout_s: float, *, every_s: float = POLL_EVERY_S
    ) -> bool:
        """Until the newest answer has come to the word w<number>; False if it has not in time."""
        return await self._answers.wait_for_word(number, timeout_s, every_s)

    async def stop_box(self) -> Box | None:
        """Where the Stop button is now; None while there is none."""
        return await self._stop.box()

    async def press_stop(self) -> float:
        """Clicks Stop with the mouse; the click event's time, in monotonic seconds.

        Raises AuditError if there is none.
        """
        return await self._stop.press()

    def missing_stop(self) -> StopNotPressed:
        """What to say where `stop_box` finds none."""
        return self._stop.missing()

    async def type_slowly(self, text: str, every_ms: float) -> bool:
        """Types into the prompt box without sending; False where the box takes no text now."""
        if not await self._composer.focus():
            return False
        loop = asyncio.get_running_loop()
        started = loop.time()
        for index, character in enumerate(text.replace("\n", " ")):
            await asyncio.sleep(started + index * every_ms / 1000 - loop.time())
            await self._eye.unless_lost(self.page.keyboard.type(character))
        return True

    async def scroll(self, dy: float) -> None:
        """Turns the wheel over the transcript by `dy` CSS pixels; negative is up."""
        spot = await self._eye.ask("scrollSpot")
        await self._eye.unless_lost(self.page.mouse.move(spot["x"], spot["y"]))
        await self._eye.unless_lost(self.page.mouse.wheel(0, dy))

    async def hide(self) -> None:
        """The page is told that its tab is hidden: see `visibility`."""
        await self._visibility.hide()

    async def show(self) -> None:
        """The page is told that its tab is shown again."""
        await self._visibility.show()

    async def new_chat(self) -> None:
        """An empty conversation: by the recipe's button, else by going to the address again."""
        self._answers.forget()
        if not (await self._click_new_chat() and await self._is_empty()):
            await self._go()
            await self._composer.find(OPEN_PATIENCE_S)
            # Pages that keep a conversation show it again.
            if not await self._is_empty():
                await self._composer.start_chat()
        await self._composer.find(OPEN_PATIENCE_S)

    async def close(self) -> None:
        """Closes the tab; a dialog that asks whether to leave is accepted."""
        await self.page.close()

    async def _start(self, patience_s: float) -> None:
        await self._go()
        if self._given.ready:
            await self._wait_ready(patience_s)
        await self._composer.find(patience_s)
        await self._eye.clock()

    async def _go(self) -> None:
        try:
            response = await self.page.goto(self.url, wait_until="domcontentloaded")
        except PlaywrightError as error:
            if "net::ERR_" not in error.message and not isinstance(error, PlaywrightTimeout):
                raise
            raise PageUnreachable(
                f"{self.url} does not open ({_reason(error)})",
                hint="start the page's server, and try the address in a browser",
            ) from error
        _check(self.url, response)
        try:
            await self.page.wait_for_load_state("load", timeout=_LOAD_PATIENCE_MS)
        except PlaywrightTimeout:
            # A resource that never ends; whether the page can be used shows by its prompt box.
            return

    async def _wait_ready(self, patience_s: float) -> None:
        try:
            async with asyncio.timeout(patience_s):
                while True:
                    if await self._eye.shown(self._given.ready, "ready"):
                        return
                    await asyncio.sleep(_LOOK_EVERY_S)
        except TimeoutError as error:
            raise PromptNotFound(
                f"{self.url} is not ready after {patience_s:.0f} s: nothing visible matches "
                f"ready = {self._given.ready!r}",
                hint="correct `ready` in the recipe, or leave it out",
            ) from error

    async def _click_new_chat(self) -> bool:
        if not self._given.new_chat:
            return False
        for element in await self._eye.shown(self._given.new_chat, "new_chat"):
            box = await self._eye.ask("enabledBox", element)
            if box:
                await self._eye.unless_lost(self.page.mouse.click(*Box.of(box).middle))
                return True
        return False

    async def _is_empty(self) -> bool:
        """Whether the newest answer is gone, or goes soon."""
        for _ in range(_EMPTY_LOOKS):
            if not self._last_marker or not await self._eye.ask("isOnPage", self._last_marker):
                return True
            await asyncio.sleep(_LOOK_EVERY_S)
        return False

    def _accept(self, dialog: Dialog) -> None:
        task = asyncio.ensure_future(dialog.accept())
        self._dialogs.add(task)
        task.add_done_callback(self._dialogs.discard)


def _check(url: str, response: Response | None) -> None:
    if response is not None and response.status >= 400:
        raise PageUnreachable(
            f"{url} answers with status {response.status}",
            hint="give the address at which the chat opens in a browser",
        )


def _reason(error: PlaywrightError) -> str:
    words = [word for word in error.message.split() if word.startswith("net::")]
    return words[0].removeprefix("net::") if words else "it took too long"
