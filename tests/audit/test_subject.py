"""What is audited, with the upstream that it needs running while it is."""

import socket
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

from pageside.audit.errors import AuditError, RecipeInvalid
from pageside.audit.subject import own_page, subjects
from pageside.models.errors import PagesideError

CHAT = "http://localhost:3000/chat?a=1#b"


def recipe(folder: Path, text: str) -> str:
    file = folder / "my.toml"
    file.write_text(text)
    return str(file)


def get(url: str, **headers: str) -> httpx.Response:
    return httpx.get(url, headers=headers, trust_env=False)


def test_an_address_is_audited_with_an_upstream_of_ours() -> None:
    with subjects([CHAT], None) as (subject,):
        assert subject.url == CHAT
        assert subject.recipe.name == "detected"
        assert subject.pace is not None
        url = subject.pace.url
        assert get(f"{url}/v1/models", origin="http://localhost:3000").status_code == 200
    with pytest.raises(httpx.ConnectError):
        get(f"{url}/v1/models")


def test_the_pages_own_origin_may_read_what_the_upstream_answers_and_no_other() -> None:
    with subjects([CHAT, "https://example.test/x"], None) as pages:
        first, second = pages
        assert first.pace is second.pace is not None
        for origin, allowed in (
            ("http://localhost:3000", True),
            ("https://example.test", True),
            ("http://localhost:3001", False),
        ):
            answer = get(f"{first.pace.url}/v1/models", origin=origin)
            assert ("access-control-allow-origin" in answer.headers) is allowed


def test_the_placeholder_stands_for_the_upstream_in_every_address() -> None:
    urls = ["http://localhost:3000/?api={pace}/v1", "http://localhost:3001/#{pace}&{pace}"]
    with subjects(urls, None) as (first, second):
        assert first.pace is not None
        url = first.pace.url
        assert first.url == f"http://localhost:3000/?api={url}/v1"
        assert second.url == f"http://localhost:3001/#{url}&{url}"


def test_the_upstreams_port_is_the_one_that_was_asked_for() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(PagesideError, match=str(port)), subjects([CHAT], None, pace_port=port):
            pass
    with subjects([CHAT], None, pace_port=port) as (subject,):
        assert subject.pace is not None
        assert subject.pace.url == f"http://127.0.0.1:{port}"


@pytest.mark.parametrize(
    "url",
    ["", "localhost:3000", "ftp://localhost/", "file:///etc/passwd", "http://", "/chat", "{pace}/"],
)
def test_what_is_no_address_is_named(url: str) -> None:
    for urls in ([url], [CHAT, url]):
        with pytest.raises(AuditError) as caught, subjects(urls, None):
            pass
        assert caught.value.message.startswith(repr(url))
        assert "http://" in caught.value.hint


@pytest.mark.parametrize("url", ["http://[bad/", "http://[::1/", "http://a]b/"])
def test_what_cannot_be_taken_apart_is_named_too(url: str) -> None:
    with pytest.raises(AuditError, match="is no address of a page"), subjects([url], None):
        pass


def test_a_recipe_comes_by_name_or_from_a_file(tmp_path: Path) -> None:
    with subjects([CHAT], "open-webui") as (subject,):
        assert subject.recipe.name == "open-webui"
        assert subject.pace is not None
    with subjects([CHAT], recipe(tmp_path, 'prompt = "textarea"')) as (subject,):
        assert (subject.recipe.name, subject.recipe.prompt) == ("my", "textarea")
    with pytest.raises(RecipeInvalid), subjects([CHAT], "nonsense"):
        pass


def test_a_page_that_plays_our_script_needs_no_upstream() -> None:
    with subjects(["http://localhost:3000/{pace}"], "pageside") as (subject,):
        assert subject.pace is None
        assert subject.recipe.feed == "script"


def test_a_page_that_makes_its_own_answers_cannot_be_audited(tmp_path: Path) -> None:
    file = recipe(tmp_path, 'feed = "page"')
    with pytest.raises(AuditError, match="recipe my says") as caught, subjects([CHAT], file):
        pass
    assert "pageside pace" in caught.value.hint


@pytest.mark.parametrize("urls", [[None], [None, CHAT]])
def test_without_an_address_it_is_pagesides_own_page(urls: Sequence[str | None]) -> None:
    with subjects(urls, None) as pages:
        assert len(pages) == len(urls)
        assert {(page.recipe.name, page.pace) for page in pages} == {("pageside", None)}
        answer = get(pages[0].url)
        assert answer.status_code == 200
        assert "<title>Pageside</title>" in answer.text
        assert get(f"{pages[0].url}api/script").status_code == 200
    with pytest.raises(httpx.ConnectError):
        get(pages[0].url)


def test_own_pages_stand_side_by_side() -> None:
    with own_page() as one, own_page() as other:
        assert one != other
