"""Past audits, one a line of JSON; `compare.past` says whether a new one differs from them.

The file belongs to the user, who may commit it; it is only ever appended to.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from pageside.audit.compare.past import compare_with_past
from pageside.audit.errors import HistoryInvalid
from pageside.audit.result import AuditResult, Guard, Kind, Verdict

__all__ = [
    "History",
    "Record",
    "append",
    "check_writable",
    "compare_with_past",
    "read_history",
    "record_of",
]

# Every record begins with it, so that half a record can be told from another file's line.
_BEGINNING = '{"pageside_audit": 1, '


@dataclass(frozen=True)
class Record:
    """One audit. `medians` are by scenario, then by metric; `time` is ISO 8601 with its zone."""

    time: str
    url: str
    verdict: Verdict
    medians: Mapping[str, Mapping[str, float]]
    machine: Mapping[str, str]
    commit: str = ""


@dataclass(frozen=True)
class History:
    """Oldest first. `notes` name the lines that could not be read."""

    records: tuple[Record, ...]
    notes: tuple[str, ...] = ()


def record_of(result: AuditResult, commit: str = "") -> Record:
    """What is kept of an audit: medians that are numbers and that no broken guard spoils."""
    medians: dict[str, dict[str, float]] = {}
    for finding in result.findings:
        spoiled = _is_spoiled(finding.scenario, finding.metric.kind, result.guards)
        if finding.values and math.isfinite(finding.median) and not spoiled:
            medians.setdefault(finding.scenario, {})[finding.metric.name] = finding.median
    return Record(
        result.started_at, result.url, result.verdict, medians, dict(result.machine), commit
    )


def check_writable(path: Path) -> None:
    """Before minutes of measuring, not after. HistoryInvalid; nothing is made."""
    place = path if path.exists() else path.parent
    if not place.exists():
        raise HistoryInvalid(
            f"the history {path} cannot be written: there is no folder {place}",
            hint="make the folder, or name a file in another",
        )
    if not os.access(place, os.W_OK):
        raise HistoryInvalid(
            f"the history {path} cannot be written: {place} is read-only",
            hint="name a file that may be written",
        )


def append(path: Path, record: Record) -> None:
    """Adds a line in one write, so that audits that end together do not mix.

    Where the last line was only half written, it is left as it is, and a new one begun.
    HistoryInvalid if the file is not a history or cannot be written.
    """
    read_history(path, missing_is_empty=True)  # another's file is not written to
    line = _BEGINNING + _line(record) + "\n"
    content = (line if _ends_whole(path) else "\n" + line).encode()
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags, 0o666)
        try:
            written = os.write(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _unusable(path, "written", error) from error
    if written < len(content):
        raise HistoryInvalid(
            f"the history {path} took only {written} of {len(content)} bytes",
            hint="make room on its disk; what was there is still there",
        )


def read_history(path: Path, *, missing_is_empty: bool = False) -> History:
    """HistoryInvalid names the first line that no audit has written.

    A line that was only half written becomes a note.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        if missing_is_empty:
            return History(())
        raise _unusable(path, "read", error) from error
    except OSError as error:
        raise _unusable(path, "read", error) from error
    records, notes = [], []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        record = _read(line, f"the history {path}, line {number},")
        if record is None:
            notes.append(f"Line {number} of {path} was only half written, and is left out.")
        else:
            records.append(record)
    return History(tuple(records), tuple(notes))


def _is_spoiled(scenario: str, kind: Kind, guards: Sequence[Guard]) -> bool:
    return any(
        guard.scenario == scenario and not guard.holds and kind in guard.spoils for guard in guards
    )


def _ends_whole(path: Path) -> bool:
    """No line is begun and not ended; two that add a line feed at once make a blank line."""
    try:
        with path.open("rb") as file:
            if file.seek(0, os.SEEK_END) == 0:
                return True
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"
    except FileNotFoundError:
        return True
    except OSError as error:
        raise _unusable(path, "read", error) from error


def _line(record: Record) -> str:
    """The record's fields after the beginning."""
    fields = {
        "time": record.time,
        "url": record.url,
        "commit": record.commit,
        "verdict": record.verdict,
        "machine": dict(record.machine),
        "medians": {scenario: dict(of) for scenario, of in record.medians.items()},
    }
    # JSON has no line feeds unless it is indented.
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)[1:]


def _read(line: bytes, where: str) -> Record | None:
    """None if it is the beginning of a record and no more."""
    beginning = _BEGINNING.encode()
    if not line.startswith(beginning[: len(line)]):
        raise _foreign(where)
    try:
        fields = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    try:
        return _record(fields)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise _foreign(where) from error


def _record(fields: dict[str, Any]) -> Record:
    """Fails in one of the ways that `_read` names if they are no record's."""
    if fields["verdict"] not in get_args(Verdict):
        raise ValueError("an unknown verdict")
    return Record(
        time=_text(fields["time"]),
        url=_text(fields["url"]),
        verdict=cast(Verdict, fields["verdict"]),
        medians={
            scenario: {metric: _number(value) for metric, value in of.items()}
            for scenario, of in fields["medians"].items()
        },
        machine={key: _text(value) for key, value in fields["machine"].items()},
        commit=_text(fields["commit"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _number(value: object) -> float:
    if type(value) not in (int, float) or not math.isfinite(cast(float, value)):
        raise TypeError("not a number")
    return float(cast(float, value))


def _foreign(where: str) -> HistoryInvalid:
    return HistoryInvalid(
        f"{where} is not of an audit's history",
        hint="name another file: this one is not written to",
    )


def _unusable(path: Path, what: str, error: OSError) -> HistoryInvalid:
    return HistoryInvalid(
        f"the history {path} cannot be {what} ({error.strerror or error})",
        hint="name a file in a folder of your own",
    )
