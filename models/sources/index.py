"""Asking a Python package index where a file lies, as PEP 503 and PEP 691 describe it."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from html.parser import HTMLParser

import httpx

from pageside.models.errors import SourceLacks, SourceLied
from pageside.models.sources.web import ANOTHER_INDEX, asking, check_status, shown

PUBLIC_INDEX_HOST = "pypi.org"
PAGE_SIZE_BYTES_MAX = 32 << 20
ACCEPT = (
    "application/vnd.pypi.simple.v1+json, "
    "application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
)


@dataclass(frozen=True)
class Link:
    """A file that an index offers. `sha256` is "" where the index does not say it."""

    filename: str
    url: httpx.URL
    sha256: str


def index_url() -> httpx.URL:
    """The index that pip or uv would ask here, else the public one."""
    configured = (
        os.environ.get("PIP_INDEX_URL")
        or re.sub(r"^[\w.-]+=", "", os.environ.get("UV_DEFAULT_INDEX", ""))  # "name=url" too
        or os.environ.get("UV_INDEX_URL")
        or _pip_configured()
        or f"https://{PUBLIC_INDEX_HOST}/simple"
    )
    try:
        url = httpx.URL(configured.strip().rstrip("/") + "/")
    except httpx.InvalidURL as error:
        raise SourceLacks(f"the index URL is none ({error})", hint=ANOTHER_INDEX) from error
    if url.scheme not in ("http", "https"):
        raise SourceLacks(f"{shown(url)} is no http index", hint=ANOTHER_INDEX)
    return url


def find_link(client: httpx.Client, index: httpx.URL, package: str, filename: str) -> Link:
    """Where `index` says that `filename` lies. SourceLacks if it does not have it."""
    page = index.join(f"{re.sub(r'[-_.]+', '-', package).lower()}/")
    with asking(page), client.stream("GET", page, headers={"Accept": ACCEPT}) as response:
        check_status(response)
        content = _bounded(response)
    for link in _links(response, content):
        if link.filename == filename:
            return _with_login(link, index)
    raise SourceLacks(f"the index at {shown(page)} has no {filename}", hint=ANOTHER_INDEX)


def _pip_configured() -> str:
    """What pip's configuration files name; pip itself knows where they lie."""
    if importlib.util.find_spec("pip") is None:
        return ""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    found = dict(re.findall(r"^(global|install)\.index-url='([^']+)'$", listed.stdout, re.M))
    return found.get("install") or found.get("global") or ""


def _bounded(response: httpx.Response) -> bytes:
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > PAGE_SIZE_BYTES_MAX:
            raise SourceLied(
                f"{shown(response.url)} is longer than any index page", hint=ANOTHER_INDEX
            )
    return bytes(content)


def _links(response: httpx.Response, content: bytes) -> list[Link]:
    page, text = response.url, content.decode(errors="replace")
    is_json = "json" in response.headers.get("content-type", "")
    try:
        return _json_links(page, text) if is_json else _html_links(page, text)
    except (ValueError, LookupError, TypeError, AttributeError, httpx.InvalidURL) as error:
        raise SourceLied(
            f"{shown(page)} is no page of a package index", hint=ANOTHER_INDEX
        ) from error


def _json_links(page: httpx.URL, text: str) -> list[Link]:
    return [
        Link(file["filename"], page.join(file["url"]), file["hashes"].get("sha256", ""))
        for file in json.loads(text)["files"]
    ]


def _html_links(page: httpx.URL, text: str) -> list[Link]:
    anchors = _Anchors()
    anchors.feed(text)
    return [_html_link(page, href, name) for href, name in anchors.found]


def _html_link(page: httpx.URL, href: str, name: str) -> Link:
    url = page.join(href)
    algorithm, _, digest = url.fragment.partition("=")
    return Link(name, url, digest if algorithm == "sha256" else "")


def _with_login(link: Link, index: httpx.URL) -> Link:
    """The index's name and password also open its own files, and never another host's."""
    here = (index.scheme, index.host, index.port)
    if not index.userinfo or (link.url.scheme, link.url.host, link.url.port) != here:
        return link
    url = link.url.copy_with(username=index.username, password=index.password)
    return Link(link.filename, url, link.sha256)


class _Anchors(HTMLParser):
    """The (href, text) of every link of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self._href = ""
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._href, self._text = dict(attrs).get("href") or "", ""

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._href:
            self.found.append((self._href, self._text.strip()))
            self._href = ""
