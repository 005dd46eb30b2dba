"""The same page for code that is not asynchronous.

    with SyncPage.open(model="smollm2-135m-instruct") as page:
        for piece in page.generate("What is the capital of France?"):
            print(piece, end="", flush=True)

There is one implementation, `Page`, on an event loop in a thread of its own, and one
signature of each call: that of `Page`.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from pageside.browser.answer import Answer, Figures
from pageside.browser.errors import BrowserLost
from pageside.browser.info import PageInfo
from pageside.browser.page import Page

P = ParamSpec("P")
T = TypeVar("T")


def _blocking_open(
    open: Callable[P, AbstractAsyncContextManager[Page]],
) -> Callable[P, AbstractContextManager["SyncPage"]]:
    @wraps(open)
    @contextmanager
    def open_blocking(*args: P.args, **options: P.kwargs) -> Iterator["SyncPage"]:
        with (
            start_blocking_portal("asyncio") as portal,
            portal.wrap_async_context_manager(open(*args, **options)) as page,
        ):
            yield SyncPage(page, portal)

    return open_blocking


def _blocking_answer(
    generate: Callable[Concatenate[Page, P], Answer],
) -> Callable[Concatenate["SyncPage", P], Iterator[str]]:
    @wraps(generate)
    def generate_blocking(page: "SyncPage", /, *args: P.args, **options: P.kwargs) -> Iterator[str]:
        return page._pieces(generate(page._page, *args, **options))

    return generate_blocking


class SyncPage:
    """`Page` with calls that block. `SyncPage.open` makes it; `on_progress` is then
    called on the page's own thread. Leaving the loop over an answer stops the model.
    """

    open = staticmethod(_blocking_open(Page.open))
    generate = _blocking_answer(Page.generate)

    def __init__(self, page: Page, portal: BlockingPortal) -> None:
        self._page = page
        self._portal = portal

    @property
    def info(self) -> PageInfo:
        """What the model runs on."""
        return self._page.info

    @property
    def figures(self) -> Figures | None:
        """Those of the last answer; None until it has ended."""
        return self._page.figures

    def stop(self) -> None:
        """Stops the model, from any thread, and returns when it is idle."""

        async def stop() -> None:
            await self._page.stop()

        self._call(stop)

    def _call(self, function: Callable[[], Awaitable[T]]) -> T:
        try:
            return self._portal.call(function)
        except RuntimeError as error:
            if "portal is not running" not in str(error):
                raise
            raise BrowserLost("the page is closed", hint="open the page again") from error

    def _pieces(self, answer: Answer) -> Iterator[str]:
        try:
            while (piece := self._call(answer.take)) is not None:
                yield piece
        finally:
            answer.abandon()
