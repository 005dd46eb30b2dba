"""The text that audits stream: words that number themselves, so that a lost, repeated or
misplaced one shows on the page, whatever Markdown made of the rest.

A token is one numbered word with what follows it; `words_in` reads the numbers back.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Literal

Block = Literal[
    "prose", "paragraph", "fence", "list", "table", "plain", "code", "tables", "lists", "maths"
]

# Blocks may touch: the text of "<h2>w2</h2><p>w3" is "w2w3".
_WORD = re.compile(r"(?<![A-Za-z])w(\d+)")

_PARAGRAPH = 60
_LIST_ITEM = 9
_CODE_LINE = 5
_CELLS = 4


def tokens(count: int, block: Block = "prose", first: int = 0) -> list[str]:
    """`count` tokens, numbered from `first`. "prose" is what models write: headings, paragraphs
    with emphasis and code, lists, fences. "code", "tables", "lists" and "maths" are answers that
    are mostly that; the others are one enormous block each."""
    source = _SOURCES[block](first)
    return [next(source) for _ in range(count)]


def words_in(text: str) -> list[int]:
    """The numbers of the words in `text`, in order."""
    return [int(number) for number in _WORD.findall(text)]


_Kind = Callable[[int], list[str]]


def _sections(*kinds: _Kind) -> Callable[[int], Iterator[str]]:
    """These one after the other, again and again."""

    def source(first: int) -> Iterator[str]:
        number = first
        for kind in itertools.cycle(kinds):
            yield from (made := kind(number))
            number += len(made)

    return source


def _heading(number: int) -> list[str]:
    return [f"## w{number} ", f"w{number + 1} ", f"w{number + 2}\n\n"]


def _sentences(number: int) -> list[str]:
    words = [_styled(i) + " " for i in range(number, number + _PARAGRAPH)]
    words[-1] = f"w{number + _PARAGRAPH - 1}.\n\n"
    return words


def _styled(number: int) -> str:
    if number % 29 == 0:
        return f"**w{number}**"
    if number % 23 == 0:
        return f"`w{number}`"
    return f"w{number}." if number % 13 == 0 else f"w{number}"


def _items(number: int) -> list[str]:
    words = []
    for i in range(number, number + 5 * _LIST_ITEM):
        place = (i - number) % _LIST_ITEM
        words.append(f"{'- ' if place == 0 else ''}w{i}{_end(place, _LIST_ITEM)}")
    words[-1] += "\n"
    return words


def _code(number: int) -> list[str]:
    words = [
        f"w{i}{_end((i - number) % _CODE_LINE, _CODE_LINE)}" for i in range(number, number + 40)
    ]
    words[0] = "```js\n" + words[0]
    words[-1] += "```\n\n"
    return words


def _end(place: int, length: int) -> str:
    return "\n" if place == length - 1 else " "


def _long_code(number: int) -> list[str]:
    """Words of a statement a line: a highlighter has something to tell apart."""
    lines = [("const ", " = "), ("", " + "), ('"', '"'), ("", "; // "), ("", "\n")]
    words = []
    for i in range(number, number + 200):
        before, behind = lines[(i - number) % len(lines)]
        words.append(f"{before}w{i}{behind}")
    words[0] = "```js\n" + words[0]
    words[-1] += "```\n\n"
    return words


def _short_table(number: int) -> list[str]:
    words = []
    for i in range(number, number + 12 * _CELLS):
        place = (i - number) % _CELLS
        words.append(f"| w{i} " + ("|\n" if place == _CELLS - 1 else ""))
    words[_CELLS - 1] += "|---" * _CELLS + "|\n"
    words[-1] += "\n"
    return words


def _nested_items(number: int) -> list[str]:
    words = []
    for i in range(number, number + 20 * _LIST_ITEM):
        item, place = divmod(i - number, _LIST_ITEM)
        marker = "  " * (item % 3) + "- " if place == 0 else ""
        words.append(f"{marker}w{i}{_end(place, _LIST_ITEM)}")
    words[-1] += "\n"
    return words


def _formulas(number: int) -> list[str]:
    """Words between formulas, and a displayed one at the end: the numbers stay outside of them."""
    words = [f"w{i} {_FORMULAS[i % len(_FORMULAS)]} " for i in range(number, number + 11)]
    return [*words, f"w{number + 11}\n\n$$\n\\sum_{{i=1}}^{{n}} \\frac{{x_i^2}}{{n}}\n$$\n\n"]


_FORMULAS = ("$x^2$", "is", "$\\frac{a}{b_1}$", "and", "$\\sqrt{\\alpha}$")

_SECTIONS = (_heading, _sentences, _sentences, _items, _sentences, _code, _sentences, _sentences)


def _one_paragraph(first: int) -> Iterator[str]:
    number = first
    while True:
        yield f"w{number} "
        number += 1


def _plain(first: int) -> Iterator[str]:
    number = first
    while True:
        yield f"w{number}\n\n" if number % _PARAGRAPH == _PARAGRAPH - 1 else f"w{number} "
        number += 1


def _one_fence(first: int) -> Iterator[str]:
    number = first
    yield f"```js\nw{number} "
    while True:
        number += 1
        yield f"w{number}{_end(number % _CODE_LINE, _CODE_LINE)}"


def _one_list(first: int) -> Iterator[str]:
    number = first
    while True:
        place = (number - first) % _LIST_ITEM
        yield f"{'- ' if place == 0 else ''}w{number}{_end(place, _LIST_ITEM)}"
        number += 1


def _one_table(first: int) -> Iterator[str]:
    number = first
    yield f"| w{number} " + "| - " * (_CELLS - 1) + "|\n" + "|---" * _CELLS + "|\n"
    while True:
        for place in range(_CELLS):
            number += 1
            yield f"| w{number} " + ("|\n" if place == _CELLS - 1 else "")


_SOURCES: dict[Block, Callable[[int], Iterator[str]]] = {
    "prose": _sections(*_SECTIONS),
    "code": _sections(_sentences, _long_code),
    "tables": _sections(_heading, _short_table, _short_table),
    "lists": _sections(_heading, _nested_items),
    "maths": _sections(_formulas),
    "paragraph": _one_paragraph,
    "plain": _plain,
    "fence": _one_fence,
    "list": _one_list,
    "table": _one_table,
}
