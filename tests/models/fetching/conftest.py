"""A package index on a free port with one small real model in a wheel, and its faults."""

import io
import json
import random
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pageside.models.catalogue import CATALOGUE, Entry, PackageFile
from pageside.models.store import ModelStore

PACKAGE = "tiny-model"
WHEEL = "tiny_model-1.0-py3-none-any.whl"
MEMBER = "tiny_model/tiny.gguf"
PADDING_BYTES = 3_000_000

PULL = """
import sys
from pathlib import Path
from pageside.models.catalogue import CATALOGUE, Entry, PackageFile
from pageside.models.pull import pull
from pageside.models.store import ModelStore
CATALOGUE["tiny"] = eval(sys.argv[2])
def report(stage, done, total):
    if stage == "wait":
        print(stage, flush=True)
pull(ModelStore(Path(sys.argv[1])), "tiny", report)
"""


@dataclass
class Index:
    """What the server answers, and what it was asked."""

    wheel: bytes
    dialect: str = "json"
    status: int = 200  # of the wheel
    html_instead: bool = False
    ignore_range: bool = False
    content: bytes = b""  # sent in the wheel's place
    cut_at: int | None = None  # the connection ends at this byte of the wheel, once
    cut_always: bool = False
    hold_at: int | None = None  # waits at this byte of the wheel for `release`
    headers: dict[str, str] = field(default_factory=dict)  # of the wheel, in place of true ones
    redirect: bool = False  # to the wheel, from where the page says it is
    etag: str = '"v1"'
    declared_sha256: str = ""
    wheel_host: str = ""
    release: threading.Event = field(default_factory=threading.Event)
    page_headers: list[dict[str, str]] = field(default_factory=list)
    wheel_headers: list[dict[str, str]] = field(default_factory=list)
    sent_bytes: int = 0
    url: str = ""

    def page(self) -> tuple[str, bytes]:
        """The package's page as (content type, content)."""
        href = "/elsewhere" if self.redirect else f"{self.wheel_host}/files/{WHEEL}"
        digest = self.declared_sha256 or sha256(self.wheel).hexdigest()
        if self.dialect == "json":
            other = {"filename": "tiny_model-0.9.tar.gz", "url": "x", "hashes": {}}
            file = {"filename": WHEEL, "url": href, "hashes": {"sha256": digest}}
            page = {"meta": {"api-version": "1.0"}, "name": PACKAGE, "files": [other, file]}
            return "application/vnd.pypi.simple.v1+json", json.dumps(page).encode()
        if self.dialect == "html":
            anchors = f'<a href="x">other</a><a href="{href}#sha256={digest}">{WHEEL}</a>'
            return "text/html", f"<!doctype html><body>{anchors}</body>".encode()
        return "text/html", b"<!doctype html><title>Log in</title><a href=/login>Log in</a>"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "IndexServer"

    def do_GET(self) -> None:
        index = self.server.index
        if self.path == f"/simple/{PACKAGE}/":
            index.page_headers.append(dict(self.headers))
            self._answer(200, *index.page())
        elif self.path == f"/files/{WHEEL}":
            index.wheel_headers.append(dict(self.headers))
            self._wheel(index)
        elif self.path == "/elsewhere" and index.redirect:
            self.send_response(302)
            self.send_header("Location", f"/files/{WHEEL}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._answer(404, "text/html", b"<h1>Not Found</h1>")

    def _wheel(self, index: Index) -> None:
        if index.status != 200:
            self._answer(index.status, "text/plain", b"no")
        elif index.html_instead:
            self._answer(200, "text/html; charset=utf-8", b"<!doctype html><h1>Welcome!</h1>")
        else:
            self._send_file(index, index.content or index.wheel)

    def _send_file(self, index: Index, content: bytes) -> None:
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        same = self.headers.get("If-Range", index.etag) == index.etag
        start = int(asked[1]) if asked and same and not index.ignore_range else 0
        headers = {
            "Content-Length": str(len(content) - start),
            "Content-Type": "application/octet-stream",
            "ETag": index.etag,
        }
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self.send_response(206 if start else 200)
        for name, value in (headers | index.headers).items():
            self.send_header(name, value)
        self.end_headers()
        self._send_body(index, content, start)

    def _send_body(self, index: Index, content: bytes, position: int) -> None:
        while position < len(content):
            if index.cut_always and position == index.cut_at:
                self.close_connection = True
                return
            stops = [len(content), position + 65_536]
            stops += [stop for stop in (index.cut_at, index.hold_at) if stop and stop > position]
            end = min(stops)
            self.wfile.write(content[position:end])
            index.sent_bytes += end - position
            position = end
            if position == index.hold_at:
                index.release.wait(60)
            if position == index.cut_at:
                index.cut_at = index.cut_at if index.cut_always else None
                self.close_connection = True
                return

    def _answer(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """The tests print nothing."""


class IndexServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, index: Index) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.index = index
        index.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that is killed in the middle of an answer is what we test."""
        if not isinstance(sys.exception(), ConnectionError):
            raise


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory, write_llama: Callable[..., Path]) -> bytes:
    return write_llama(tmp_path_factory.mktemp("tiny") / "tiny.gguf").read_bytes()


@pytest.fixture(scope="session")
def wheel(tiny_gguf: bytes) -> bytes:
    """The model and some incompressible megabytes, so that there are chunks to count."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MEMBER, tiny_gguf)
        archive.writestr("tiny_model/padding", random.Random(0).randbytes(PADDING_BYTES))
    return content.getvalue()


@pytest.fixture
def entry(wheel: bytes, tiny_gguf: bytes, monkeypatch: pytest.MonkeyPatch) -> Entry:
    """The small model, under the name `tiny` in the catalogue."""
    source = PackageFile(
        package=PACKAGE,
        version="1.0",
        wheel=WHEEL,
        wheel_size_bytes=len(wheel),
        wheel_sha256=sha256(wheel).hexdigest(),
        member=MEMBER,
        size_bytes=len(tiny_gguf),
        sha256=sha256(tiny_gguf).hexdigest(),
    )
    entry = Entry("tiny", "Tiny", "Apache-2.0", source, None)
    monkeypatch.setitem(CATALOGUE, "tiny", entry)
    return entry


@pytest.fixture
def start_index(wheel: bytes) -> Iterator[Callable[[], Index]]:
    """Starts another index, on another port."""
    servers: list[tuple[IndexServer, threading.Thread]] = []

    def start() -> Index:
        server = IndexServer(Index(wheel))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        servers.append((server, thread))
        return server.index

    yield start
    for server, thread in servers:
        server.index.release.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def index(start_index: Callable[[], Index], monkeypatch: pytest.MonkeyPatch) -> Index:
    """A running index, which the environment names."""
    index = start_index()
    monkeypatch.setenv("PIP_INDEX_URL", f"{index.url}/simple")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return index


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


@pytest.fixture
def start_pull(store: ModelStore, entry: Entry) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts a pull of `tiny` in a process of its own."""
    processes: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", PULL, str(store.root), repr(entry)]
        processes.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()
