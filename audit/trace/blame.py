"""Which of the page's own functions the CPU time went to.

Chromium's sampling profiler writes a tree of calls and a list of samples, each a leaf of the
tree, in `ProfileChunk` events. A sample is time on the clock; here it counts for the share of
it that its task had the CPU.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pageside.audit.result import Blame
from pageside.audit.trace.events import Event, cpu_us, data, end_us, named, section
from pageside.audit.trace.tasks import Span

# Where the page's own code is not: the profiler's own names, and code that was injected.
_FOREIGN_URLS = ("", "native ", "node:", "pptr:", "chrome-extension:", "extensions::")

# Microtasks carry no place; where a frame is long, Chromium tells its scripts beside it.
_CALLS = ("FunctionCall", "EvaluateScript", "RunMicrotasks")

Place = tuple[str, int, int, str]


@dataclass(frozen=True)
class _Call:
    place: Place | None
    parent: int | None


class Profile:
    """Samples of one thread: (moment in the trace's µs, place or None, CPU µs)."""

    def __init__(self, samples: Sequence[tuple[float, Place | None, float]]) -> None:
        self._samples = samples

    def __bool__(self) -> bool:
        return bool(self._samples)

    @classmethod
    def read(cls, process: Iterable[Event], tid: int, tasks: Sequence[Span]) -> "Profile":
        process = named(process, "Profile", "ProfileChunk")
        # A profile belongs to the thread that began it; its chunks come from the sampler's.
        begins = {
            (event["pid"], event.get("id")): data(event)["startTime"]
            for event in process
            if event["name"] == "Profile" and event["tid"] == tid
        }
        samples: list[tuple[float, Place | None, float]] = []
        for key, begin in begins.items():
            chunks = [
                event
                for event in process
                if event["name"] == "ProfileChunk" and (event["pid"], event.get("id")) == key
            ]
            samples += _samples(sorted(chunks, key=lambda e: e["ts"]), begin, tasks)
        return cls(samples)

    def blame(self, begin: float, end: float) -> tuple[Blame, ...]:
        spent: dict[Place, float] = {}
        for ts, place, cpu in self._samples:
            if place is not None and begin <= ts < end:
                spent[place] = spent.get(place, 0.0) + cpu
        return _ranked(spent)


def blame_calls(events: Iterable[Event]) -> tuple[Blame, ...]:
    """Without samples: what was called from outside, with all that it called."""
    spent: dict[Place, float] = {}
    task_begin = outermost_end = float("-inf")
    script: Event | None = None
    for event in events:
        if event["name"] == "RunTask":
            task_begin = event["ts"]
        elif event["name"] == "AnimationFrame::Script::Execute" and event["ph"] == "b":
            script = event
        elif event["name"] in _CALLS and event["ts"] >= outermost_end:
            outermost_end = end_us(event)
            place = _place_of_call(event)
            if event["name"] == "RunMicrotasks" and script and script["ts"] >= task_begin:
                place = _place_of_script(script)
            if place is not None:
                spent[place] = spent.get(place, 0.0) + cpu_us(event)
    return _ranked(spent)


def _ranked(spent: dict[Place, float]) -> tuple[Blame, ...]:
    places = sorted(spent, key=lambda place: -spent[place])
    return tuple(Blame(*place, cpu_ms=spent[place] / 1000) for place in places)


def _place_of_call(event: Event) -> Place | None:
    of = data(event)
    url = of.get("url", "")
    if not _is_own(url):
        return None
    line, column = of.get("lineNumber", 1), of.get("columnNumber", 1)
    return url, max(1, line), max(1, column), of.get("functionName", "")


def _place_of_script(event: Event) -> Place | None:
    """Told as a number of characters into the file: exact for a bundle of one line."""
    timing = section(event, "animation_frame_script_timing_info")
    url = timing.get("source_location_url", "")
    if not _is_own(url):
        return None
    invoker = (timing.get("class_like_name", ""), timing.get("property_like_name", ""))
    called = timing.get("source_location_function_name") or ".".join(filter(None, invoker))
    position = max(0, timing.get("source_location_char_position", 0))
    return url, 1, position + 1, f"{called or 'script'} (character {position} of the file)"


def _samples(
    chunks: Iterable[Event], begin: float, tasks: Sequence[Span]
) -> Iterable[tuple[float, Place | None, float]]:
    calls: dict[int, _Call] = {}
    now = begin
    starts = [task.ts for task in tasks]
    for chunk in chunks:
        profile = data(chunk).get("cpuProfile", {})
        for node in profile.get("nodes", ()):
            calls[node["id"]] = _Call(_place_of_frame(node["callFrame"]), node.get("parent"))
        deltas = data(chunk).get("timeDeltas", ())
        for leaf, delta in zip(profile.get("samples", ()), deltas, strict=False):
            now += delta
            place = _own_place(calls, leaf)
            if place is not None:
                yield now, place, max(0, delta) * _cpu_share(now, tasks, starts)


def _own_place(calls: dict[int, _Call], leaf: int | None) -> Place | None:
    """The innermost function of the page on the stack: what it called in the browser or in
    injected code it is to answer for."""
    while leaf is not None and leaf in calls:
        if calls[leaf].place is not None:
            return calls[leaf].place
        leaf = calls[leaf].parent
    return None


def _cpu_share(ts: float, tasks: Sequence[Span], starts: Sequence[float]) -> float:
    index = bisect_right(starts, ts) - 1
    if index < 0:
        return 0.0
    task = tasks[index]
    if ts > task.ts + task.dur or not task.dur:
        return 0.0
    return min(1.0, task.cpu / task.dur)


def _place_of_frame(frame: Event) -> Place | None:
    url = frame.get("url", "")
    if not _is_own(url):
        return None
    # The profiler counts from 0.
    line, column = frame.get("lineNumber", 0) + 1, frame.get("columnNumber", 0) + 1
    return url, line, column, frame.get("functionName", "")


def _is_own(url: str) -> bool:
    return url != "" and not url.startswith(tuple(p for p in _FOREIGN_URLS if p))
