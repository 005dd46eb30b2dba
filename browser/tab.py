"""The page in the browser, as functions to call and events to take."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page as PlaywrightPage
from playwright.async_api import Response
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pageside.browser.errors import BrowserLost, PageError, PageInvalid, ServerUnreachable

Event = Mapping[str, Any]
OnEvent = Callable[[Event], Awaitable[None]]

_BINDING = "pagesideEvent"
_PATH = "/web/headless.html"

# The page's CSP allows no strings as code: these are functions, called with arguments.
_CALL = "([name, argument]) => globalThis.pageside[name](argument)"
_IS_READY = "() => typeof globalThis.pageside?.load === 'function'"


class Tab:
    """One page of a Pageside server, without a screen.

    Every call raises BrowserLost once the page or its browser is gone.
    """

    def __init__(self, page: PlaywrightPage) -> None:
        self._page = page
        self._lost: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()
        page.on("crash", lambda _: self._lose(_crashed()))
        page.on("close", lambda _: self._lose(_ended()))

    async def open(self, url: str, on_event: OnEvent) -> None:
        """Goes to the server's headless page; what it reports is given to `on_event`.

        The page waits for `on_event` to return: that is its acknowledgement. What
        `on_event` raises, the call in progress raises, and every later one.
        """
        address = url.rstrip("/") + _PATH
        await self._unless_lost(self._page.expose_binding(_BINDING, self._taking(on_event)))
        _check(address, await self._unless_lost(self._go(address)))
        if not await self.evaluate(_IS_READY):
            raise PageInvalid(f"the page {address} does not start", hint="see the server's log")

    async def call(self, name: str, argument: object = None) -> Any:
        """Calls a function of the page, and waits for its result.

        A result {"ok": false, "error": …} is raised as PageError.
        """
        result = await self._unless_lost(self._page.evaluate(_CALL, [name, argument]))
        if isinstance(result, dict) and result.get("ok") is False:
            raise PageError(result["error"])
        return result

    async def evaluate(self, function: str) -> Any:
        """What a JavaScript function without arguments gives in the page."""
        return await self._unless_lost(self._page.evaluate(function))

    def _taking(self, on_event: OnEvent) -> Callable[[object, Event], Awaitable[None]]:
        async def take(source: object, event: Event) -> None:
            try:
                await on_event(event)
            except Exception as error:
                self._lose(error)

        return take

    async def _go(self, address: str) -> Response | None:
        try:
            return await self._page.goto(address)
        except PlaywrightError as error:
            if "net::ERR_" not in error.message and not isinstance(error, PlaywrightTimeout):
                raise
            raise ServerUnreachable(
                f"nobody answers at {address}", hint="start `pageside serve` there"
            ) from error

    async def _unless_lost(self, work: Awaitable[Any]) -> Any:
        """The result of `work`, which fails at once when the page is lost."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait((task, self._lost), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise self._lost.result().with_traceback(None)
            return task.result()
        except PlaywrightError as error:
            raise self._explain(error) from error
        finally:
            task.cancel()

    def _explain(self, error: PlaywrightError) -> Exception:
        if self._lost.done():
            return self._lost.result().with_traceback(None)
        if "crashed" in error.message:
            return _crashed()
        if "has been closed" in error.message:
            return _ended()
        message = error.message.splitlines()[0]
        return PageError({"code": "internal", "message": f"the page failed: {message}"})

    def _lose(self, error: Exception) -> None:
        if not self._lost.done():
            self._lost.set_result(error)


def _check(address: str, response: Response | None) -> None:
    if response is None or not response.ok:
        status = "nothing" if response is None else f"status {response.status}"
        raise PageInvalid(
            f"{address} answers with {status}", hint="give the address of a Pageside server"
        )


def _crashed() -> BrowserLost:
    return BrowserLost(
        "the page crashed", hint="it may have run out of memory: close it, try again"
    )


def _ended() -> BrowserLost:
    return BrowserLost("the browser ended while in use", hint="open the page again")
