"""result.json: an AuditResult as a file that programs read, and back.

{"schema": "pageside.audit.result", "version": 1, "url": …, "verdict": …, "findings": […], …}

The fields are those of `pageside.audit.result`, under the same names, in the same order, with the
same units. Tuples and sets are arrays (sets sorted), points are arrays of two. A number that is
not finite is written as a string: "Infinity", "-Infinity", "NaN". `version` rises when a reader of
an older one would go wrong; a field more is no such thing, so readers ignore what they do not know.
"""

import json
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pageside.audit.report.errors import ResultInvalid
from pageside.audit.result import AuditResult

SCHEMA = "pageside.audit.result"
VERSION = 1

_HINT = "give the result.json that pageside audit wrote"
_NOT_FINITE = {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}


def result_json(result: AuditResult) -> str:
    """The same text for the same result, one item of a list a line so that versions compare."""
    body = {"schema": SCHEMA, "version": VERSION, **_plain(result)}
    return "{\n" + ",\n".join(f"{_dumps(k)}: {_lines(v)}" for k, v in body.items()) + "\n}\n"


def read_result(path: Path) -> AuditResult:
    """The result in the file at `path`, equal to the one written. Raises ResultInvalid."""
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise ResultInvalid(f"cannot read {path} ({error.strerror})", hint=_HINT) from error
    except (ValueError, RecursionError) as error:
        raise ResultInvalid(f"{path} is no JSON", hint=_HINT) from error
    try:
        return _checked(content)
    except _Wrong as wrong:
        raise ResultInvalid(f"{path} is no result of an audit: {wrong}", hint=_HINT) from wrong


def _checked(content: Any) -> AuditResult:
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise _Wrong(f'its "schema" is not "{SCHEMA}"')
    if content.get("version") != VERSION:
        raise _Wrong(f'its "version" is {content.get("version")!r:.40}, and {VERSION} is read here')
    result = _read(AuditResult, content, "")
    assert isinstance(result, AuditResult)
    return result


class _Wrong(Exception):
    """What is wrong, and with which field."""


def _dumps(value: Any) -> str:
    # ASCII: a title may hold half a surrogate pair, which no encoding can write.
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def _lines(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(_dumps, value)) + "\n]"
    return _dumps(value)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def _read(kind: Any, value: Any, at: str) -> Any:
    """`value` as the annotation `kind` says; _Wrong names the place where it is not."""
    if is_dataclass(kind):
        return _record(kind, value, at)
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        chosen = next(arg for arg in args if arg is not type(None))
        return None if value is None else _read(chosen, value, at)
    if origin is Literal:
        return _one_of(args, value, at)
    if origin is tuple:
        return _tuple(args, value, at)
    if origin is frozenset:
        return frozenset(_tuple((args[0], ...), value, at))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: _read(args[1], v, f"{at}.{key}") for key, v in _as(dict, value, at).items()}
    return _SCALARS[kind](value, at)


def _record(kind: Any, value: Any, at: str) -> Any:
    given = _as(dict, value, at)
    hints = get_type_hints(kind)
    read = {}
    for field in fields(kind):
        place = f"{at}.{field.name}".lstrip(".")
        if field.name in given:
            read[field.name] = _read(hints[field.name], given[field.name], place)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise _Wrong(f"{place} is missing")
    return kind(**read)


def _tuple(args: tuple[Any, ...], value: Any, at: str) -> tuple[Any, ...]:
    items = _as(list, value, at)
    if args[-1] is ...:
        return tuple(_read(args[0], item, f"{at}[{i}]") for i, item in enumerate(items))
    if len(items) != len(args):
        raise _Wrong(f"{at} has {len(items)} values, not {len(args)}")
    pairs = zip(args, items, strict=True)
    return tuple(_read(arg, item, f"{at}[{i}]") for i, (arg, item) in enumerate(pairs))


def _one_of(allowed: tuple[Any, ...], value: Any, at: str) -> Any:
    if not isinstance(value, str) or value not in allowed:
        raise _Wrong(f"{at} is none of {', '.join(allowed)}")
    return value


def _as(kind: type, value: Any, at: str) -> Any:
    # True is an int to Python, and none to JSON.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _Wrong(f"{at or 'the whole'} is no {_NAMES[kind]}")
    return value


def _float(value: Any, at: str) -> float:
    if isinstance(value, str) and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    number: float = value if isinstance(value, float) else _as(int, value, at)
    return number


_NAMES = {dict: "object", list: "array", str: "text", int: "number", bool: "true or false"}

_SCALARS: dict[Any, Callable[[Any, str], Any]] = {
    float: _float,
    int: lambda value, at: _as(int, value, at),
    str: lambda value, at: _as(str, value, at),
    bool: lambda value, at: _as(bool, value, at),
}
