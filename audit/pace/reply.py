"""One HTTP response, from its status to its last byte or its sudden end."""

from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import RequestResponseCycle

from pageside.audit.pace.framing import json_bytes

_HANG_UP = "pageside.hang_up"

# nginx and others would hold a stream back without the second.
_STREAM_HEADERS = [(b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]


class Connected:
    """Middleware, outermost: lets a response cut its connection, which ASGI cannot ask for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        cycle = getattr(send, "__self__", None)
        if isinstance(cycle, RequestResponseCycle):
            # Not abort(): what was written before the cut still reaches the client.
            scope[_HANG_UP] = cycle.transport.close
        await self.app(scope, receive, send)


class Reply:
    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self.started = False

    async def start(self, media_type: str) -> None:
        """The head of a stream."""
        self.started = True
        headers = [(b"content-type", media_type.encode()), *_STREAM_HEADERS]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def write(self, chunk: bytes) -> None:
        """Waits for a reader that is behind."""
        await self._send({"type": "http.response.body", "body": chunk, "more_body": True})

    async def finish(self) -> None:
        """The end of a stream."""
        await self._send({"type": "http.response.body", "body": b""})

    async def whole(
        self,
        content: object,
        *,
        status: int = HTTPStatus.OK,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        """A response at once: text as text, everything else as JSON."""
        is_text = isinstance(content, str)
        body = content.encode() if isinstance(content, str) else json_bytes(content)
        media_type = b"text/plain; charset=utf-8" if is_text else b"application/json"
        head = [
            (b"content-type", media_type),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            *headers,
        ]
        self.started = True
        await self._send({"type": "http.response.start", "status": status, "headers": head})
        await self._send({"type": "http.response.body", "body": body})

    async def cut(self) -> None:
        """Hangs up, and waits until the connection is gone."""
        self._scope[_HANG_UP]()
        while (await self._receive())["type"] != "http.disconnect":
            pass
