"""What one update costs, against the length of the answer: how it grows, and in which stage."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pageside.audit.report import svg
from pageside.audit.report.figures import number, quantity
from pageside.audit.report.html import Html, el, join
from pageside.audit.report.scale import Scale, decades
from pageside.audit.report.visible import clip, one_line
from pageside.audit.result import Cost

STAGES = ("script", "parse", "style", "layout", "prepaint", "paint", "composite", "gc", "other")

_GROWTH_HEIGHT = 236
_NAME_HEIGHT = 18
_ROW_HEIGHT = 46
_BAR_HEIGHT = 18
_GROWTH_ALLOWED = 2
_ROWS_MOST = 40

# Lengths closer than this share of the axis are not both written below it.
_LENGTH_SHARE = 0.13
_SERIES_MOST = 6

# Of the width: the longest bar leaves room for its figure.
_BARS_SHARE = 0.84

# A name is written into its bar where it fits on a phone, at some 300 px and 6.5 px a letter.
_LETTER_SHARE = 6.5 / 300

# One shape a series, so that colour is not all that tells them apart.
_SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    "M-4-4h8v8h-8z",
    "M0-5L5 4H-5z",
    "M0-5.5L5.5 0 0 5.5-5.5 0z",
    "M0 5L5-4H-5z",
    "M-1.5-5h3v3.5H5v3H1.5V5h-3V1.5H-5v-3h3.5z",
)


@dataclass(frozen=True)
class _Area:
    """Where the growth chart places a length and a cost; `top` and `bottom` in px."""

    length: Scale
    cost: Scale
    top: float

    @property
    def bottom(self) -> float:
        return self.top + _GROWTH_HEIGHT

    def x(self, length_tokens: int) -> str:
        return svg.percent(self.length.at(length_tokens))

    def y(self, cpu_ms: float) -> float:
        return self.top + _GROWTH_HEIGHT * (1 - self.cost.at(cpu_ms))


def placeable(costs: Iterable[Cost]) -> list[Cost]:
    """Those with a length and a cost above nothing, the shortest answer first."""
    kept = [c for c in costs if c.length_tokens > 0 and 0 < c.cpu_ms_per_update < math.inf]
    return sorted(kept, key=lambda c: (c.history_messages, c.length_tokens, c.scenario))


def series_of(costs: Sequence[Cost]) -> dict[str, list[Cost]]:
    """The lines to draw: a scenario of several lengths is one; all others go by history."""
    lengths: dict[str, set[int]] = {}
    for cost in costs:
        lengths.setdefault(cost.scenario, set()).add(cost.length_tokens)
    series: dict[str, list[Cost]] = {}
    for cost in placeable(costs):
        alone = len(lengths[cost.scenario]) < 2
        name = _history(cost) if alone else f"{one_line(cost.scenario)}, {_history(cost)}"
        series.setdefault(name, []).append(cost)
    return series


def growth_chart(costs: Sequence[Cost]) -> Html:
    """Cost against length, both logarithmic: what does not grow is level."""
    series = dict(list(series_of(costs).items())[:_SERIES_MOST])
    shown = [cost for line in series.values() for cost in line]
    area = _Area(_length_scale(shown), _cost_scale(shown), top=_NAME_HEIGHT * len(series) + 10)
    return svg.chart(
        "growth",
        "CPU cost of an update against the length of the answer",
        " ".join(f"{name}: {_words(line)}." for name, line in series.items()),
        area.bottom + 44,
        *map(_name, range(len(series)), series),
        *_grid(area, sorted({cost.length_tokens for cost in shown})),
        *_guide(shown[0], area),
        *(_line(i, line, area) for i, line in enumerate(series.values())),
    )


def stages_chart(costs: Sequence[Cost]) -> Html:
    """A bar a length, cut into stages, all in one scale."""
    rows = placeable(costs)[:_ROWS_MOST]
    most = max(cost.cpu_ms_per_update for cost in rows)
    several = len({(cost.length_tokens, cost.history_messages) for cost in rows}) < len(rows)
    return svg.chart(
        "stages",
        "CPU cost of an update by stage",
        " ".join(f"{_row_name(cost, several)}: {_parts(cost)}." for cost in rows),
        len(rows) * _ROW_HEIGHT,
        *(_bar(i * _ROW_HEIGHT, c, most, _row_name(c, several)) for i, c in enumerate(rows)),
    )


def stage_keys(costs: Sequence[Cost]) -> Html:
    """Which colour is which stage, in the order of the bars."""
    shown = {stage for cost in placeable(costs)[:_ROWS_MOST] for stage, _ in stages_of(cost)}
    keys = [el("li", stage, class_=stage) for stage in STAGES if stage in shown]
    return el("ul", *keys, class_="keys", aria_hidden="true")


def stages_of(cost: Cost) -> list[tuple[str, float]]:
    """In the order of the pipeline; stages we have no name for come last, as they are called."""
    unknown = sorted(set(cost.stages) - set(STAGES))
    named = [(stage, cost.stages.get(stage, 0.0)) for stage in (*STAGES, *unknown)]
    return [(stage, ms) for stage, ms in named if 0 < ms < math.inf]


def _history(cost: Cost) -> str:
    before = cost.history_messages
    return f"{number(before)} earlier messages" if before else "empty conversation"


def _row_name(cost: Cost, with_scenario: bool) -> str:
    where = f" · {clip(one_line(cost.scenario), 40)}" if with_scenario else ""
    return f"{number(cost.length_tokens)} tokens · {_history(cost)}{where}"


def _words(line: list[Cost]) -> str:
    return ", ".join(
        f"{quantity(c.cpu_ms_per_update, 'ms')} at {number(c.length_tokens)} tokens" for c in line
    )


def _parts(cost: Cost) -> str:
    return ", ".join(f"{clip(name, 40)} {quantity(ms, 'ms')}" for name, ms in stages_of(cost))


def _length_scale(costs: list[Cost]) -> Scale:
    lengths = [cost.length_tokens for cost in costs]
    return Scale(min(lengths) / 1.3, max(lengths) * 1.3, logarithmic=True)


def _cost_scale(costs: list[Cost]) -> Scale:
    """At least a decade, so that noise does not look like growth."""
    values = [cost.cpu_ms_per_update for cost in costs]
    least = min(values) / 1.6
    return Scale(least, max(max(values) * 1.6, least * 10), logarithmic=True)


def _name(index: int, name: str) -> Html:
    y = _NAME_HEIGHT * index + 10
    return join(_mark("5", y - 4, index), svg.text(16, y, clip(name, 48), class_="header"))


def _mark(x: str, y: float, index: int) -> Html:
    mark = el("path", class_=f"mark series-{index}", d=Html(_SHAPES[index]))
    return el("svg", mark, class_="place", x=x, y=round(y, 1))


def _grid(area: _Area, lengths: list[int]) -> Iterator[Html]:
    for value in decades(area.cost.least, area.cost.most):
        at = area.y(value)
        yield svg.line(0, at, "100%", at, "grid")
        yield svg.text(-8, at + 4, number(value), anchor="end")
    yield svg.line(0, area.bottom, "100%", area.bottom, "base")
    last = -1.0
    for length in lengths:
        at_x, share = area.x(length), area.length.at(length)
        yield svg.line(at_x, area.bottom, at_x, area.bottom + 4, "base")
        if share - last > _LENGTH_SHARE:
            yield svg.text(at_x, area.bottom + 18, number(length), anchor="middle")
            last = share
    yield svg.text("100%", area.bottom + 36, "tokens in the answer (log scale)", anchor="end")


def _guide(first: Cost, area: _Area) -> Iterator[Html]:
    """What may be reached: twice the cost on the shortest answer."""
    at = area.y(first.cpu_ms_per_update * _GROWTH_ALLOWED)
    yield svg.line(0, at, "100%", at, "guide")
    words = f"{_GROWTH_ALLOWED}× the cost at {number(first.length_tokens)} tokens"
    yield svg.text("100%", at + 14, words, class_="guide-name", anchor="end")


def _line(index: int, costs: list[Cost], area: _Area) -> Html:
    """The first line has its figures below, where there is room; others above."""
    places = [(area.length.at(c.length_tokens), area.cost.at(c.cpu_ms_per_update)) for c in costs]
    path = el("path", class_=f"cost series-{index}", d=svg.straight(places))
    parts = [svg.plot(area.top, _GROWTH_HEIGHT, path)]
    for cost in costs:
        at, y = area.x(cost.length_tokens), area.y(cost.cpu_ms_per_update)
        value = number(cost.cpu_ms_per_update)
        parts.append(_mark(at, y, index))
        parts.append(
            svg.text(at, y - 9 if index else y + 18, value, class_="value", anchor="middle")
        )
    return join(*parts)


def _bar(y: float, cost: Cost, most: float, name: str) -> Html:
    parts = [svg.text(0, y + 12, name, class_="header")]
    start = 0.0
    for stage, ms in stages_of(cost):
        share = ms / most * _BARS_SHARE
        parts.append(_segment(start, share, y + _BAR_HEIGHT, stage, ms))
        start += share
    total = quantity(cost.cpu_ms_per_update, "ms")
    at = svg.percent(min(1.0, start + 0.012))
    parts.append(svg.text(at, y + _BAR_HEIGHT + 13, total, class_="value"))
    return join(*parts)


def _segment(start: float, share: float, y: float, stage: str, ms: float) -> Html:
    name = stage if stage in STAGES else "other"
    title = el("title", f"{stage}: {quantity(ms, 'ms')}")
    width = svg.percent(share)
    bar = svg.rect(svg.percent(start), y, width, _BAR_HEIGHT, f"stage {name}", title)
    if share < len(stage) * _LETTER_SHARE + 0.02:
        return bar
    at = svg.percent(start + share / 2)
    return join(bar, svg.text(at, y + 13, stage, class_=f"in-bar {name}", anchor="middle"))
