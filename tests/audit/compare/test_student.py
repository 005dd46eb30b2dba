"""Student's t beside what the tables say, and beside the two cases that have a formula."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pageside.audit.compare.student import t_quantile


@pytest.mark.parametrize(
    ("tail", "freedom", "expected"),
    [
        (0.05, 1, 6.313751515),
        (0.025, 1, 12.7062047362),
        (0.025, 2, 4.3026527297),
        (0.025, 5, 2.5705818356),
        (0.025, 10, 2.2281388520),
        (0.025, 30, 2.0422724563),
        (0.005, 4, 4.6040948714),
        (0.0005, 5, 6.868826626),
        (0.5, 7, 0.0),
    ],
)
def test_the_tables(tail, freedom, expected):
    assert t_quantile(tail, freedom) == pytest.approx(expected, rel=1e-8, abs=1e-12)


@given(st.floats(1e-7, 0.5, exclude_max=True))
@settings(deadline=None)
def test_one_and_two_degrees_have_a_formula(tail):
    assert t_quantile(tail, 1) == pytest.approx(1 / math.tan(math.pi * tail), rel=1e-7, abs=1e-9)
    two = (1 - 2 * tail) / math.sqrt(2 * tail * (1 - tail))
    assert t_quantile(tail, 2) == pytest.approx(two, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("tail", [1e-5, 0.025, 0.2])
def test_many_degrees_are_normal(tail):
    quantiles = [t_quantile(tail, freedom) for freedom in (1, 2, 3, 8, 9, 50, 51, 5000)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert quantiles[-1] == pytest.approx(NormalDist().inv_cdf(1 - tail), rel=2e-3)


@pytest.mark.parametrize(("tail", "freedom"), [(0, 1), (0.6, 1), (-1, 1), (0.1, 0)])
def test_what_cannot_be_meant(tail, freedom):
    with pytest.raises(ValueError, match="a tail is"):
        t_quantile(tail, freedom)
