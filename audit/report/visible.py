"""Text from the page under test, made fit to be seen: in HTML, in XML, on a terminal.

A title, a URL or a function's name may hold anything: escape sequences for the terminal, marks
that reverse the reading order, halves of a surrogate pair that no encoding can write.
"""

import re
import unicodedata

# C0 and C1 controls but tab and newline, the bidirectional controls, lone surrogates, and what
# XML 1.0 forbids.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff]"
)

LINE_MOST = 2_000


def visible(text: str) -> str:
    """`text` with each character that acts instead of being seen written as its code, `\\u202e`."""
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def clip(text: str, most: int) -> str:
    """At most `most` characters of `text`, both ends kept: a URL differs at its end."""
    if len(text) <= most:
        return text
    tail = most // 3
    return text[: most - tail - 1] + "…" + text[len(text) - tail :]


def one_line(text: str) -> str:
    """`text` without line breaks or runs of spaces, visible, and no longer than a long line."""
    return visible(" ".join(clip(text, LINE_MOST).split()))


def columns(text: str) -> int:
    """How many columns of a terminal `text` takes; East Asian wide characters take two."""
    return sum(_column(character) for character in text)


def fit(text: str, most: int) -> str:
    """As much of `text` as fits `most` columns, with an ellipsis where it is cut."""
    if columns(text) <= most:
        return text
    width = 1
    for place, character in enumerate(text):
        width += _column(character)
        if width > most:
            return text[:place] + "…"
    return text


def _column(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
