"""Every rule of a verdict, at its limit and on both sides of it."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pageside.audit.result import Budget, Finding, Guard, Metric, Sample
from pageside.audit.verdict import exit_status, judge, median_interval, overall

LAG = Metric("lag_p95_ms", "ms", "wall", "…")
GROWTH = Metric("cost_growth", "×", "cpu", "…")
NODES = Metric("nodes", "", "count", "…")
METRICS = {metric.name: metric for metric in (GROWTH, LAG, NODES)}

BUDGET = Budget("lag_p95_ms", 100, "steady-*", slack=50)


def judged(*values, budget=BUDGET, guards=(), metric=LAG, scenario="steady-33"):
    """The one finding of `values`, a run each."""
    samples = [Sample(metric.name, scenario, run, value) for run, value in enumerate(values)]
    (finding,) = judge(samples, METRICS, [budget], guards, [scenario])
    return finding


def broken(*kinds, scenario="steady-33", holds=False, name="machine"):
    return Guard(name, scenario, 0, holds, "timers fired 80 ms late", frozenset(kinds))


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (0, "pass"),
        (100, "pass"),
        (100.0001, "inconclusive"),
        (150, "inconclusive"),
        (150.0001, "fail"),
        (math.nan, "inconclusive"),
        (math.inf, "inconclusive"),
    ],
)
def test_one_run_is_taken_at_its_word(value, verdict):
    assert judged(value).verdict == verdict


def test_without_slack_there_is_nothing_between():
    budget = Budget("nodes", 6, slack=0)
    assert judged(6, budget=budget, metric=NODES).verdict == "pass"
    assert judged(7, budget=budget, metric=NODES).verdict == "fail"


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ((99, 100), "pass"),
        ((99, 101), "inconclusive"),
        ((90, 90, 90, 90, 101), "inconclusive"),
        ((151, 152, 200), "fail"),
        ((149, 152, 200), "inconclusive"),
        ((60, 400), "inconclusive"),
        ((90,) * 7 + (999,), "pass"),  # of eight runs one may lie apart
        ((90,) * 6 + (999,), "inconclusive"),
        ((200,) * 7 + (1,), "fail"),
        ((90,) * 6 + (999, 999), "inconclusive"),
        ((90, 90, math.nan), "inconclusive"),
        ((200, 200, math.nan), "inconclusive"),
    ],
)
def test_runs_that_straddle_a_limit_decide_nothing(values, verdict):
    for _ in range(5):
        shuffled = random.sample(values, len(values))
        assert judged(*shuffled).verdict == verdict


def test_the_reasons_have_the_figures():
    assert judged(99.5).reason == "99.5 ms, at most 100 ms"
    assert judged(1234.5).reason == "1,234 ms, at most 100 ms and 50 ms of slack"
    assert judged(110).reason == "110 ms, at most 100 ms, and not clearly beyond the slack of 50 ms"
    assert judged(90, 95, 120).reason == (
        "95 ms (median of 3 runs), at most 100 ms, but the runs lie on both sides of it: "
        "90 to 120 ms"
    )
    assert (
        judged(math.nan, 3).reason == "1 of 2 values are no numbers; the budget is at most 100 ms"
    )
    count = judged(9, budget=Budget("nodes", 6), metric=NODES)
    assert count.reason == "9, at most 6"


@pytest.mark.parametrize("value", [1, 120, 900])
def test_a_guard_that_does_not_hold_takes_the_verdict_and_says_so(value):
    finding = judged(value, guards=[broken("wall", "cpu")])
    assert finding.verdict == "inconclusive"
    assert "not to be believed: guard “machine” did not hold (timers fired 80 ms" in finding.reason


@pytest.mark.parametrize(
    "guard",
    [
        broken("cpu", "count"),  # another kind
        broken("wall", scenario="steady-200"),
        broken("wall", holds=True),
        broken(),
    ],
)
def test_other_guards_change_nothing(guard):
    assert judged(1, guards=[guard]).verdict == "pass"
    assert judged(900, guards=[guard]).verdict == "fail"
    assert "guard" not in judged(900, guards=[guard]).reason


def test_several_broken_guards_are_counted():
    guards = [broken("wall"), broken("cpu", name="x"), broken("wall", name="pace")]
    assert judged(1, guards=guards).reason.endswith("80 ms late) and 1 more")


def test_what_has_no_budget_is_shown_and_not_judged():
    samples = [Sample("nodes", "stop", 0, 5.0), Sample("lag_p95_ms", "stop", 0, 900.0)]
    findings = judge(samples, METRICS, [BUDGET], [broken("wall")], ["stop", "steady-33"])
    shown = [(f.metric.name, f.scenario, f.values, f.verdict) for f in findings]
    assert shown == [
        ("lag_p95_ms", "stop", (900.0,), None),
        ("nodes", "stop", (5.0,), None),
        ("lag_p95_ms", "steady-33", (), "inconclusive"),
    ]


def test_a_budget_that_names_a_scenario_expects_a_value_of_it():
    (finding,) = judge([], METRICS, [BUDGET], [], ["steady-33", "stop"])
    assert (finding.scenario, finding.values, finding.budget) == ("steady-33", (), BUDGET)
    assert finding.verdict == "inconclusive"
    assert finding.reason == "no value was measured; the budget is at most 100 ms"


def test_a_budget_of_a_scenario_that_was_not_played_asks_for_nothing():
    assert judge([], METRICS, [BUDGET], [], ["stop"]) == []


def test_a_budget_for_all_expects_a_value_somewhere():
    everywhere = Budget("lag_p95_ms", 100)
    seen = [Sample("lag_p95_ms", "stop", 0, 1.0)]
    assert [f.verdict for f in judge(seen, METRICS, [everywhere], [], ["stop", "burst"])] == [
        "pass"
    ]
    other = Sample("nodes", "stop", 0, 1.0)
    _, finding = judge([other], METRICS, [everywhere, everywhere], [], ["stop", "burst"])
    assert (finding.scenario, finding.verdict) == ("*", "inconclusive")
    assert "no scenario that was played" in finding.reason


def test_of_several_budgets_the_last_counts():
    loose, tight = Budget("lag_p95_ms", 500), Budget("lag_p95_ms", 50, "steady-33")
    sample = [Sample("lag_p95_ms", "steady-33", 0, 200.0)]
    assert judge(sample, METRICS, [loose, tight], [], ["steady-33"])[0].verdict == "fail"
    assert judge(sample, METRICS, [tight, loose], [], ["steady-33"])[0].verdict == "pass"


def test_the_order_is_as_played_then_as_the_metrics_and_runs_are_in_order():
    samples = [
        Sample(metric, scenario, run, run)
        for run in (1, 0)
        for metric in ("nodes", "cost_growth")
        for scenario in ("b", "a", "not played")
    ]
    findings = judge(samples, METRICS, [], [], ["a", "b"])
    assert [(f.scenario, f.metric.name) for f in findings] == [
        (scenario, metric)
        for scenario in ("a", "b", "not played")
        for metric in ("cost_growth", "nodes")
    ]
    assert findings[0].values == (0, 1)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], "inconclusive"),
        ([None], "inconclusive"),
        (["pass", None], "pass"),
        (["pass", "inconclusive"], "inconclusive"),
        (["pass", "inconclusive", "fail", None], "fail"),
    ],
)
def test_overall(verdicts, expected):
    findings = [Finding(LAG, "s", (1.0,), verdict=verdict) for verdict in verdicts]
    assert overall(findings) == expected
    assert exit_status(expected) == {"pass": 0, "fail": 3, "inconclusive": 4}[expected]


values = st.floats(0, 300)


@settings(deadline=None)
@given(st.lists(values, min_size=1, max_size=15), st.floats(0, 100))
def test_more_is_never_better(runs, more):
    """No run that grows turns a fail into anything better, or anything else into a pass."""
    order = {"pass": 0, "inconclusive": 1, "fail": 2}
    before = judged(*runs).verdict
    after = judged(*runs[:-1], runs[-1] + more).verdict
    assert order[after] >= order[before]


@settings(deadline=None)
@given(st.lists(values | st.just(math.nan), max_size=15), st.sampled_from(["wall", "cpu"]))
def test_a_pass_has_numbers_below_the_limit_and_guards_that_hold(runs, spoiled):
    finding = judged(*runs, guards=[broken(spoiled)])
    if finding.verdict == "pass":
        assert spoiled == "cpu"
        assert runs
        assert finding.median <= 100
    assert finding.reason


@pytest.mark.parametrize(
    ("count", "outside"), [(1, 0), (2, 0), (5, 0), (7, 0), (8, 1), (11, 2), (13, 3)]
)
def test_the_interval_leaves_out_as_many_as_it_may(count, outside):
    runs = random.sample(range(count), count)
    assert median_interval(runs) == (outside, count - 1 - outside)


def test_the_interval_holds_the_median_as_often_as_it_says():
    rng = random.Random(5)
    held = 0
    for _ in range(2000):
        low, high = median_interval([rng.expovariate(1) for _ in range(11)])
        held += low <= math.log(2) <= high
    assert 0.91 < held / 2000 < 0.96  # 0.9346 by the binomial
