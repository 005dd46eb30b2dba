"""The law of the page's Markdown: what has come in pieces is what has come at once."""

import json
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.node import NODE

LAW = Path(__file__).parent / "markdown" / "law.js"

# What means something to Markdown, and a little that does not.
PARTS = r"""
a b1 2) é 世 。 🌍 * ** _ __ ~ ~~ ` `` ``` [ ] ( ) ![ [^1] [a] [a]:/u [a](/u) < > <b> </b> <!-- -->
<div> </pre> <pre> <a " ' &amp; & \ \| | --- === # - + 1. http://x.y www.a.b a@b.c : $ $$ = !
<https://a.b>
""".split()  # noqa: SIM905 - a list would be unreadable
SPACED = [
    " ",
    "  ",
    "    ",
    "\t",
    "# ",
    "- ",
    "+ ",
    "1. ",
    "> ",
    "[^1]: ",
    "[ ] ",
    "[x] ",
    '<a href="',
]
LINES = [
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "| a |\n|---|\n",
    "\n| 1 |",
    "\n```\n",
    "\n- ",
    "\n  ",
    "\n    ",
]
texts = st.lists(st.sampled_from(PARTS + SPACED + LINES), max_size=30).map("".join)


@pytest.fixture(scope="module")
def node() -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [NODE, LAW], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        yield process
        process.kill()


@settings(max_examples=1500, deadline=None)
@given(text=texts, cuts=st.lists(st.integers(0, 200), max_size=12))
def test_over_any_split(node: "subprocess.Popen[str]", text: str, cuts: list[int]) -> None:
    """Cut by UTF-16 units, as JavaScript would: a character may come in halves."""
    assert node.stdin is not None and node.stdout is not None
    units = text.encode("utf-16-le")
    places = [0, *sorted({2 * cut for cut in cuts if 2 * cut < len(units)}), len(units)]
    pieces = [
        units[begin:end].decode("utf-16-le", "surrogatepass") for begin, end in pairwise(places)
    ]
    node.stdin.write(json.dumps(pieces) + "\n")
    node.stdin.flush()
    in_pieces, at_once = json.loads(node.stdout.readline())
    assert in_pieces == at_once
