"""No request leaves the origin: in load, chat and reload, with only loopback there to be had."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from pageside.browser.discovery import find_browser
from pageside.models.store import ModelStore

# Opens the page, chats, reloads, chats again; in a process that has no network.
VISIT = """
import asyncio, os, socket, sys
from pathlib import Path

sys.path.insert(0, os.environ["TESTS"])
from harness.chatpage import ChatPage
from pageside.browser.launch import launch
from pageside.models.store import ModelStore
from pageside.server.app import create_app
from pageside.server.live import LiveServer
from pageside.server.settings import Settings

async def visit(url: str) -> None:
    async with launch(os.environ["WRAPPER"]) as browser:
        chat = await ChatPage.open(browser.context, url)
        for _ in range(2):
            answer = await chat.send("What is the capital of France?")
            assert await chat.ended(answer) == "done", await answer.inner_text()
            assert "Paris" in await chat.text(answer)
            await chat.load_anew()
        await chat.ready()

store = ModelStore(Path(os.environ["STORE"]))
with LiveServer(create_app(store, Settings(device="wasm"))) as server:
    asyncio.run(visit(server.url))
print("visited")
"""


@pytest.fixture
def wrapper(tmp_path: Path) -> Path:
    """A browser that writes down every request it makes, its workers' too."""
    with sync_playwright() as playwright:
        browser = find_browser(None, playwright.chromium.executable_path)
    script = tmp_path / "chromium-logging"
    script.write_text(f'#!/bin/sh\nexec {browser} --log-net-log={tmp_path / "net.json"} "$@"\n')
    script.chmod(0o755)
    return script


def test_no_request_leaves_the_origin(
    wrapper: Path, tmp_path: Path, default_store: ModelStore
) -> None:
    """In a network namespace that has loopback and nothing else."""
    environment = {
        **os.environ,
        "TESTS": str(Path(__file__).parent.parent),
        "WRAPPER": str(wrapper),
        "STORE": str(default_store.root),
    }
    command = ["unshare", "--net", "--map-root-user", "sh", "-ec"]
    inner = 'ip link set lo up; exec "$0" -c "$1"'
    visit = subprocess.run(
        [*command, inner, sys.executable, VISIT], capture_output=True, text=True, env=environment
    )
    assert visit.stdout.strip().endswith("visited"), visit.stdout + visit.stderr
    log = NetLog(tmp_path / "net.json")
    assert any(url.endswith("/model.gguf") for url in log.requests()), "workers are logged too"
    assert [url for url in log.requests() if not is_local(url)] == []
    # Chromium's own errands are refused before a name is looked up.
    assert log.count("HOST_RESOLVER_DNS_TASK") == 0
    assert log.count("HOST_RESOLVER_SYSTEM_TASK") == 0
    assert [address for address in log.connections() if not address.startswith("127.")] == []


class NetLog:
    """A log of Chromium's network stack, which may lack its end."""

    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8", errors="replace").rstrip().rstrip(",")
        try:
            parsed = json.loads(text)
        except json.JSONDecodeError:
            parsed = json.loads(text + "]}")
        self.types: dict[str, int] = parsed["constants"]["logEventTypes"]
        self.events: list[dict[str, Any]] = parsed["events"]

    def params(self, name: str) -> list[dict[str, Any]]:
        return [e.get("params", {}) for e in self.events if e["type"] == self.types[name]]

    def count(self, name: str) -> int:
        return len(self.params(name))

    def requests(self) -> list[str]:
        """The URLs asked for by pages and workers; the browser's own have no origin."""
        started = self.params("URL_REQUEST_START_JOB")
        return [p["url"] for p in started if p.get("url") and p["initiator"] != "not an origin"]

    def connections(self) -> list[str]:
        return [p["address"] for p in self.params("TCP_CONNECT_ATTEMPT") if "address" in p]


def is_local(url: str) -> bool:
    """The page's own origin, or what never reaches a network."""
    parts = urlsplit(url)
    return parts.scheme in {"data", "blob"} or parts.hostname == "127.0.0.1"
