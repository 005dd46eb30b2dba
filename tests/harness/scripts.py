"""Scripts for the scripted engine, and the cuts they are streamed in."""

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Event = dict[str, Any]


def write(folder: Path, *answers: Iterable[Event]) -> Path:
    """A script file that plays `answers` in order."""
    lines = [json.dumps(event) for answer in answers for event in (*answer, {"end": True})]
    path = folder / "script.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def tokens(pieces: Iterable[str], delay_ms: float = 0) -> list[Event]:
    """One event a piece."""
    return [{"text": piece, "delay_ms": delay_ms} for piece in pieces]


def words(count: int, delay_ms: float = 0) -> list[Event]:
    """`count` numbered tokens, so that a lost or misplaced one shows; a paragraph every 80."""
    return tokens((numbered(i) for i in range(count)), delay_ms)


def numbered(i: int) -> str:
    return f"w{i}\n\n" if i % 80 == 79 else f"w{i} "


def words_text(count: int) -> str:
    return "".join(map(numbered, range(count)))


def words_shown(count: int) -> str:
    """What the page shows of them: spaces at the end of a paragraph are none of it."""
    return words_text(count).rstrip()


def per_character(text: str) -> list[str]:
    """One piece for every code point: joined emoji and accents come apart."""
    return list(text)


def random_pieces(text: str, seed: int) -> list[str]:
    """Pieces of 1-40 characters."""
    cut = random.Random(seed)
    pieces = []
    while text:
        length = cut.randint(1, 40)
        pieces.append(text[:length])
        text = text[length:]
    return pieces
