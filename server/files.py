"""Files as responses: conditions, ranges, and bytes read off the event loop."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from io import FileIO
from pathlib import Path
from secrets import token_hex

from anyio import CancelScope, to_thread
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from pageside.server.conditions import etag_of, is_unchanged, precondition_fails, range_applies
from pageside.server.errors import FileDamaged, PreconditionFailed
from pageside.server.ranges import Slice, multipart, requested_slices

# 64 KiB reads reached a third of the throughput of 1 MiB ones.
READ_BYTES = 1 << 20


@dataclass(frozen=True)
class Content:
    """A file whose bytes are known: `size_bytes` of them, hashing to `sha256`."""

    path: Path
    size_bytes: int
    sha256: str
    media_type: str
    cache_control: str
    way_out: str  # what to do when the file is not as described

    def open(self) -> FileIO:
        """The file, unbuffered; FileDamaged if it is not there or has another size."""
        try:
            file = FileIO(self.path)
        except OSError as error:
            raise FileDamaged(f"{self.path.name} cannot be read", hint=self.way_out) from error
        if os.fstat(file.fileno()).st_size != self.size_bytes:
            file.close()
            raise FileDamaged(f"{self.path.name} has the wrong size", hint=self.way_out)
        return file


@dataclass(frozen=True)
class Answer:
    """What to send for one request: literal bytes and slices of the file, in order."""

    status: HTTPStatus
    headers: dict[str, str]
    parts: list[bytes | Slice]


def answer_to(method: str, headers: Mapping[str, str], content: Content) -> Answer:
    """Conditions and ranges in the order of RFC 9110, section 13.2.2.

    PreconditionFailed or RangeUnsatisfiable where the RFC says so.
    """
    etag = etag_of(content.sha256)
    common = {"etag": etag, "cache-control": content.cache_control, "accept-ranges": "bytes"}
    if precondition_fails(headers, etag):
        raise PreconditionFailed("the file is not the one in If-Match")
    if is_unchanged(headers, etag):
        return Answer(HTTPStatus.NOT_MODIFIED, common, [])
    slices = None
    # A Range is defined for GET alone; HEAD tells of the whole file.
    if method == "GET" and "range" in headers and range_applies(headers, etag):
        slices = requested_slices(headers["range"], content.size_bytes)
    return _sized(_whole(content) if slices is None else _partial(slices, content), common)


def _whole(content: Content) -> Answer:
    headers = {"content-type": content.media_type}
    return Answer(HTTPStatus.OK, headers, [Slice(0, content.size_bytes)])


def _partial(slices: list[Slice], content: Content) -> Answer:
    total = content.size_bytes
    if len(slices) == 1:
        (slice,) = slices
        headers = {
            "content-type": content.media_type,
            "content-range": slice.content_range(total),
        }
        return Answer(HTTPStatus.PARTIAL_CONTENT, headers, [slice])
    boundary = token_hex(16)
    headers = {"content-type": f"multipart/byteranges; boundary={boundary}"}
    parts = multipart(slices, total, content.media_type, boundary)
    return Answer(HTTPStatus.PARTIAL_CONTENT, headers, parts)


def _sized(answer: Answer, common: dict[str, str]) -> Answer:
    length = sum(part.size_bytes if isinstance(part, Slice) else len(part) for part in answer.parts)
    headers = {**common, **answer.headers, "content-length": str(length)}
    return Answer(answer.status, headers, answer.parts)


class FileResponse:
    """An ASGI response that sends `content`; the file is open only meanwhile."""

    def __init__(self, content: Content) -> None:
        self.content = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Shielded: a cancelled open would leave a file that nobody closes.
        with CancelScope(shield=True):
            file = await to_thread.run_sync(self.content.open)
        try:
            await _send_answer(Request(scope, receive), file, self.content, send)
        finally:
            file.close()


async def _send_answer(request: Request, file: FileIO, content: Content, send: Send) -> None:
    answer = answer_to(request.method, _single(request.headers), content)
    headers = [(name.encode(), value.encode()) for name, value in answer.headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if request.method != "HEAD":
        for part in answer.parts:
            await _send_part(request, file, part, send)
    await send({"type": "http.response.body", "body": b""})


async def _send_part(request: Request, file: FileIO, part: bytes | Slice, send: Send) -> None:
    if isinstance(part, bytes):
        await send({"type": "http.response.body", "body": part, "more_body": True})
        return
    position = part.first
    # uvicorn drops what is sent to a client that left, so ask before reading on.
    while position < part.end and not await request.is_disconnected():
        size_bytes = min(READ_BYTES, part.end - position)
        chunk = await to_thread.run_sync(partial(_read, file, position, size_bytes))
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        position += len(chunk)


def _read(file: FileIO, position: int, size_bytes: int) -> bytes:
    """EOFError when the file shrank: the connection must break, not end as if whole."""
    file.seek(position)
    chunk = file.read(size_bytes)
    if not chunk:
        raise EOFError(f"{file.name!r} ended at byte {position} while it was being sent")
    return chunk


def _single(headers: Headers) -> dict[str, str]:
    """Repeated headers joined as RFC 9110, section 5.3, says; two Ranges then are none."""
    return {name: ", ".join(headers.getlist(name)) for name in headers}
