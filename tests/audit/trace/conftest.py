"""A browser, a page that streams as a test asks for, and traces of it."""

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, StreamingResponse
from starlette.routing import Route

from pageside.audit.trace import Recording, Window, mark, record
from pageside.browser.launch import launch
from pageside.server.live import LiveServer

EVERY_S = 0.03
IDLE_S = 0.3

_ACCEPT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455


@dataclass(frozen=True)
class Streamed:
    """What was recorded while the page streamed, and while it did nothing before."""

    recording: Recording
    stream: Window
    idle: Window


@dataclass(frozen=True)
class Streaming:
    context: BrowserContext
    url: str

    async def open(self, **options: object) -> Page:
        page = await self.context.new_page()
        query = "&".join(f"{name}={value}" for name, value in options.items())
        await page.goto(f"{self.url}/?{query}")
        return page

    async def measure(
        self, pieces: int, *, detail: bool = False, before: int = 0, **options: object
    ) -> Streamed:
        """`before` pieces are on the page when the measured ones begin."""
        page = await self.open(**options)
        if before:
            await page.evaluate("text => render(text)", "word " * before)
        await page.bring_to_front()
        await page.wait_for_timeout(200)
        async with record(page, detail=detail) as recording:
            await mark(page, "idle")
            await asyncio.sleep(IDLE_S)
            await mark(page, "begin")
            await page.evaluate("pieces => go(pieces)", pieces)
            await mark(page, "end")
        await page.close()
        trace = recording.trace
        return Streamed(recording, trace.window("begin", "end"), trace.window("idle", "begin"))


@pytest.fixture(scope="session")
async def chromium(anyio_backend: str) -> AsyncIterator[BrowserContext]:
    async with launch() as browser:
        yield browser.context


@pytest.fixture(scope="session")
def streaming(chromium: BrowserContext) -> Iterator[Streaming]:
    page = Path(__file__).with_name("streaming.html")
    app = Starlette(
        routes=[Route("/", lambda request: FileResponse(page)), Route("/stream", _stream)]
    )
    with LiveServer(app) as server:
        yield Streaming(chromium, server.url)


async def _stream(request: Request) -> StreamingResponse:
    async def pieces() -> AsyncIterator[str]:
        for number in range(int(request.query_params["pieces"])):
            yield f"data: w{number}\n\n"
            await asyncio.sleep(int(request.query_params["every"]) / 1000)

    return StreamingResponse(pieces(), media_type="text/event-stream")


@pytest.fixture
def socket() -> Callable[[int], object]:
    """A WebSocket server that sends so many messages and closes; gives its address."""

    @asynccontextmanager
    async def socket(pieces: int) -> AsyncIterator[str]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await _send_messages(reader, writer, pieces)

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/"

    return socket


async def _send_messages(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pieces: int
) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    key = next(
        line.split(b": ")[1]
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"sec-websocket-key")
    )
    accept = base64.b64encode(hashlib.sha1(key + _ACCEPT).digest())
    writer.write(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )
    for number in range(pieces):
        message = f"w{number} ".encode()
        writer.write(bytes([0x81, len(message)]) + message)
        await writer.drain()
        await asyncio.sleep(EVERY_S)
    writer.write(b"\x88\x00")
    await writer.drain()
    writer.close()
    await writer.wait_closed()
