"""The eye: functions that look at a page from inside, and one way to call them.

The files of `inpage/` are put together into one function whose result Playwright holds; the page's
globals stay as they are. The eye does nothing by itself: no observer, no timer, no listener but
the one that is waiting for the press of Stop. Where Playwright hands out an element (a recipe's
selector, `Target.answer_element`) it adds listeners of its own, which only pointers wake.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import ElementHandle, JSHandle, Page
from playwright.async_api import Error as PlaywrightError

from pageside.audit.clock import PageClock, page_clock
from pageside.audit.errors import PageLost, RecipeInvalid

T = TypeVar("T")

# A page whose main thread does not answer for so long is taken for lost.
ANSWER_PATIENCE_S = 60.0

_FOLDER = Path(__file__).resolve().parent / "inpage"
_PARTS = ("dom", "prompt", "answer", "stop")
_CALL = "(eye, [name, args]) => eye[name](...args)"

# How Playwright says that a document was replaced while it was asked.
_NAVIGATED = ("Execution context was destroyed", "because of a navigation", "JSHandle is disposed")
_NAVIGATED_ALSO = ("Unable to adopt element handle", "context with specified id")


@cache
def eye_source() -> str:
    """The function that makes an eye. No string of it is compiled in the page: CSP allows it."""
    parts = [part_source(name) for name in _PARTS]
    names = [
        line.removeprefix("function ").partition("(")[0]
        for part in parts
        for line in part.splitlines()
        if line.startswith("function ")
    ]
    return "() => {\n" + "\n".join(parts) + f"\nreturn {{ {', '.join(names)} }};\n}}"


def part_source(name: str) -> str:
    """One of the files of `inpage/`."""
    return (_FOLDER / f"{name}.js").read_text(encoding="utf-8")


class Eye:
    """Looks at `page`; made anew for every document that the page goes to.

    `documents` counts them; `prompt` is what was sent last, which a new one is told.
    Every call raises PageLost once the page is gone, or answers nothing for ANSWER_PATIENCE_S.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.documents = 0
        self.prompt = ""
        self._handle: JSHandle | None = None
        self._clock: PageClock | None = None
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        page.on("crash", lambda _: self._lose("the page crashed"))
        page.on("close", lambda _: self._lose("the page was closed"))

    async def ask(self, name: str, *args: Any) -> Any:
        """Calls a function of the eye; what it gives must be plain values."""
        return await self._call(name, args, as_handle=False)

    async def grasp(self, name: str, *args: Any) -> ElementHandle | None:
        """Calls a function of the eye that gives an element, or null."""
        handle: JSHandle = await self._call(name, args, as_handle=True)
        return handle.as_element()

    async def all(self, selector: str, key: str) -> list[ElementHandle]:
        """Every element that a recipe's selector finds now. Raises RecipeInvalid."""
        found = self.page.query_selector_all(f"css={selector}")
        return await self._found(found, selector, key) or []

    async def nth_last(self, place: int, selector: str, key: str) -> ElementHandle | None:
        """One of them: 1 is the last. A handle of each of 500 answers, asked for at every turn,
        would fill the page's heap. Raises RecipeInvalid."""
        found = self.page.query_selector(f"css={selector} >> nth=-{place}")
        return await self._found(found, selector, key)

    async def release(self, element: ElementHandle) -> None:
        """Playwright's hold on it, which keeps it in the page's heap."""
        with suppress(PlaywrightError):  # of a document that is gone there is none
            await self.unless_lost(element.dispose())

    async def _found(self, work: Awaitable[T], selector: str, key: str) -> T | None:
        try:
            return await self.unless_lost(work)
        except PlaywrightError as error:
            if has_navigated(error):
                return None
            raise RecipeInvalid(
                f"{key} = {selector!r} in the recipe is no CSS selector "
                f"({error.message.splitlines()[0][:120]})",
                hint="try it with document.querySelector in the page's console",
            ) from error

    async def shown(self, selector: str, key: str) -> list[ElementHandle]:
        """Those of them that are visible."""
        found = await self.all(selector, key)
        # Not ElementHandle.is_visible: it would put Playwright's own listeners into the page.
        are_shown: list[bool] = await self.ask("areShown", found) if found else []
        return [element for element, is_shown in zip(found, are_shown, strict=True) if is_shown]

    async def clock(self) -> PageClock:
        """Places the current document's times; asked once a document."""
        await self._look()
        if self._clock is None:
            self._clock = await self.unless_lost(page_clock(self.page))
        return self._clock

    async def unless_lost(self, work: Awaitable[T], patience_s: float = ANSWER_PATIENCE_S) -> T:
        """The result of `work`, which fails at once when the page is lost."""
        task = asyncio.ensure_future(work)
        try:
            done, _ = await asyncio.wait(
                (task, self._lost), timeout=patience_s, return_when=asyncio.FIRST_COMPLETED
            )
            if task in done:
                return task.result()
            if self._lost.done():
                raise _lost(self._lost.result())
            raise PageLost(
                f"the page {self.page.url} answered nothing for {patience_s:.0f} s",
                hint="its main thread is busy for that long: look at it in DevTools",
            )
        except PlaywrightError as error:
            if self._lost.done() or "crashed" in error.message or "been closed" in error.message:
                raise _lost("the page or its browser ended") from error
            raise
        finally:
            task.cancel()

    async def _call(self, name: str, args: Sequence[Any], *, as_handle: bool) -> Any:
        for _ in range(_NAVIGATIONS):
            try:
                eye = await self._look()
                method = eye.evaluate_handle if as_handle else eye.evaluate
                return await self.unless_lost(method(_CALL, [name, list(args)]))
            except PlaywrightError as error:
                if not has_navigated(error):
                    raise
                self._handle = self._clock = None
                await self.unless_lost(self.page.wait_for_load_state("domcontentloaded"))
        raise PageLost(
            f"the page {self.page.url} goes to another address again and again",
            hint="audit the address at which it stays",
        )

    async def _look(self) -> JSHandle:
        if self._handle is None:
            self._handle = await self.unless_lost(self.page.evaluate_handle(eye_source()))
            await self.unless_lost(self._handle.evaluate("(eye, p) => eye.expect(p)", self.prompt))
            self._clock = None
            self.documents += 1
        return self._handle

    def _lose(self, what: str) -> None:
        if not self._lost.done():
            self._lost.set_result(what)


# A sign-in that bounces between addresses may take a few.
_NAVIGATIONS = 5


def has_navigated(error: PlaywrightError) -> bool:
    """Whether the document was replaced while it was asked."""
    return any(words in error.message for words in (*_NAVIGATED, *_NAVIGATED_ALSO))


def _lost(what: str) -> PageLost:
    return PageLost(what, hint="it may have run out of memory: audit it with fewer tokens")
