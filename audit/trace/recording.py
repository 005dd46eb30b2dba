"""Recording Chromium's trace of a page: lean, so that it does not make what it measures."""

import asyncio
import base64
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pageside.audit.errors import AuditError, PageLost, TraceInvalid
from pageside.audit.trace.reading import Trace

# Tasks with their CPU time, layouts, updates, frames, arrivals and marks. "toplevel" and "cc"
# double the size for nothing that is read here.
_CATEGORIES = (
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "blink.user_timing",
    "v8.execute",
    "__metadata",
)
_DETAIL = ("v8", "disabled-by-default-v8.cpu_profiler")

# Several minutes of a busy page.
_BUFFER_KB = 400 * 1024
_READ_BYTES = 4 << 20
_PATIENCE_S = 60.0
_ABANDON_S = 2.0


class Recording:
    """`content` and `trace` are there once the recording has ended."""

    def __init__(self) -> None:
        self._content: bytes | None = None
        self._trace: Trace | None = None

    @property
    def content(self) -> bytes:
        """The trace as JSON that DevTools and Perfetto open."""
        if self._content is None:
            raise RuntimeError("the recording has not ended")
        return self._content

    @property
    def trace(self) -> Trace:
        """Raises TraceInvalid."""
        if self._trace is None:
            self._trace = Trace.parse(self.content)
        return self._trace


@asynccontextmanager
async def record(page: Page, *, detail: bool = False) -> AsyncIterator[Recording]:
    """Records the browser while the block runs; one recording a browser at a time.

    `detail` samples JavaScript too, for blame by function and the saved flame chart; sampling
    costs the page time of its own, so that its figures are not to be compared with those without.
    Raises TraceInvalid if the browser does not trace or lost a part, PageLost if it ended.
    """
    recording = Recording()
    crashed = asyncio.Event()
    page.once("crash", lambda _: crashed.set())
    try:
        session = await page.context.new_cdp_session(page)
        await _start(session, detail)
    except PlaywrightError as error:
        raise _mapped(page, error) from error
    try:
        yield recording
    except BaseException:
        await _abandon(session)
        raise
    try:
        recording._content = await _unless(crashed, _stop(session))
        await session.detach()
    except PlaywrightError as error:
        raise _mapped(page, error) from error
    except AuditError:
        await _abandon(session)
        raise


async def mark(page: Page, name: str) -> None:
    """Leaves a user timing mark on the page's main thread."""
    await page.evaluate("name => void performance.mark(name)", name)


async def _start(session: CDPSession, detail: bool) -> None:
    await session.send(
        "Tracing.start",
        {
            "transferMode": "ReturnAsStream",
            "traceConfig": {
                "recordMode": "recordUntilFull",
                "traceBufferSizeInKb": _BUFFER_KB,
                "includedCategories": [*_CATEGORIES, *(_DETAIL if detail else ())],
                "excludedCategories": ["*"],
            },
        },
    )


async def _stop(session: CDPSession) -> bytes:
    complete: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    session.once("Tracing.tracingComplete", lambda event: complete.put_nowait(event))
    await session.send("Tracing.end")
    ended = await complete.get()
    if ended.get("dataLossOccurred"):
        raise TraceInvalid(
            "the browser lost a part of its trace: it was longer than what it keeps",
            hint="measure a shorter answer, or without detail",
        )
    return await _read(session, ended["stream"])


async def _read(session: CDPSession, handle: str) -> bytes:
    parts: list[bytes] = []
    eof = False
    while not eof:
        chunk = await session.send("IO.read", {"handle": handle, "size": _READ_BYTES})
        encoded: str = chunk["data"]
        parts.append(base64.b64decode(encoded) if chunk.get("base64Encoded") else encoded.encode())
        eof = chunk["eof"]
    await session.send("IO.close", {"handle": handle})
    return b"".join(parts)


async def _unless(crashed: asyncio.Event, work: Coroutine[Any, Any, bytes]) -> bytes:
    """A crashed page's session never answers."""
    working = asyncio.create_task(work)
    crash = asyncio.create_task(crashed.wait())
    try:
        await asyncio.wait(
            {working, crash}, timeout=_PATIENCE_S, return_when=asyncio.FIRST_COMPLETED
        )
        if working.done():
            return working.result()
    finally:
        working.cancel()
        crash.cancel()
    if crashed.is_set():
        raise _lost("its process has crashed")
    raise TraceInvalid(
        f"the browser did not hand over its trace within {_PATIENCE_S:.0f} s",
        hint="measure a shorter answer",
    )


async def _abandon(session: CDPSession) -> None:
    """Ends a recording that nobody will read; the error under way says what happened.

    A session that goes ends what it records. That of a crashed page does not answer.
    """
    try:
        async with asyncio.timeout(_ABANDON_S):
            await session.detach()
    except (PlaywrightError, TimeoutError):
        return


def _mapped(page: Page, error: PlaywrightError) -> PageLost | TraceInvalid:
    reason = error.message.splitlines()[0]
    if page.is_closed() or "closed" in reason or "crashed" in reason:
        return _lost(reason)
    if "already" in error.message:
        return TraceInvalid(
            "the browser is being traced already",
            hint="end the other recording, or measure in a browser of its own",
        )
    return TraceInvalid(
        f"the browser cannot be traced ({reason})",
        hint="measure with Chromium 120 or later",
    )


def _lost(reason: str) -> PageLost:
    return PageLost(
        f"the page ended while it was traced ({reason})",
        hint="see whether it does by hand, in the same browser",
    )
