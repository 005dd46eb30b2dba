"""An audit is compared with those before it, like with like, and as surely as they allow."""

import math
import random
from dataclasses import replace

import pytest

from pageside.audit.compare import compare_with_past
from pageside.audit.compare.past import prediction_interval
from pageside.audit.history import Record

MACHINE = {"CPU": "Xeon", "cores": "2", "kernel": "6.1"}
RECORD = Record(
    time="2026-11-29T17:40:10+00:00",
    url="http://127.0.0.1:3000/",
    verdict="pass",
    medians={"steady-33": {"cpu_ms_per_update": 2.1, "lag_p95_ms": 41.0}},
    machine=MACHINE,
)


def measured(value, **changes):
    return replace(RECORD, medians={"steady-33": {"cpu_ms_per_update": value}}, **changes)


PAST = [measured(value) for value in (2.0, 2.1, 1.95, 2.05, 2.0, 1.9, 2.1, 2.0)]


@pytest.mark.parametrize(("value", "change"), [(2.0, "usual"), (3.0, "more"), (1.2, "less")])
def test_beside_the_past(value, change):
    comparison = compare_with_past(PAST, measured(value))
    (finding,) = comparison.findings
    assert (finding.metric, finding.scenario) == ("cpu_ms_per_update", "steady-33")
    assert finding.change == change
    assert finding.low < 2.0 < finding.high
    assert len(finding.past) == 8
    assert "8 past audits lead one to expect" in finding.reason
    assert comparison.note == "Beside the last 8 audits of this page on this machine."


def test_on_another_machine_it_is_shown_and_not_judged():
    comparison = compare_with_past(PAST, measured(9.0, machine=MACHINE | {"kernel": "6.2"}))
    (finding,) = comparison.findings
    assert (finding.change, len(finding.past)) == ("not judged", 8)
    assert finding.reason == "measured on another machine: shown, not judged"
    assert "(kernel differ)" in comparison.note


def test_other_machines_and_other_pages_are_left_out():
    elsewhere = [measured(9.0, machine={"CPU": "M4"})] * 3
    other_page = [measured(50.0, url="http://other/")] * 3
    comparison = compare_with_past([*elsewhere, *PAST, *other_page], measured(9.0))
    (finding,) = comparison.findings
    assert finding.change == "more"
    assert set(finding.past) == {of.medians["steady-33"]["cpu_ms_per_update"] for of in PAST}
    assert "3 on other machines are left out" in comparison.note


def test_too_few_audits_judge_nothing():
    (finding,) = compare_with_past(PAST[:4], measured(9.0)).findings
    assert (finding.change, finding.reason) == (
        "not judged",
        "4 past audits have it, and 5 are needed",
    )
    none = compare_with_past([], RECORD)
    assert {finding.change for finding in none.findings} == {"not judged"}
    assert none.note == "No past audit of http://127.0.0.1:3000/."


def test_what_is_long_past_does_not_count():
    old = [measured(50.0)] * 40
    recent = PAST * 4
    (finding,) = compare_with_past(old + recent, measured(3.0)).findings
    assert (len(finding.past), finding.change) == (30, "more")


def test_counts_that_never_differed_and_zeros():
    for value in (6.0, 7.0, 41.3, 1e9 / 7):  # logs of some do not come back as they went
        same = compare_with_past([measured(value)] * 5, measured(value)).findings[0]
        assert same.change == "usual"
    other = compare_with_past([measured(6.0)] * 5, measured(7.0)).findings[0]
    zero = compare_with_past([measured(0)] * 5, measured(0)).findings[0]
    some = compare_with_past([measured(value) for value in (0, 1, 0, 2, 1)], measured(1))
    assert [other.change, zero.change] == ["more", "usual"]
    assert some.findings[0].change == "usual"


def test_more_metrics_ask_for_more_proof():
    def interval(metrics):
        def of(value):
            return replace(RECORD, medians={"s": dict.fromkeys(metrics, value)})

        past = [of(value) for value in (2.0, 2.1, 1.95, 2.05, 2.0)]
        return compare_with_past(past, of(2.0)).findings[0]

    assert interval("abcdefgh").high > interval("a").high


@pytest.mark.parametrize("count", [5, 8, 20])
def test_false_alarms_are_as_rare_as_said(count):
    """Where a z-test takes the past's mean and scatter for exact, they are not."""
    rng = random.Random(count)
    alarms = naive = 0
    for _ in range(1500):
        *past, newest = (rng.lognormvariate(1, 0.1) for _ in range(count + 1))
        low, high = prediction_interval(past, 0.05)
        alarms += not low <= newest <= high
        logs = [math.log(value) for value in past]
        mean = sum(logs) / count
        scatter = math.sqrt(sum((value - mean) ** 2 for value in logs) / (count - 1))
        naive += abs(math.log(newest) - mean) > 1.96 * scatter
    assert 0.03 < alarms / 1500 < 0.067  # 5 % and three standard errors
    if count == 5:
        assert naive / 1500 > 0.12
