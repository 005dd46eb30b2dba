"""Scripts for the scripted engine, and text that looks like an answer."""

import json
import random
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

Event = dict[str, Any]

_VOCABULARY = (
    "the of to and a in is it that for as with on are this be was by an at from or which one "
    "have not but all more when there can their time light water people because about small "
    "other would between through colour morning river language different question however"
)


def prose(paragraphs: bool = True) -> Iterator[str]:
    """Tokens without end, 5.4 characters on average, the same ones every time.

    Sentences of 6-20 words, a paragraph of 2-6 sentences; or all in one paragraph.
    """
    choose, vocabulary = random.Random(7), _VOCABULARY.split()
    while True:
        for _ in range(choose.randint(2, 6)):
            words = choose.choices(vocabulary, k=choose.randint(6, 20))
            yield words[0].capitalize()
            yield from (f" {word}" for word in words[1:])
            yield ". "
        if paragraphs:
            yield "\n\n"


def tokens(pieces: Iterable[str], delay_ms: float) -> list[Event]:
    return [{"text": piece, "delay_ms": delay_ms} for piece in pieces]


def take(source: Iterator[str], count: int) -> list[str]:
    return list(islice(source, count))


def write(path: Path, *answers: Iterable[Event]) -> None:
    """A script that plays `answers` in order, one a prompt."""
    lines = [json.dumps(event) for answer in answers for event in (*answer, {"end": True})]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
