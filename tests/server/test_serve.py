"""`pageside serve` as a shell sees it: real processes on real ports."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx
import psutil
import pytest

from pageside.models.store import ModelStore

from .conftest import FILES, install

COMMAND = [
    sys.executable,
    "-W",
    "error",
    "-c",
    "import sys; from pageside.server.cli import main; sys.exit(main())",
    "serve",
]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An own PAGESIDE_HOME with one small model; no package index can be reached from it."""
    monkeypatch.setenv("PAGESIDE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    store = ModelStore(tmp_path / "models")
    install(store)
    return store


@contextmanager
def serving(*arguments):
    """The process and the URL that it printed; ends it if the test has not."""
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        match = re.fullmatch(r"Pageside is at (http://\S+) \(Ctrl-C ends it\)\n", line)
        assert match, line + process.stderr.read()
        yield process, match[1]
    finally:
        process.kill()
        process.communicate(timeout=20)


def fails(*arguments):
    """The one line that a failing `serve` ends with."""
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, ""), done
    assert re.fullmatch(r"pageside: error: .+\n", done.stderr), done.stderr
    return done.stderr


def contents(store):
    return sorted(str(path.relative_to(store.root)) for path in store.root.rglob("*"))


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_serves_until_a_signal_and_ends_cleanly(home, number, status):
    before = contents(home)
    with serving("--model", "tiny") as (process, url):
        assert httpx.get(url + "/api/health").json()["model"] == "tiny"
        assert httpx.get(url + "/").status_code == 200
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err) == (status, "", "")
    assert not any(child.is_running() for child in children)
    port = int(url.rsplit(":", 1)[1])
    with socket.socket() as connection:
        assert connection.connect_ex(("127.0.0.1", port)) != 0
    assert contents(home) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_of_a_download_ends_cleanly(home, number):
    manifest = install(home, id="large", large_bytes=64 << 20)
    with (
        serving("--model", "large") as (process, url),
        httpx.stream("GET", f"{url}/models/large/{manifest.revision}/large.bin") as response,
    ):
        next(response.iter_raw(1000))
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err) == (128 + number, "", "")


def test_two_on_one_store(home):
    with serving("--model", "tiny") as (one, url), serving("--model", "tiny") as (_, other):
        revision = httpx.get(url + "/api/settings").json()["model"]["revision"]
        for base in (url, other):
            weights = httpx.get(f"{base}/models/tiny/{revision}/model.gguf")
            assert weights.content == FILES["model.gguf"]
        one.send_signal(signal.SIGINT)
        assert one.wait(timeout=20) == 130
        assert httpx.get(other + "/api/health").json()["status"] == "ok"


def test_the_scripted_engine_wants_no_model(home, tmp_path):
    script = tmp_path / "answers.jsonl"
    script.write_text('{"text": "Rain."}\n')
    home.remove("tiny")
    before = contents(home)
    with serving("--script", str(script)) as (_, url):
        settings = httpx.get(url + "/api/settings").json()
        assert (settings["engine"], settings["model"]) == ("scripted", None)
        assert httpx.get(url + "/api/script").text == script.read_text()
    with serving("--engine", "scripted", "--device", "wasm", "--threads", "2") as (_, url):
        settings = httpx.get(url + "/api/settings").json()
        assert (settings["device"], settings["threads"]) == ("wasm", 2)
    assert contents(home) == before


def test_names_beside_loopback_must_be_allowed(home):
    with serving("--model", "tiny", "--allow-host", "kiosk.lan") as (_, url):
        for host, status in (("kiosk.lan", 200), ("other.lan", 421)):
            assert httpx.get(url + "/api/health", headers={"Host": host}).status_code == status


def test_a_taken_port(home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        line = fails("--model", "tiny", "--port", port)
    assert port in line and "--port" in line


def test_a_taken_port_is_said_before_a_model_is_fetched(home):
    before = contents(home)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "is taken" in fails("--port", str(taken.getsockname()[1]))
    assert contents(home) == before


def test_an_address_that_is_not_ours(home):
    assert "192.0.2.1" in fails("--model", "tiny", "--host", "192.0.2.1")


@pytest.mark.parametrize("model", ["no-such-model", "../tiny", "TINY", ""])
def test_an_unknown_model(home, model):
    before = contents(home)
    line = fails("--port", "0", "--model", model)
    assert repr(model) in line or model in line
    assert contents(home) == before


def test_a_model_that_cannot_be_fetched(home):
    line = fails("--port", "0")
    assert "cannot be reached" in line and "network" in line
    assert [manifest.id for manifest in home.manifests()] == ["tiny"]


def test_ctrl_c_while_a_model_is_fetched(home, monkeypatch):
    """The index takes the connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as index:
        url = f"http://127.0.0.1:{index.getsockname()[1]}/simple"
        monkeypatch.setenv("PIP_INDEX_URL", url)
        monkeypatch.setenv("UV_DEFAULT_INDEX", url)
        process = subprocess.Popen(
            [*COMMAND, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        with process, index.accept()[0] as connection:
            assert connection.recv(1000).startswith(b"GET ")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err, err
    assert [manifest.id for manifest in home.manifests()] == ["tiny"]


def test_a_bad_script_line_is_named(home, tmp_path):
    script = tmp_path / "answers.jsonl"
    script.write_text('{"text": "one"}\n{"txt": "two"}\n')
    line = fails("--port", "0", "--script", str(script))
    assert f"{script}, line 2" in line


def test_a_script_that_is_not_there(home, tmp_path):
    assert "none.jsonl" in fails("--port", "0", "--script", str(tmp_path / "none.jsonl"))
    assert "cannot be read" in fails("--port", "0", "--script", str(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="BROWSER names the browser on POSIX")
def test_open_opens_the_page(home, tmp_path, monkeypatch):
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    with serving("--model", "tiny", "--open") as (_, url):
        deadline = time.monotonic() + 20
        while not (opened.exists() and opened.read_text() == url):
            assert time.monotonic() < deadline
            time.sleep(0.05)
