"""The one helper that all text goes through, and the places where text may stand."""

import html as standard
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from pageside.audit.report.html import el, escape, file_link, web_link
from pageside.audit.report.visible import columns, fit, one_line, visible

any_text = st.text(st.characters(), max_size=200)  # halves of surrogate pairs too


class Reader(HTMLParser):
    """What a parser sees in a piece of markup."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(deadline=None)
@given(any_text)
def test_any_text_comes_back_as_text_from_between_tags_and_from_an_attribute(text: str) -> None:
    seen = Reader(el("p", text, title=text))
    assert seen.tags == [("p", {"title": visible(text)})]
    assert seen.text == visible(text)


@settings(deadline=None)
@given(any_text)
def test_any_text_can_be_written_as_utf_8_and_has_nothing_that_acts(text: str) -> None:
    shown = visible(text)
    assert standard.unescape(escape(text).encode().decode()) == shown
    assert not set(shown) & {chr(i) for i in (*range(9), *range(11, 32), 127, 0x202E, 0x2066)}


def test_marks_that_turn_the_line_around_are_shown_by_their_code() -> None:
    assert visible("a\u202eb\x1b[0m\ud800") == "a\\u202eb\\u001b[0m\\ud800"
    assert visible("שלום\t😀") == "שלום\t😀"


def test_only_http_is_a_link() -> None:
    assert Reader(web_link("https://example.com/?a=1&b=2")).tags[0][0] == "a"
    for url in (
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "data:text/html,x",
        "//x",
        "http://[",
    ):
        assert [tag for tag, _ in Reader(web_link(url)).tags] == ["bdi"], url


def test_a_trace_is_linked_only_below_the_folder_of_the_report() -> None:
    link = dict(Reader(file_link("traces/a b#1?.json")).tags)["a"]
    assert link["href"] == "./traces/a%20b%231%3F.json"
    assert dict(Reader(file_link("javascript:alert(1)")).tags)["a"]["href"] == (
        "./javascript%3Aalert%281%29"
    )
    for file in ("/etc/passwd", "../x", "a/../../x", "\\\\host\\x"):
        assert "a" not in dict(Reader(file_link(file)).tags), file


@settings(deadline=None)
@given(any_text, st.integers(1, 30))
def test_what_is_fitted_fits_in_columns_of_the_terminal(text: str, most: int) -> None:
    line = one_line(text)
    assert columns(fit(line, most)) <= most
    assert fit(line, 10_000) == line
