"""The compositor's side: the refresh it keeps time by, and what it presented.

`BeginFrame` events are stamped with the tick they are for, however late they are handled.
A `PipelineReporter` span ends when the frame with the main thread's update is on the screen;
a forked one has the compositor's own part of the same tick, such as a spinner's next step.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor
from statistics import median

from pageside.audit.trace.events import Event, argument, section

_SIXTY_HZ_US = 1e6 / 60

_PRESENTED = ("STATE_PRESENTED_ALL", "STATE_PRESENTED_PARTIAL")


@dataclass(frozen=True)
class FrameCounts:
    """The compositor's own verdicts. `partial` frames went out without the main thread's
    update: what a late update is called while something else on the page moves."""

    presented: int
    partial: int
    dropped: int
    no_update: int


def count_frames(reporters: Iterable[Event], begin: float, end: float) -> FrameCounts:
    states = Counter(
        _report(event).get("state")
        for event in reporters
        if event["ph"] == "b" and begin <= event["ts"] < end
    )
    return FrameCounts(
        presented=states["STATE_PRESENTED_ALL"],
        partial=states["STATE_PRESENTED_PARTIAL"],
        dropped=states["STATE_DROPPED"],
        no_update=states["STATE_NO_UPDATE_DESIRED"],
    )


class Presentations:
    """When the update of a main frame was presented, by the frame's sequence number."""

    def __init__(self, reporters: Iterable[Event]) -> None:
        self._spans: dict[int, list[tuple[float, float]]] = {}
        begun: dict[tuple[int, str], Event] = {}
        # A span's end has nothing but the id of its begin, and ids are used again.
        for event in sorted(reporters, key=lambda e: (e["ts"], e["ph"] == "b")):
            key = (event["pid"], event.get("id2", {}).get("local", ""))
            if event["ph"] == "b":
                begun[key] = event
            elif event["ph"] == "e" and key in begun:
                self._add(begun.pop(key), event["ts"])

    def _add(self, begin: Event, end: float) -> None:
        report = _report(begin)
        if report.get("state") in _PRESENTED and report.get("frame_type") != "FORKED":
            spans = self._spans.setdefault(report.get("frame_sequence", -1), [])
            spans.append((begin["ts"], end))

    def of(self, sequence: int | None, committed: float) -> float | None:
        """The end of the frame that was under way at the commit."""
        if sequence is None:
            return None
        ends = [e for b, e in self._spans.get(sequence, ()) if b <= committed <= e]
        return max(ends, default=None)


class Refresh:
    """The ticks of the display; 60 a second where a trace has too few to tell."""

    def __init__(self, ticks: Sequence[float], interval_us: float) -> None:
        self._ticks = ticks
        self.interval_us = interval_us

    @classmethod
    def read(cls, begin_frames: Iterable[Event]) -> "Refresh":
        ticks = {sequence: e["ts"] for e in begin_frames if (sequence := argument(e, "frameSeqId"))}
        numbers = sorted(ticks)
        gaps = [ticks[b] - ticks[a] for a, b in pairwise(numbers) if b == a + 1]
        return cls(sorted(ticks.values()), median(gaps) if gaps else _SIXTY_HZ_US)

    def next_tick(self, ts: float) -> float:
        """The first tick at or after a moment, counted on from the last one seen before it."""
        if not self._ticks:
            return ts
        last = self._ticks[max(0, bisect_right(self._ticks, ts) - 1)]
        return last + ceil((ts - last) / self.interval_us) * self.interval_us

    def tick_of(self, ts: float) -> float:
        """The tick that a moment follows at once, else the next."""
        after = self.next_tick(ts)
        before = after - self.interval_us
        return before if ts - before < self.interval_us / 4 else after

    def slots(self, tick: float, until: float) -> int:
        """Whole refresh slots from a tick to a moment."""
        return max(0, floor((until - tick) / self.interval_us))


def layer_tree(main: Iterable[Event]) -> int | None:
    """The layer tree of most commits: a page's; menus and tooltips have their own."""
    trees = Counter(layer_tree_of(e) for e in main if e["name"] == "Commit")
    return max(trees, key=lambda tree: trees[tree], default=None)


def layer_tree_of(event: Event) -> int | None:
    tree: int | None = argument(event, "layerTreeId")
    return tree


def of_tree(events: Iterable[Event], tree: int | None) -> list[Event]:
    return [event for event in events if layer_tree_of(event) == tree]


def _report(event: Event) -> Event:
    return section(event, "frame_reporter") or section(event, "chrome_frame_reporter")
