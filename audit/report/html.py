"""Markup from Python values. Everything that is not `Html` is escaped, in one place: `escape`."""

import html
from collections.abc import Iterable
from urllib.parse import quote, urlsplit

from pageside.audit.report.visible import clip, visible

# No single string may fill the page; result.json has it whole.
TEXT_MOST = 2_000

_VOID = frozenset({"meta", "link", "br"})


class Html(str):
    """Markup, safe to be put into a page."""

    __slots__ = ()


Child = str | Iterable[str] | None
Value = str | float | bool | None


def escape(text: str) -> Html:
    """`text` as it is read, wherever it stands: between tags or in a quoted attribute."""
    return Html(html.escape(visible(clip(text, TEXT_MOST)), quote=True))


def el(tag: str, *children: Child, **attributes: Value) -> Html:
    """An element. `class_` is `class`, `_` within a name is `-`; None and False leave it out."""
    opening = f"<{tag}{''.join(_attribute(*pair) for pair in attributes.items())}>"
    return Html(opening if tag in _VOID else f"{opening}{join(*children)}</{tag}>")


def join(*children: Child) -> Html:
    """One after the other; each string that is no Html is escaped."""
    return Html("".join(_flat(child) for child in children))


def foreign(text: str, most: int = 300) -> Html:
    """Text from the page under test, which may run right to left, without turning ours around."""
    return el("bdi", clip(text, most))


def web_link(url: str) -> Html:
    """A link where that is safe, plain text where the scheme is not http."""
    shown = foreign(url)
    try:
        scheme = urlsplit(url).scheme
    except ValueError:
        return shown
    if scheme not in ("http", "https") or len(url) > TEXT_MOST:
        return shown
    return el("a", shown, href=url, rel="noreferrer noopener")


def file_link(file: str) -> Html:
    """A link to a file beside the report; never to another place."""
    shown = foreign(file)
    parts = file.split("/")
    if file.startswith("/") or ".." in parts or "\\" in file or len(file) > TEXT_MOST:
        return shown
    return el("a", shown, href="./" + quote(file, errors="replace"), download=True)


def _attribute(name: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = f"{value:.10g}" if isinstance(value, float) else str(value)
    return f' {name}="{escape(text) if not isinstance(value, Html) else value}"'


def _flat(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        return escape(child)
    return "".join(_flat(item) for item in child)
