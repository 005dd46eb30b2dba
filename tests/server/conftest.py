"""A small model store, a running server, and a way to say to it whatever one likes."""

import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pageside.models.manifest import Manifest, Source
from pageside.models.store import Identity, ModelStore
from pageside.server.app import create_app
from pageside.server.live import LiveServer
from pageside.server.settings import Settings

MODEL = "tiny"
WEIGHTS = bytes(range(256)) * 40  # 10,240 bytes: every value, and no two ranges alike by luck
FILES = {
    "config.json": b'{"model_type": "llama"}',
    "empty.json": b"",
    "model.gguf": WEIGHTS,
    "onnx/model.onnx": b"skeleton",
    "onnx/model_q4.onnx": b"four bits a weight",
    "onnx/weights.json": b"{}",
}


@dataclass
class Reply:
    """A response as it came over the wire; `headers` keeps repetitions."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes = field(repr=False)

    def __getitem__(self, name: str) -> str:
        (value,) = [value for known, value in self.headers if known == name]
        return value

    def has(self, name: str) -> bool:
        return any(known == name for known, _ in self.headers)

    @property
    def error(self) -> dict[str, str]:
        """The error, whose shape is checked here once for every test."""
        body = json.loads(self.body)
        assert list(body) == ["error"]
        assert sorted(body["error"]) == ["code", "hint", "message"]
        assert all(isinstance(value, str) for value in body["error"].values())
        assert body["error"]["code"] and body["error"]["message"]
        assert self["content-type"] == "application/json"
        assert self["cache-control"] == "no-store"
        return dict(body["error"])


def exchange(port: int, request: bytes) -> Reply:
    """Sends `request` as it is and reads until the server hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request)
        received = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    pairs = [line.split(": ", 1) for line in lines]
    return Reply(int(status.split()[1]), [(name.lower(), value) for name, value in pairs], body)


Ask = Callable[..., Reply]


def asking(server: LiveServer) -> Ask:
    """`ask(path, {header: value, …}, method=…, host=…)`, without any client's tidying."""

    def ask(
        path: str,
        headers: dict[str, str] | None = None,
        *,
        method: str = "GET",
        host: str | None = "127.0.0.1",
    ) -> Reply:
        named = {**({} if host is None else {"Host": host}), "Connection": "close"}
        lines = [f"{name}: {value}\r\n" for name, value in {**named, **(headers or {})}.items()]
        head = f"{method} {path} HTTP/1.1\r\n{''.join(lines)}\r\n"
        return exchange(server.port, head.encode("latin-1"))

    return ask


def install(
    store: ModelStore, files: dict[str, bytes] = FILES, *, id: str = MODEL, large_bytes: int = 0
) -> Manifest:
    """Puts a model into the store as a pull does; `large_bytes` adds a sparse large.bin."""
    identity = Identity(
        id=id,
        name="Tiny",
        licence="MIT",
        architecture="llama",
        context_window=128,
        source=Source("pypi", "tiny", "1", "tiny.gguf", "0" * 64),
        converter="1",
        known_answer=None,
    )
    with store.locked(id):
        build = store.workshop(id) / "build"
        for name, content in files.items():
            (build / name).parent.mkdir(parents=True, exist_ok=True)
            (build / name).write_bytes(content)
        if large_bytes:
            with (build / "large.bin").open("wb") as large:
                large.truncate(large_bytes)
        return store.install(build, identity)


@dataclass
class Site:
    """A store with one model, the server over it, and `ask` to talk to it."""

    store: ModelStore
    manifest: Manifest
    server: LiveServer
    ask: Ask

    def url_of(self, name: str) -> str:
        return f"/models/{self.manifest.id}/{self.manifest.revision}/{name}"

    def path_of(self, name: str) -> Path:
        return self.store.file(self.manifest.id, self.manifest.revision, name)


def run_site(root: Path, *, large_bytes: int = 0, **settings: Any) -> Iterator[Site]:
    store = ModelStore(root)
    manifest = install(store, large_bytes=large_bytes)
    app = create_app(store, Settings(model=MODEL, **settings))
    with LiveServer(app) as server:
        yield Site(store, manifest, server, asking(server))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Shared by a module's tests, which leave it as it is."""
    yield from run_site(tmp_path_factory.mktemp("store"), allowed_hosts=("kiosk.lan",))


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Site]:
    """For a test that damages its store; the large file does not fit into any socket's buffer."""
    yield from run_site(tmp_path / "store", large_bytes=64 << 20)


@pytest.fixture
def ask(site: Site) -> Ask:
    return site.ask
