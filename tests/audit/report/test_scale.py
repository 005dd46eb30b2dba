"""Fewer points that look the same, round ticks, and numbers as they are read."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pageside.audit.report.figures import number, quantity, span
from pageside.audit.report.scale import Scale, decades, finite, thinned, ticks
from pageside.audit.report.svg import steps, straight, strokes

from . import results

values = st.floats(0, 1_000, allow_nan=False)


@settings(deadline=None)
@given(st.lists(st.tuples(values, values), min_size=1, max_size=400), st.integers(1, 40))
def test_thinning_keeps_the_extremes_of_every_column_in_order(
    points: list[tuple[float, float]], wanted: int
) -> None:
    points = finite(points)
    kept = thinned(points, 1_000, wanted)
    assert kept == sorted(kept, key=lambda point: point[0])
    assert set(kept) <= set(points)
    for column in range(wanted):
        here = [p for p in points if min(wanted - 1, int(p[0] / 1_000 * wanted)) == column]
        left = [p for p in kept if min(wanted - 1, int(p[0] / 1_000 * wanted)) == column]
        if here:
            assert min(y for _, y in left) == min(y for _, y in here)
            assert max(y for _, y in left) == max(y for _, y in here)
            assert (left[0], left[-1]) == (here[0], here[-1])


def test_one_spike_among_50_000_points_is_kept() -> None:
    points = [(float(i), 5.0) for i in range(50_000)]
    points[31_415] = (31_415.0, 900.0)
    kept = thinned(points, 50_000, 500)
    assert len(kept) <= 2_000
    assert (31_415.0, 900.0) in kept


@settings(deadline=None)
@given(st.floats(1e-6, 1e9), st.integers(1, 8))
def test_ticks_are_few_round_and_within(most: float, wanted: int) -> None:
    marks = ticks(most, wanted)
    assert marks[0] == 0
    assert marks[-1] <= most * 1.001
    assert len(marks) <= wanted * 4 / 3 + 2


def test_without_a_span_there_is_one_tick() -> None:
    for nothing in (0.0, -1.0, math.nan, math.inf):
        assert ticks(nothing, 5) == [0.0]
    assert Scale(0, 0).at(3) == 0
    assert decades(1, 100) == [1, 2, 5, 10, 20, 50, 100]
    assert Scale(1, 100, logarithmic=True).at(10) == pytest.approx(0.5)


def test_paths() -> None:
    assert steps([(0, 0), (0.5, 1)]) == "M0 1000H500V0"
    assert straight([(0, 0), (0.1, 0.5), (0.9, 1)], gap=0.3) == "M0 1000L100 500M900 0"
    assert strokes([0.1, 0.10001, 0.5]) == "M100 0V1000M500 0V1000"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (3.0, "3"),
        (0.012345, "0.0123"),
        (7.02, "7.02"),
        (99.94, "99.9"),
        (123.4, "123"),
        (9_999.6, "10\u202f000"),
        (1_234_567, "1\u202f234\u202f567"),
        (-2.5, "−2.50"),
        (1e-9, "1.00e−09"),
        (1e20, "1.00e+20"),
        (math.inf, "∞"),
        (math.nan, "–"),
    ],
)
def test_a_number_has_three_significant_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_units_and_spans() -> None:
    assert quantity(7.04, "×") == "7.04×"
    assert quantity(7.04, "ms") == "7.04\u202fms"
    assert span(results.finding(results.LAG, "x", (36.0, 41.7), None, None)) == "36.0–41.7"
    assert span(results.finding(results.LAG, "x", (36.0, 36.0), None, None)) == "36"
