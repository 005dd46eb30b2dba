"""Budgets are read strictly, and the key that is wrong is named with the way out."""

import fnmatch
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pageside.audit.budgets import DEFAULT_BUDGETS, default_budgets, load_budgets, parse_budgets
from pageside.audit.errors import BudgetInvalid
from pageside.audit.metrics import METRICS
from pageside.audit.result import Budget, Metric
from pageside.audit.scenarios import SCENARIOS

KNOWN = {
    metric.name: metric
    for metric in (
        Metric("lag_p95_ms", "ms", "wall", "…"),
        Metric("cost_growth", "×", "cpu", "…"),
        Metric("nodes", "nodes", "count", "…"),
    )
}


def parse(text):
    return parse_budgets(text.encode(), KNOWN, name="b.toml")


def test_the_format():
    assert parse("""
# smooth at 4x
[lag_p95_ms]
most = 100
slack = 50            # between most and most + slack: inconclusive
scenario = "steady-*" # optional glob

[[cost_growth]]
most = 2.5
slack = 0
scenario = "length-10000"
[[cost_growth]]
most = 4
slack = 1
scenario = "history-*"
""") == [
        Budget("lag_p95_ms", 100.0, "steady-*", 50.0),
        Budget("cost_growth", 2.5, "length-10000", 0.0),
        Budget("cost_growth", 4.0, "history-*", 1.0),
    ]


def test_the_slack_that_is_left_out_is_by_kind():
    budgets = parse("[nodes]\nmost = 100\n[cost_growth]\nmost = 100\n[lag_p95_ms]\nmost = 100")
    assert [(budget.slack, budget.scenario) for budget in budgets] == [
        (0, "*"),
        (15, "*"),
        (50, "*"),
    ]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "there is no budget in it", "write [lag_p95_ms]"),
        ("# nothing", "there is no budget in it", "write [lag_p95_ms]"),
        ("nodes = []", "there is no budget in it", "write [lag_p95_ms]"),
        ("[lag_p95_ms\nmost = 1", "it is not TOML (Expected ']'", "write [lag_p95_ms]"),
        ("[nodes]\nmost = 1\n[nodes]\nmost = 2", "it is not TOML (Cannot declare", "write"),
        ("a = " + "[" * 5000, "it is not TOML", "write"),
        ("[lag_p95]\nmost = 1", "no metric is called 'lag_p95'", "did you mean lag_p95_ms?"),
        ("[xyz]\nmost = 1", "no metric is called 'xyz'", "one of lag_p95_ms, cost_growth, nodes"),
        ("nodes = 5", "nodes is not a table", "write [nodes] and, below it, most = …"),
        ("nodes = [1, 2]", "nodes is not a table", "write [nodes]"),
        ("[nodes]\nslack = 1", "nodes has no most", "write most = and a number of nodes"),
        ("[nodes]\nmost = true", "nodes has a most that is no number", "a number of nodes"),
        ('[nodes]\nmost = "5"', "nodes has a most that is no number", "a number of nodes"),
        ("[nodes]\nmost = []", "nodes has a most that is no number", "a number of nodes"),
        ("[nodes]\nmost = 2026-01-01", "nodes has a most that is no number", "a number of nodes"),
        ("[nodes]\nmost = -1", "nodes has most = -1", "write 0 or more nodes"),
        ("[nodes]\nmost = nan", "nodes has most = nan", "not nan or inf"),
        (f"[nodes]\nmost = 1{'0' * 400}", "nodes has most = 1", "not nan or inf"),
        ("[nodes]\nmost = inf", "nodes has most = inf", "not nan or inf"),
        ("[nodes]\nmost = 1\nslack = -0.5", "nodes has slack = -0.5", "write 0 or more nodes"),
        ("[nodes]\nmost = 1\nslack = nan", "nodes has slack = nan", "not nan or inf"),
        ("[nodes]\nmost = 1\nslac = 1", "nodes has an unknown field 'slac'", "did you mean slack?"),
        ("[nodes]\nmost = 1\n[nodes.most2]", "unknown field 'most2'", "did you mean most?"),
        ("[nodes]\nmost = 1\nscenario = 3", "nodes has a scenario that is no text", "steady-*"),
        (
            '[nodes]\nmost = 1\nscenario = "lenght-500"',
            "nodes matches no scenario with 'lenght-500'",
            "did you mean length-500?",
        ),
        ('[nodes]\nmost = 1\nscenario = ""', "nodes matches no scenario with ''", "one of length"),
        (
            "[[nodes]]\nmost = 1\n[[nodes]]\nmost = -2",
            "nodes, number 2, has most = -2",
            "write 0 or more",
        ),
    ],
)
def test_what_is_wrong_is_named(text, message, hint):
    with pytest.raises(BudgetInvalid) as caught:
        parse(text)
    assert caught.value.message.startswith("the budgets b.toml: ")
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert "\n" not in str(caught.value)


def test_a_toml_error_says_where():
    with pytest.raises(BudgetInvalid, match="line 3"):
        parse("[nodes]\nmost = 1\nslack = \n")


def test_bytes_that_are_not_utf_8():
    with pytest.raises(BudgetInvalid, match="byte 9 is not UTF-8"):
        parse_budgets(b"[nodes]\n\xff", KNOWN, name="b.toml")


def test_a_file_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "none.toml"):
        with pytest.raises(BudgetInvalid, match="cannot be read") as caught:
            load_budgets(path, KNOWN)
        assert str(path) in caught.value.message


def test_a_file(tmp_path):
    path = tmp_path / "budgets.toml"
    path.write_text("[nodes]\nmost = 5\n")
    assert load_budgets(path, KNOWN) == [Budget("nodes", 5)]


@pytest.mark.parametrize("pattern", ["*", "steady-*", "steady-7", "firehose-[15]*", "stop"])
def test_scenarios_that_there_are(pattern):
    (budget,) = parse(f'[nodes]\nmost = 1\nscenario = "{pattern}"')
    assert budget.scenario == pattern


@settings(deadline=None)
@given(st.floats(0, 1e300), st.floats(0, 1e300))
def test_any_number_survives(most, slack):
    assert parse(f"[nodes]\nmost = {most!r}\nslack = {slack!r}") == [
        Budget("nodes", most, slack=slack)
    ]


def test_the_default_budgets_are_of_metrics_that_there_are():
    budgets = default_budgets()
    assert budgets == load_budgets(DEFAULT_BUDGETS, METRICS)
    growth = [b for b in budgets if (b.metric, b.scenario) == ("cost_growth", "length-10000")]
    assert [budget.most for budget in growth] == [2.0]
    # "*" asks for a value wherever part of the scenarios is played: all give this one.
    everywhere = {budget.metric for budget in budgets if budget.scenario == "*"}
    assert everywhere == {"words_missing"}


PAGE_BUDGETS = Path(__file__).resolve().parents[2] / "web" / "budgets.toml"


@pytest.mark.parametrize("path", [DEFAULT_BUDGETS, PAGE_BUDGETS])
def test_each_budget_has_a_scenario_to_hold_for(path):
    names = [scenario.name for scenario in SCENARIOS]
    for budget in load_budgets(path, METRICS):
        assert fnmatch.filter(names, budget.scenario), budget
