"""Trace events as Chromium writes them: JSON objects, in no order.

`ph` is the phase (X a span with `dur`, I a moment, b and e the ends of an asynchronous span),
`ts` microseconds of the monotonic clock, `tdur` the thread's own CPU time in microseconds.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pageside.audit.errors import TraceInvalid

Event = dict[str, Any]

# A thread, as (process id, thread id).
Thread = tuple[int, int]

_METADATA = "M"


@dataclass(frozen=True)
class Log:
    """A trace's events in order of time, by process and by thread."""

    by_thread: dict[Thread, list[Event]]
    thread_names: dict[Thread, str]
    process_names: dict[int, str]

    def of_process(self, pid: int) -> list[Event]:
        """A process' events; those of one thread are in order, the threads are not merged."""
        return [
            event
            for thread, events in self.by_thread.items()
            if thread[0] == pid
            for event in events
        ]

    def threads_named(self, process: str, thread: str) -> list[Thread]:
        return [
            key
            for key, name in self.thread_names.items()
            if name == thread and self.process_names.get(key[0]) == process
        ]


def parse(content: bytes | str) -> list[Event]:
    """The events of a trace in either of its two JSON forms. Raises TraceInvalid."""
    try:
        document = json.loads(content)
    except ValueError as error:
        raise _invalid(f"the trace is not JSON ({error})") from error
    events = document.get("traceEvents") if isinstance(document, dict) else document
    if not isinstance(events, list):
        raise _invalid("the trace has no list of events")
    return events


def sort(events: Sequence[Event]) -> Log:
    """Raises TraceInvalid where an event lacks what all have."""
    by_thread: dict[Thread, list[Event]] = {}
    names: dict[str, dict[Any, str]] = {"thread_name": {}, "process_name": {}}
    try:
        for event in events:
            thread, name = (event["pid"], event["tid"]), event["name"]
            if event["ph"] != _METADATA:
                by_thread.setdefault(thread, []).append(event)
            elif name == "thread_name":
                names[name][thread] = event["args"]["name"]
            elif name == "process_name":
                names[name][thread[0]] = event["args"]["name"]
        for of_thread in by_thread.values():
            of_thread.sort(key=_outermost_first)
    except (KeyError, TypeError) as error:
        raise _invalid(f"the trace has an event without its {error}") from error
    return Log(by_thread, names["thread_name"], names["process_name"])


def data(event: Event) -> dict[str, Any]:
    return section(event, "data")


def section(event: Event, name: str) -> dict[str, Any]:
    """A part of an event's arguments, which may be missing or, in a trace that was stripped for
    privacy, a word."""
    args = event.get("args")
    found = args.get(name) if isinstance(args, dict) else None
    return found if isinstance(found, dict) else {}


def argument(event: Event, name: str) -> Any:
    args = event.get("args")
    return args.get(name) if isinstance(args, dict) else None


def wall_us(event: Event) -> float:
    """A span's time on the clock."""
    wall: float = event.get("dur", 0)
    return wall


def cpu_us(event: Event) -> float:
    """A span's CPU time. A few come without it, and then it is the time on the clock, which is
    never less than the truth."""
    cpu: float = event["tdur"] if "tdur" in event else wall_us(event)
    return cpu


def end_us(event: Event) -> float:
    end: float = event["ts"] + wall_us(event)
    return end


def named(events: Iterable[Event], *names: str) -> list[Event]:
    return [event for event in events if event["name"] in names]


def _outermost_first(event: Event) -> tuple[float, float]:
    return event["ts"], -event.get("dur", 0)


def _invalid(message: str) -> TraceInvalid:
    return TraceInvalid(message, hint="record it again; a trace must be saved whole")
