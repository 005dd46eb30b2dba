"""From values to places on a chart: scales, ticks, and fewer points that look the same."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

Point = tuple[float, float]

_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Scale:
    """Places values from `least` to `most` between 0 and 1; outside it, at the nearer end."""

    least: float
    most: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        least, most, value = self._even(self.least), self._even(self.most), self._even(value)
        if not most > least:
            return 0.0
        return min(1.0, max(0.0, (value - least) / (most - least)))

    def _even(self, value: float) -> float:
        return math.log(max(value, 1e-9)) if self.logarithmic else value


def ticks(most: float, wanted: int) -> list[float]:
    """About `wanted` round values from 0 to `most`: steps of 1, 2, 2.5 or 5 by powers of ten."""
    if not (math.isfinite(most) and most > 0):
        return [0.0]
    rough = most / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in _STEPS if power * times >= rough * 0.75)
    return [step * i for i in range(math.floor(most / step * 1.0001) + 1)]


def decades(least: float, most: float) -> list[float]:
    """The values 1, 2 and 5 times a power of ten within the two, for logarithmic axes."""
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    values = [times * 10.0**power for power in range(first, last + 1) for times in (1, 2, 5)]
    return [value for value in values if least * 0.999 <= value <= most * 1.001]


def finite(points: Iterable[Point]) -> list[Point]:
    """In the order of time, without what no chart can place."""
    return sorted(p for p in points if math.isfinite(p[0]) and math.isfinite(p[1]))


def thinned(points: Sequence[Point], most: float, columns: int) -> list[Point]:
    """Of each of `columns` equal parts of 0..`most`: its first, lowest, highest and last point.

    So a single spike among 50,000 points is drawn, and a line drawn through the rest looks as
    it did. `points` are in order.
    """
    if len(points) <= 2 * columns:
        return list(points)
    kept: list[Point] = []
    column: list[Point] = []
    place = -1
    for point in points:
        here = min(columns - 1, int(point[0] / most * columns)) if most > 0 else 0
        if here != place:
            kept += _outline(column)
            column, place = [], here
        column.append(point)
    return kept + _outline(column)


def _outline(column: list[Point]) -> list[Point]:
    if len(column) <= 4:
        return column
    lowest, highest = min(column, key=itemgetter(1)), max(column, key=itemgetter(1))
    return sorted({column[0], lowest, highest, column[-1]})
