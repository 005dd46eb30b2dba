"""A running Pace, the real clients, and a client that sees every chunk."""

import asyncio
import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import httpx
import ollama
import openai
import psutil
import pytest

from harness.scratch import eventually
from pageside.audit.pace import Delivery, Pace
from pageside.server.script import Event

# Characters of one to four bytes, joined ones, and what JSON must escape.
TEXT = 'Grüße, 世界! 👩‍💻 "two"\nlines \\ and w1 w2 w3.\n\n'
HOUR_MS = 3_600_000

# For httpx: no proxy of the environment, and no certificates read for plain HTTP, which is slow.
LOCAL: dict[str, Any] = {"trust_env": False, "verify": False}

CHAT = "/v1/chat/completions"
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say it."}]

# What each address is asked with to stream; the prompt is "Say it." everywhere.
STREAMING: dict[str, dict[str, Any]] = {
    CHAT: {"model": "m", "messages": MESSAGES, "stream": True},
    "/v1/completions": {"model": "m", "prompt": "Say it.", "stream": True},
    "/api/chat": {"model": "m", "messages": MESSAGES},
    "/api/generate": {"model": "m", "prompt": "Say it."},
    "/completion": {"prompt": "Say it.", "stream": True},
}
DIALECTS = {
    CHAT: "openai",
    "/v1/completions": "openai",
    "/api/chat": "ollama",
    "/api/generate": "ollama",
    "/completion": "llamacpp",
}


def texts(*pieces: str, ms: float = 0) -> list[Event]:
    return [Event("text", text=piece, ms=ms) for piece in pieces]


@pytest.fixture(scope="module")
def server() -> Iterator[Pace]:
    with Pace() as pace:
        yield pace


@pytest.fixture
def pace(server: Pace) -> Iterator[Pace]:
    """The module's server; after the test nothing of it may still run in there."""
    server.deliveries.clear()
    server.play(texts(*TEXT))
    yield server
    settles(server)


@pytest.fixture
def asked_openai(pace: Pace) -> Iterator[openai.OpenAI]:
    http = openai.DefaultHttpxClient(**LOCAL)
    with openai.OpenAI(
        base_url=f"{pace.url}/v1", api_key="none", max_retries=0, http_client=http
    ) as client:
        yield client


@pytest.fixture
def asked_ollama(pace: Pace) -> Iterator[ollama.Client]:
    with ollama.Client(pace.url, **LOCAL) as client:
        yield client


def settles(pace: Pace) -> None:
    """Waits until the server has no task but its own two, no connection, no open delivery."""
    eventually(lambda: not left_behind(pace), lambda: str(left_behind(pace)))


def left_behind(pace: Pace) -> list[str]:
    loop = pace._upstream._loop
    tasks = asyncio.all_tasks(loop) if loop else set()
    names = [task.get_coro().__qualname__ for task in tasks]
    port = int(pace.url.rsplit(":", 1)[1])
    return [
        *(
            name
            for name in names
            if name not in ("Server.serve", "Server._serve", "LifespanOn.main")
        ),
        *(delivery.path for delivery in pace.deliveries if delivery.end is None),
        *(
            str(connection)
            for connection in psutil.Process().net_connections("tcp")
            if connection.status == psutil.CONN_ESTABLISHED and connection.laddr.port == port
        ),
    ]


def ended(pace: Pace, place: int = -1) -> Delivery:
    """The delivery, once it has ended."""
    eventually(lambda: pace.deliveries and pace.deliveries[place].end is not None)
    return pace.deliveries[place]


@dataclass
class Answer:
    """A response as it was on the wire."""

    status: int
    headers: dict[str, str]
    chunks: list[bytes] = field(default_factory=list)
    complete: bool = False

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def sizes(self) -> list[int]:
        return [len(chunk) for chunk in self.chunks]

    def payloads(self) -> list[Any]:
        """The JSON of each event; `[DONE]` as it is."""
        if self.headers["content-type"] == "text/event-stream":
            lines = events_of(self.body)
        else:
            lines = self.body.decode().splitlines()
        return [line if line == "[DONE]" else json.loads(line) for line in lines]

    def text(self) -> str:
        return "".join(map(text_of, self.payloads()))


def wire(pace: Pace, path: str, body: Any = None, *, slow: bool = False) -> Answer:
    """Asks over a socket of its own, so that chunk borders and sudden ends are seen."""
    content = json.dumps(STREAMING[path] if body is None else body).encode()
    host, port = pace.url.removeprefix("http://").split(":")
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(content)}\r\n"
        "Connection: close\r\n\r\n"
    )
    with closing(socket.create_connection((host, int(port)), timeout=60)) as connection:
        connection.sendall(head.encode() + content)
        content = b""
        while piece := connection.recv(1 << 14 if slow else 1 << 20):
            content += piece
            time.sleep(0.0005 if slow else 0)
        return parse(content)


def parse(response: bytes) -> Answer:
    head, _, rest = response.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    answer = Answer(int(status.split()[1]), headers)
    if "content-length" in headers:
        answer.chunks.append(rest)
        answer.complete = len(rest) == int(headers["content-length"])
        return answer
    while match := re.match(rb"([0-9a-f]+)\r\n", rest, re.IGNORECASE):
        size, start = int(match[1], 16), match.end()
        if size == 0:
            answer.complete = True
            break
        if len(rest) < start + size + 2:
            break
        answer.chunks.append(rest[start : start + size])
        rest = rest[start + size + 2 :]
    return answer


def events_of(stream: bytes) -> list[str]:
    """The data of each server-sent event, by the letter of the HTML standard."""
    events, data = [], []
    for line in re.split(r"\r\n|\n|\r", stream.decode("utf-8")):
        if not line:
            if any(data):
                events.append("\n".join(data))
            data = []
            continue
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
    return events


def text_of(payload: Any) -> str:
    """The text that one payload of any dialect carries."""
    match payload:
        case {"choices": [{"delta": delta}]}:
            return delta.get("content") or ""
        case {"choices": [{"text": text}]} | {"content": text} | {"response": text}:
            return text
        case {"message": {"content": text}}:
            return text
    return ""


def post(pace: Pace, path: str, **options: Any) -> httpx.Response:
    return httpx.post(pace.url + path, timeout=60, **LOCAL, **options)
