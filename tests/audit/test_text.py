"""Numbered words: what was sent can be read back from whatever Markdown made of it."""

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import scripts
from pageside.audit.text import Block, tokens, words_in

BLOCKS: tuple[Block, ...] = get_args(Block)


@pytest.mark.parametrize("block", BLOCKS)
@given(count=st.integers(0, 700), first=st.integers(0, 60_000))
def test_every_token_has_one_word_and_they_count_on(block: Block, count: int, first: int) -> None:
    made = tokens(count, block, first)
    assert [words_in(token) for token in made] == [[first + i] for i in range(count)]
    assert words_in("".join(made)) == list(range(first, first + count))


@pytest.mark.parametrize("block", BLOCKS)
def test_a_longer_text_begins_like_a_shorter_one(block: Block) -> None:
    assert tokens(900, block)[:400] == tokens(400, block)


def test_prose_has_what_models_write() -> None:
    text = "".join(tokens(700))
    for block in ("## w", "- w", "```js\nw", "**w", "`w", ".\n\n"):
        assert block in text
    assert max(map(len, text.split("\n\n"))) < 600, "no block is enormous"


@pytest.mark.parametrize(
    ("block", "mark", "many"),
    [("code", "```", 6), ("tables", "|---|", 18), ("lists", "\n  - w", 30), ("maths", "$$\n", 160)],
)
def test_answers_of_one_kind_are_many_blocks_of_it(block: Block, mark: str, many: int) -> None:
    text = "".join(tokens(1_000, block))
    assert text.count(mark) >= many
    assert max(map(len, text.split("\n\n"))) < 2_500, "no block is enormous"


def test_the_other_texts_are_one_block_each() -> None:
    assert "\n" not in "".join(tokens(500, "paragraph"))
    assert "".join(tokens(500, "fence")).count("```") == 1
    assert all(line.startswith("- w") for line in "".join(tokens(500, "list")).splitlines())
    head, rule, *rows = "".join(tokens(500, "table")).splitlines()
    assert set(rule) == {"|", "-"}
    assert {line.count("|") for line in (head, rule, *rows[:-1])} == {5}
    assert set(re.sub(r"w\d+", "", "".join(tokens(500, "plain")))) == {" ", "\n"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("w2w3", [2, 3]),  # blocks that touch
        ("w2.w3|w4\u200bw5", [2, 3, 4, 5]),
        ("<h2>w2</h2><p>w3", [2, 3]),
        ("éw7", [7]),
        ("draw2 Aw3 h4 w 5 W6 w", []),
        ("w007", [7]),
        ("", []),
    ],
)
def test_words_are_told_from_what_looks_like_them(text: str, found: list[int]) -> None:
    assert words_in(text) == found


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_cut_anywhere_no_word_is_read_that_was_not_sent(seed: int | None) -> None:
    """Without a seed into characters, else into pieces of 1 to 40 of them."""
    text = "".join(tokens(300))
    pieces = scripts.per_character(text) if seed is None else scripts.random_pieces(text, seed)
    shown = ""
    for piece in pieces:
        shown += piece
        whole, last = words_in(shown)[:-1], words_in(shown)[-1:]
        assert whole == list(range(len(whole)))
        assert all(number <= len(whole) for number in last), "the last may not be whole yet"
    assert words_in(shown) == list(range(300))
