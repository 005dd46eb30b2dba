"""Scripts for the scripted engine: JSON Lines, one event a line, played in order.

    {"text": "…", "delay_ms": 30}   text after a delay; 0, or none: as fast as it is taken
    {"prefill_ms": 400}             reading the prompt
    {"stall_ms": 2000}              silence
    {"error": "…"}                  the engine fails with this message
    {"crash": true}                 the worker dies
    {"end": true}                   one answer ends; the next prompt plays what follows

`worker/engines/scripted.js` plays them; after the last answer it starts over.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pageside.server.errors import ScriptInvalid

Kind = Literal["text", "prefill", "stall", "error", "crash", "end"]

DURATION_MS_MAX = 24 * 60 * 60 * 1000


@dataclass(frozen=True)
class Event:
    """`text` of text and error; `ms` of text (the delay before it), prefill and stall."""

    kind: Kind
    text: str = ""
    ms: float = 0


def read_script(path: Path, *, name: str) -> tuple[bytes, list[Event]]:
    """The file's bytes and its events; ScriptInvalid calls the file `name`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ScriptInvalid(
            f"the script {name} cannot be read ({error.strerror})", hint="check --script"
        ) from error
    return content, parse_script(content, name=name)


def parse_script(content: bytes, *, name: str) -> list[Event]:
    """Every line must be one whole event, or blank; ScriptInvalid names the first that is not."""
    events = []
    # Only a line feed ends a line, as for the worker that plays the script.
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            events.append(_event(line))
        except (ValueError, RecursionError) as error:
            raise ScriptInvalid(f"the script {name}, line {number}: {error}") from error
    if not events:
        raise ScriptInvalid(f"the script {name} is empty", hint='write {"text": "…"} lines')
    return events


def _event(line: bytes) -> Event:
    """ValueError says what is wrong with the line."""
    fields = _fields(line)
    kinds = [name for name in _READERS if name in fields]
    if len(kinds) != 1:
        raise ValueError(f"an event has exactly one of {', '.join(_READERS)}")
    (kind,) = kinds
    allowed = {"text", "delay_ms"} if kind == "text" else {kind}
    if unknown := sorted(set(fields) - allowed):
        raise ValueError(f"{unknown[0][:80]!r} does not belong beside {kind!r}")
    return _READERS[kind](fields)


def _fields(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not UTF-8") from error
    try:
        fields = json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON at column {error.colno} ({error.msg})") from error
    if not isinstance(fields, dict):
        raise ValueError("an event is a JSON object")
    return fields


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field occurs twice")
    return fields


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields[name]
    if not isinstance(value, str):
        raise ValueError(f"{name!r} is not a string")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"{name!r} has half a surrogate pair, which is no text")
    return value


def _ms(fields: dict[str, Any], name: str) -> float:
    value = fields[name]
    # bool is a subclass of int
    if type(value) not in (int, float) or not 0 <= value <= DURATION_MS_MAX:
        raise ValueError(f"{name!r} is not a number of milliseconds from 0 to {DURATION_MS_MAX}")
    return float(value)


def _true(fields: dict[str, Any], name: str) -> None:
    if fields[name] is not True:
        raise ValueError(f"{name!r} can only be true")


def _text_event(fields: dict[str, Any]) -> Event:
    delay_ms = _ms(fields, "delay_ms") if "delay_ms" in fields else 0
    return Event("text", text=_text(fields, "text"), ms=delay_ms)


def _crash_event(fields: dict[str, Any]) -> Event:
    _true(fields, "crash")
    return Event("crash")


def _end_event(fields: dict[str, Any]) -> Event:
    _true(fields, "end")
    return Event("end")


_READERS = {
    "text": _text_event,
    "prefill_ms": lambda fields: Event("prefill", ms=_ms(fields, "prefill_ms")),
    "stall_ms": lambda fields: Event("stall", ms=_ms(fields, "stall_ms")),
    "error": lambda fields: Event("error", text=_text(fields, "error")),
    "crash": _crash_event,
    "end": _end_event,
}
