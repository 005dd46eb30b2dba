"""The money is fair, and the interval is what it leaves standing."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pageside.audit.compare.bets import interval, log_money

finite = st.floats(-5, 5, allow_nan=False)
differences = st.lists(finite, min_size=1, max_size=40).map(np.array)


@settings(deadline=None)
@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_over_all_coins_the_money_is_one_on_average(sizes):
    """Exactly, and whatever the sizes are: this is what the interval rests on."""
    signs = np.array(list(product([-1, 1], repeat=len(sizes)))).T
    money = np.exp(log_money(signs * np.array(sizes)[:, None]))
    assert money.mean() == pytest.approx(1, rel=1e-9)


def test_from_any_past_the_next_pair_is_fair():
    past = np.array([0.3, -0.1, 0.2, 0.2, 0.5])
    now = np.exp(log_money(past[:, None])[0])
    up, down = (np.exp(log_money(np.append(past, step)[:, None])[0]) for step in (0.4, -0.4))
    assert (up + down) / 2 == pytest.approx(now)
    assert up > now > down


@settings(deadline=None)
@given(differences, st.floats(0.01, 0.5))
def test_the_edges_are_where_the_money_reaches_the_limit(values, alpha):
    found = interval(values, alpha)
    if found is None:
        return
    low, centre, high = found
    limit = math.log(1 / alpha)
    assert low <= centre <= high
    assert log_money(values[:, None] - centre)[0] < limit
    for edge in (low, high):
        if math.isfinite(edge):
            assert log_money(values[:, None] - edge)[0] >= limit - 1e-9


# Billionths: a thousandth of the smallest number there is, is 0.
measured = st.lists(finite.map(lambda x: round(x, 9)), min_size=1, max_size=40).map(np.array)


@settings(deadline=None)
@given(measured, st.sampled_from([0.001, 0.5, 1000.0]))
def test_the_unit_does_not_matter(values, unit):
    money = log_money(values[:, None])[0]
    assert log_money(values[:, None] * unit)[0] == pytest.approx(money, abs=1e-6)


def test_few_pairs_say_nothing_and_more_say_more():
    rng = np.random.default_rng(5)
    values = 0.1 * rng.normal(size=200)
    few, some, many = (interval(values[:count], 0.05) for count in (4, 40, 200))
    assert (few[0], few[2]) == (-math.inf, math.inf)
    assert some[2] - some[0] > 1.5 * (many[2] - many[0]) > 0
    assert many[0] < 0 < many[2]


def test_equal_differences_leave_nothing_but_themselves():
    for value in (0.0, 0.1, -2.0):
        low, centre, high = interval(np.full(12, value), 0.01)
        assert low == pytest.approx(value, abs=1e-6)
        assert high == pytest.approx(value, abs=1e-6)
        assert low <= centre <= high


def test_one_wild_pair_does_not_move_the_interval_far():
    rng = np.random.default_rng(6)
    values = 0.1 * rng.normal(size=40)
    calm = interval(values, 0.05)
    wild = interval(np.append(values, 50.0), 0.05)
    assert abs(wild[1] - calm[1]) < 0.02  # the mean moves by 1.2
    assert wild[2] - wild[0] < 1.3 * (calm[2] - calm[0])


def test_differences_without_one_centre():
    """The effect changed in the middle: no one number was ever true."""
    values = np.concatenate([np.full(40, 0.1), np.full(10, -0.1)])
    assert interval(values, 0.9) is None
