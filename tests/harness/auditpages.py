"""The eleven pages on which the audit must be right, from one origin, and the proxy of fault C."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlencode, urlsplit

import anyio
import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pageside.audit.result import Fault, Verdict
from pageside.server.live import LiveServer

# Beside the test files, and like them not in the package.
_FOLDER = Path(__file__).resolve().parents[1] / "audit" / "pages"

# What the audit has to say about each.
EXPECTED: Mapping[str, tuple[Verdict, Fault | None]] = {
    "clean-text": ("pass", None),
    "clean-blocks": ("pass", None),
    "slow-clean": ("pass", None),
    "throttled-clean": ("pass", None),
    "fault-a": ("fail", "A"),
    "fault-b": ("fail", "B"),
    "fault-c": ("fail", "C"),
    "fault-d": ("fail", "D"),
    "fault-e": ("fail", "E"),
    "fault-f": ("fail", "F"),
    "fault-g": ("fail", "G"),
}

# Every one of these is fault B.
B_KINDS = ("markdown", "innerhtml", "diff", "forced-layout", "restyle")

# How long the proxy holds what it gets.
HOLD_S = 1.2


class AuditPages:
    """Serves the pages while the context lasts. The upstream must allow `url` as an origin."""

    def __init__(self, *, port: int = 0) -> None:
        self._server = LiveServer(_app(), port=port)

    @property
    def url(self) -> str:
        return self._server.url

    def address(self, page: str, upstream_url: str, **query: str | int) -> str:
        """`page` is a key of EXPECTED; `upstream_url` is on this machine, without /v1."""
        if page not in EXPECTED:
            raise KeyError(f"no page {page!r}: one of {', '.join(EXPECTED)}")
        if page == "fault-c":
            upstream_url = f"{self.url}/buffered/{urlsplit(upstream_url).port}"
        return f"{self.url}/{page}.html?{urlencode({'upstream': upstream_url, **query})}"

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.stop()


def _app() -> Starlette:
    return Starlette(
        routes=[
            Route("/buffered/{port:int}/v1/chat/completions", _BufferingProxy(), methods=["POST"]),
            Mount("/", _fresh(StaticFiles(directory=_FOLDER, html=True))),
        ]
    )


def _fresh(app: ASGIApp) -> ASGIApp:
    """Nothing is kept by the browser, so that every visit is a first one."""

    async def fresh(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_fresh(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"cache-control", b"no-store")]
            await send(message)

        await app(scope, receive, send_fresh)

    return fresh


class _BufferingProxy:
    """Passes a stream on in gulps, HOLD_S apart, and leaves the upstream when its client does.

    The upstream's port is in the path: only this machine can be reached.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_when_left, request, tasks.cancel_scope)
            await _relay(_upstream(request), body, send)
            tasks.cancel_scope.cancel()


def _upstream(request: Request) -> str:
    return f"http://127.0.0.1:{request.path_params['port']}/v1/chat/completions"


async def _cancel_when_left(request: Request, scope: anyio.CancelScope) -> None:
    message = await request.receive()
    assert message["type"] == "http.disconnect", "the body has been read"
    scope.cancel()


async def _relay(url: str, body: bytes, send: Send) -> None:
    headers = {"content-type": "application/json"}
    async with (
        httpx.AsyncClient(timeout=None, trust_env=False) as client,
        client.stream("POST", url, content=body, headers=headers) as response,
    ):
        content_type = response.headers.get("content-type", "").encode()
        await send(
            {
                "type": "http.response.start",
                "status": response.status_code,
                "headers": [(b"content-type", content_type), (b"cache-control", b"no-store")],
            }
        )
        held = bytearray()
        released_at = anyio.current_time()
        async for chunk in response.aiter_bytes():
            held += chunk
            if anyio.current_time() - released_at < HOLD_S:
                continue
            await send({"type": "http.response.body", "body": bytes(held), "more_body": True})
            held.clear()
            released_at = anyio.current_time()
    await send({"type": "http.response.body", "body": bytes(held)})
