"""A timeline as it can be drawn: in order, all of it placeable, no more points than are seen."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pageside.audit.report.figures import count, number, quantity
from pageside.audit.report.scale import Point, finite, thinned
from pageside.audit.report.visible import clip, one_line
from pageside.audit.result import Timeline

EVENTS_MOST = 40
_NAME_CHARACTERS = 18

# Ticks and bars nearer than one such share of the width are one on the screen.
_PLACES = 800


@dataclass(frozen=True)
class Curves:
    """Of one run; `about` is what its chart shows in words.

    `missed` are the distinct moments, `tasks` (start, CPU in ms) the longest of those that start
    together; what was left out of them is still in their counts.
    """

    scenario: str
    about: str
    span_ms: float
    emitted: list[Point]
    painted: list[Point]
    lags: list[Point]
    tasks: list[Point]
    task_count: int
    missed: list[float]
    missed_count: int
    events: list[tuple[float, str]]

    def thinner(self, columns: int) -> "Curves":
        """The same to the eye where `columns` places across can be told apart."""
        return replace(
            self,
            emitted=thinned(self.emitted, self.span_ms, columns),
            painted=thinned(self.painted, self.span_ms, columns),
            lags=thinned(self.lags, self.span_ms, columns),
        )


def curves_of(timeline: Timeline, columns: int) -> Curves:
    emitted, painted = finite(timeline.emitted), finite(timeline.painted)
    lags = finite(timeline.lags)
    ends = [points[-1][0] for points in (emitted, painted, lags) if points]
    # A run cut short may have points after what it says is its end.
    span_ms = max([*_finite([timeline.duration_ms]), *ends, 1.0])
    whole = Curves(
        scenario=timeline.scenario,
        about=_about(timeline),
        span_ms=span_ms,
        emitted=emitted,
        painted=painted,
        lags=lags,
        tasks=_longest(finite(timeline.tasks), span_ms),
        task_count=len(timeline.tasks),
        missed=_distinct(_finite(timeline.missed), span_ms),
        missed_count=len(timeline.missed),
        events=[(at, event_name(name)) for at, name in _events(timeline)],
    )
    return whole.thinner(columns)


def event_name(name: str) -> str:
    return clip(one_line(name), _NAME_CHARACTERS)


def _longest(tasks: list[Point], span_ms: float) -> list[Point]:
    longest: dict[int, Point] = {}
    for task in tasks:
        place = round(task[0] / span_ms * _PLACES)
        if place not in longest or task[1] > longest[place][1]:
            longest[place] = task
    return list(longest.values())


def _distinct(moments: list[float], span_ms: float) -> list[float]:
    return sorted({round(at / span_ms * _PLACES): at for at in moments}.values())


def _about(timeline: Timeline) -> str:
    said = [f"{quantity(timeline.duration_ms / 1000, 's')} long"]
    if timeline.emitted:
        said.append(f"{number(timeline.emitted[-1][1])} tokens emitted")
    if timeline.painted:
        said.append(f"{number(timeline.painted[-1][1])} painted")
    said.append(count(len(timeline.missed), "missed refresh slot"))
    said.append(count(len(timeline.tasks), "long task"))
    if timeline.lags:
        said.append(f"lag up to {quantity(max(lag for _, lag in timeline.lags), 'ms')}")
    events = _events(timeline)
    said += [f"{event_name(name)} at {quantity(at / 1000, 's')}" for at, name in events]
    return ", ".join(said) + "."


def _events(timeline: Timeline) -> list[tuple[float, str]]:
    return sorted(event for event in timeline.events if math.isfinite(event[0]))[:EVENTS_MOST]


def _finite(values: Iterable[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]
