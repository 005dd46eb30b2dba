"""The part of a trace between two marks, as the page's main thread lived it."""

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING

from pageside.audit.result import Blame
from pageside.audit.trace.arrivals import Arrival
from pageside.audit.trace.blame import blame_calls
from pageside.audit.trace.counts import (
    Counters,
    Layout,
    LongFrame,
    Restyle,
    read_counters,
    read_layouts,
    read_long_frames,
    read_restyles,
)
from pageside.audit.trace.events import Event
from pageside.audit.trace.frames import FrameCounts, count_frames
from pageside.audit.trace.gpu import Gpu, read_gpu
from pageside.audit.trace.tasks import STAGES, Task
from pageside.audit.trace.updates import Commit, Update

if TYPE_CHECKING:
    from pageside.audit.trace.reading import Renderer


class Window:
    """Times ending in `_ms` are from the window's begin, those in `_s` monotonic seconds.

    What lies across the border is counted for the share of it inside (tasks), or where it
    begins (layouts, style recalculations), or where it ends (updates, at their commit).
    """

    def __init__(self, renderer: "Renderer", begin_us: float, end_us: float) -> None:
        self._renderer = renderer
        self._begin = begin_us
        self._end = end_us

    @property
    def begin_s(self) -> float:
        return self._begin / 1e6

    @property
    def end_s(self) -> float:
        return self._end / 1e6

    @property
    def duration_ms(self) -> float:
        return (self._end - self._begin) / 1000

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The main thread's outermost tasks in order."""
        spans = (span.within(self._begin, self._end) for span in self._renderer.tasks)
        return tuple(task for task in spans if task is not None)

    @cached_property
    def cpu_ms(self) -> float:
        """The main thread's CPU time."""
        return sum(task.cpu_ms for task in self.tasks)

    @cached_property
    def stages(self) -> dict[str, float]:
        """Stage → CPU ms; adds up to `cpu_ms`."""
        return {stage: sum(task.stages[stage] for task in self.tasks) for stage in STAGES}

    @cached_property
    def updates(self) -> tuple[Update, ...]:
        """One a commit, in order."""
        commits = [c for c in self._renderer.updates if self._begin <= c.committed < self._end]
        updates = []
        tasks = list(reversed(self.tasks))
        for commit in commits:
            cpu_ms = 0.0
            while tasks and tasks[-1].start_ms <= self._ms(commit.committed):
                cpu_ms += tasks.pop().cpu_ms
            updates.append(self._update(commit, cpu_ms))
        return tuple(updates)

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        return read_layouts(self._events, self._begin)

    @cached_property
    def restyles(self) -> tuple[Restyle, ...]:
        return read_restyles(self._events, self._begin)

    @cached_property
    def long_frames(self) -> tuple[LongFrame, ...]:
        return read_long_frames(self._events, self._begin)

    @cached_property
    def counters(self) -> tuple[Counters, ...]:
        return read_counters(self._events, self._begin)

    @cached_property
    def arrivals(self) -> tuple[Arrival, ...]:
        return tuple(a for a in self._renderer.arrivals if self.begin_s <= a.at_s < self.end_s)

    @property
    def arrivals_s(self) -> tuple[float, ...]:
        """When bytes of a response reached a thread of the page."""
        return tuple(arrival.at_s for arrival in self.arrivals)

    @cached_property
    def frames(self) -> FrameCounts:
        """The compositor's own verdicts on its frames."""
        return count_frames(self._renderer.reporters, self._begin, self._end)

    @cached_property
    def gpu(self) -> Gpu:
        return read_gpu(self._renderer.gpu, self._begin, self._end)

    @property
    def slot_ms(self) -> float:
        """The time between two refreshes of the display."""
        return self._renderer.refresh.interval_us / 1000

    def blame(self, count: int = 5) -> tuple[Blame, ...]:
        """The page's own code by the CPU time it spent itself, the most first.

        With a trace of `detail` by function; without, by what was called from outside.
        """
        profile = self._renderer.profile
        if profile:
            return profile.blame(self._begin, self._end)[:count]
        return blame_calls(self._events)[:count]

    @cached_property
    def _events(self) -> list[Event]:
        """The main thread's events that begin in the window."""
        main = self._renderer.main
        first = bisect_left(main, self._begin, key=lambda event: event["ts"])
        last = bisect_left(main, self._end, key=lambda event: event["ts"])
        return main[first:last]

    def _update(self, commit: Commit, cpu_ms: float) -> Update:
        presented = commit.presented
        return Update(
            requested_ms=self._ms(commit.requested),
            committed_ms=self._ms(commit.committed),
            presented_ms=None if presented is None else self._ms(presented),
            cpu_ms=cpu_ms,
            missed_by_main=commit.missed_by_main,
            missed_by_presentation=commit.missed_by_presentation,
        )

    def _ms(self, ts: float) -> float:
        return (ts - self._begin) / 1000
