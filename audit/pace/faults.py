"""What else goes wrong between an upstream and a page: framing, borders, proxies, ends."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from pageside.audit.errors import PaceInvalid
from pageside.audit.pace.schedule import Step, ended_after, timeline, with_releases
from pageside.server.script import Event

LONG_LINE_BYTES = 200_000
_LONG_LINE_MOST = 64 << 20


@dataclass(frozen=True)
class Faults:
    """None of them by default. Those of server-sent events do nothing to Ollama's lines of JSON.

    split           chunk borders at any byte, drawn from `seed`: events come in parts and together
    split_codepoints  a border inside every character of more than one byte
    byte_by_byte    a chunk for every byte
    comments        `: PROCESSING` while the prompt is read, `: ping` between events
    heartbeats      bare `:` lines, between events and right before one
    crlf            lines end in CR LF
    no_space        `data:{…}`
    empty_data      events whose data is empty
    long_line       the first token's line is that many bytes longer
    empty_choices   OpenAI's usage chunk, whose `choices` is empty, though nobody asked
    no_done         the stream ends without what marks its end: `[DONE]`, or the last event
    error_after     an error in the middle of the stream, after so many tokens
    cut_after       the connection is cut after so many tokens
    buffer_s        a proxy holds everything back and lets it go every so many seconds;
                    infinity: at the end
    status          every request is answered with this HTTP status from 400 to 599
    """

    split: bool = False
    split_codepoints: bool = False
    byte_by_byte: bool = False
    comments: bool = False
    heartbeats: bool = False
    crlf: bool = False
    no_space: bool = False
    empty_data: bool = False
    long_line: int = 0
    empty_choices: bool = False
    no_done: bool = False
    error_after: int | None = None
    cut_after: int | None = None
    buffer_s: float | None = None
    status: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """PaceInvalid for a value that cannot be meant."""
        for name in ("error_after", "cut_after"):
            _check(name, getattr(self, name), lambda tokens: tokens >= 0, "a number of tokens")
        _check("buffer_s", self.buffer_s, lambda s: s >= 0.001, "at least 0.001 seconds")
        _check("status", self.status, lambda code: 400 <= code <= 599, "a status from 400 to 599")
        _check("long_line", self.long_line, _is_long_line, f"bytes up to {_LONG_LINE_MOST}")
        borders = [n for n in ("split", "split_codepoints", "byte_by_byte") if getattr(self, n)]
        if len(borders) > 1:
            raise PaceInvalid(f"the faults {_names(borders)} exclude each other", hint="choose one")

    def steps(self, events: Iterable[Event]) -> Iterator[Step]:
        """One answer's steps, ended early or held back as the faults say."""
        if self.error_after is not None:
            events = ended_after(events, self.error_after, Event("error", text=_ERROR))
        if self.cut_after is not None:
            events = ended_after(events, self.cut_after, Event("crash"))
        steps = timeline(events)
        if self.buffer_s is not None and math.isfinite(self.buffer_s):
            return with_releases(steps, self.buffer_s)
        return steps


_ERROR = "the model failed in the middle of its answer"

# The command line's spelling of a fault that has a value, and the value when none is given.
_VALUES: dict[str, tuple[Callable[[str], Any], Any]] = {
    "long_line": (int, LONG_LINE_BYTES),
    "error_after": (int, 3),
    "cut_after": (int, 3),
    "buffer": (float, math.inf),
    "status": (int, 500),
}

NAMES = tuple(
    name.name.removesuffix("_s").replace("_", "-") for name in fields(Faults) if name.name != "seed"
)


def parse_faults(texts: Iterable[str], *, seed: int = 0) -> Faults:
    """Faults from `NAME` and `NAME=VALUE`; PaceInvalid names the one that is none."""
    chosen: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if name not in NAMES:
            raise PaceInvalid(f"there is no fault {name[:40]!r}", hint=f"one of {', '.join(NAMES)}")
        field = name.replace("-", "_")
        chosen["buffer_s" if field == "buffer" else field] = _value(
            text, field, value if equals else None
        )
    return Faults(**chosen, seed=seed)


def _value(text: str, field: str, value: str | None) -> Any:
    if field not in _VALUES:
        if value is not None:
            raise PaceInvalid(f"the fault {text[:60]!r} takes no value")
        return True
    read, default = _VALUES[field]
    try:
        return default if value is None else read(value)
    except ValueError as error:
        raise PaceInvalid(f"the fault {text[:60]!r} wants a number") from error


def _check(name: str, value: Any, holds: Callable[[Any], bool], wanted: str) -> None:
    if value is not None and not holds(value):
        raise PaceInvalid(f"the fault {_names([name])} is {value}, not {wanted}")


def _is_long_line(size: int) -> bool:
    return 0 <= size <= _LONG_LINE_MOST


def _names(names: Iterable[str]) -> str:
    return " and ".join(name.removesuffix("_s").replace("_", "-") for name in names)
