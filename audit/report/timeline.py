"""One run over time: tokens sent and seen, missed slots, long tasks and lag, on one time axis."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pageside.audit.report import svg
from pageside.audit.report.curves import Curves
from pageside.audit.report.figures import number, quantity
from pageside.audit.report.html import Html, el, join
from pageside.audit.report.scale import Point, Scale, ticks
from pageside.audit.report.visible import clip, one_line

_TOKENS_HEIGHT = 132
_LANE_HEIGHT = 12
_LAG_HEIGHT = 72
_HEADER_HEIGHT = 27
_EVENTS_HEIGHT = 18
_AXIS_HEIGHT = 24

# Names of events closer than this share of the width are written as one.
_LABEL_SHARE = 0.12
_LABEL_CHARACTERS = 36

# No lag is known where nothing was painted: there the line is broken.
_GAP_SHARE = 0.05


@dataclass(frozen=True)
class _Panel:
    """A part of the chart: its words above, and what draws it from a given y on."""

    header: tuple[Html | str, ...]
    height: int
    draw: Callable[[float], Html]


def timeline_chart(curves: Curves, name: str) -> Html:
    """`name` is unique on the page."""
    drawing = _Drawing(curves)
    top = _EVENTS_HEIGHT if curves.events else 0
    y = float(top)
    parts = []
    for panel in drawing.panels():
        y += _HEADER_HEIGHT
        parts.append(svg.text(0, y - 8, *panel.header, class_="header"))
        parts.append(panel.draw(y))
        y += panel.height
    return svg.chart(
        name,
        f"Timeline of {one_line(curves.scenario)}",
        curves.about,
        y + _AXIS_HEIGHT,
        drawing.time_axis(top + 6, y),
        drawing.events(top, y),
        *parts,
        svg.line(0, top + 6, 0, y, "cursor"),
        data_span=curves.span_ms,
    )


class _Drawing:
    def __init__(self, curves: Curves) -> None:
        self._curves = curves
        self._time = Scale(0, curves.span_ms)

    def panels(self) -> Iterator[_Panel]:
        curves = self._curves
        if curves.emitted or curves.painted:
            yield _Panel(_tokens_header(), _TOKENS_HEIGHT, self._tokens)
        words = _amount("missed refresh slots", curves.missed_count)
        yield _Panel((words,), _LANE_HEIGHT if curves.missed else 0, self._missed)
        words = _amount("long tasks", curves.task_count)
        if curves.tasks:
            words += f", longest {quantity(max(cpu for _, cpu in curves.tasks), 'ms')} CPU"
        yield _Panel((words,), _LANE_HEIGHT if curves.tasks else 0, self._tasks)
        if curves.lags:
            yield _Panel(("token → paint lag, ms",), _LAG_HEIGHT, self._lag)

    def time_axis(self, top: float, bottom: float) -> Html:
        seconds = self._curves.span_ms / 1000
        marks = ticks(seconds, 6)
        drawn = []
        for mark in marks:
            at = svg.percent(mark / seconds)
            unit = " s" if mark == marks[-1] else ""
            drawn.append(svg.line(at, top, at, bottom, "grid"))
            drawn.append(svg.text(at, bottom + 16, f"{number(mark)}{unit}", anchor="middle"))
        return join(*drawn)

    def events(self, top: float, bottom: float) -> Html:
        """Each moment as an upright line; what lies between "hide" and "show" is shaded."""
        places = [svg.percent(self._time.at(at)) for at, _ in self._curves.events]
        lines = [svg.line(at, top, at, bottom, "event") for at in places]
        return join(self._hidden(top, bottom), lines, self._event_names())

    def _hidden(self, top: float, bottom: float) -> Iterator[Html]:
        since: float | None = None
        for at, name in [*self._curves.events, (self._curves.span_ms, "show")]:
            if name == "hide":
                since = self._time.at(at)
            elif name == "show" and since is not None:
                width = svg.percent(self._time.at(at) - since)
                yield svg.rect(svg.percent(since), top, width, bottom - top, "hidden")
                since = None

    def _event_names(self) -> Iterator[Html]:
        groups: list[tuple[float, list[str]]] = []
        for at, name in self._curves.events:
            share = self._time.at(at)
            if groups and share - groups[-1][0] < _LABEL_SHARE:
                groups[-1][1].append(name)
            else:
                groups.append((share, [name]))
        for share, names in groups:
            words = clip(" · ".join(names), _LABEL_CHARACTERS)
            anchor = "end" if share > 0.7 else "start"
            yield svg.text(svg.percent(share), 10, words, class_="event-name", anchor=anchor)

    def _tokens(self, y: float) -> Html:
        curves = {"emitted": self._curves.emitted, "painted": self._curves.painted}
        scale = Scale(0, max(n for points in curves.values() for _, n in [(0, 1), *points]))
        paths = [self._curve(name, points, scale) for name, points in curves.items() if points]
        return join(_levels(scale, y, _TOKENS_HEIGHT, 3), svg.plot(y, _TOKENS_HEIGHT, *paths))

    def _curve(self, name: str, points: list[Point], scale: Scale) -> Html:
        # Nothing before the first, and the last value until the end.
        whole = [(0.0, 0.0), *points, (self._curves.span_ms, points[-1][1])]
        path = svg.steps(self._places(whole, scale))
        return el("path", class_=f"curve {name}", d=path, data_name=name, data_most=scale.most)

    def _places(self, points: list[Point], scale: Scale) -> list[Point]:
        return [(self._time.at(x), scale.at(y)) for x, y in points]

    def _missed(self, y: float) -> Html:
        path = svg.strokes(map(self._time.at, self._curves.missed))
        return _lane(y, el("path", class_="missed", d=path)) if path else Html()

    def _tasks(self, y: float) -> Html:
        """Each as wide as its CPU time."""
        tasks = self._curves.tasks
        bars = [svg.bar(self._time.at(start), self._time.at(cpu_ms)) for start, cpu_ms in tasks]
        return _lane(y, el("path", class_="task", d=join(*bars))) if bars else Html()

    def _lag(self, y: float) -> Html:
        scale = Scale(0, max(1.0, *(lag for _, lag in self._curves.lags)))
        line = svg.straight(self._places(self._curves.lags, scale), _GAP_SHARE)
        path = el("path", class_="lag", d=line, data_name="lag", data_most=scale.most)
        return join(_levels(scale, y, _LAG_HEIGHT, 2), svg.plot(y, _LAG_HEIGHT, path))


def _tokens_header() -> tuple[Html | str, ...]:
    return (
        "tokens ",
        el("tspan", "┄┄ emitted", class_="emitted-name"),
        "  ",
        el("tspan", "━━ painted", class_="painted-name"),
    )


def _amount(what: str, amount: int) -> str:
    return f"{what}: {number(amount) if amount else 'none'}"


def _lane(y: float, marks: Html) -> Html:
    base = svg.line(0, y + _LANE_HEIGHT, "100%", y + _LANE_HEIGHT, "base")
    return join(base, svg.plot(y, _LANE_HEIGHT, marks))


def _levels(scale: Scale, y: float, height: float, wanted: int) -> Html:
    """Horizontal lines at round values, each with its value in the margin."""
    drawn = []
    for value in ticks(scale.most, wanted):
        at = y + height * (1 - scale.at(value))
        drawn.append(svg.line(0, at, "100%", at, "base" if value == 0 else "grid"))
        drawn.append(svg.text(-8, at + 4, number(value), anchor="end"))
    return join(*drawn)
