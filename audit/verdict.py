"""From samples, budgets and guards to a verdict that can be believed.

A finding is one metric in one scenario, over all runs:

- fail if its runs are above most + slack;
- pass if they are at or below most;
- inconclusive between the two, if its runs straddle a limit, if a value is missing or not a
  number, or if a guard that did not hold spoils its kind.

"Its runs" are an interval for their median made of two of the runs themselves, the k-th smallest
and the k-th greatest, which needs no assumption about how they scatter (David and Nagaraja, "Order
statistics", 7.1); k is the largest with which it holds the median with 90 %. Up to seven runs k is
1: all must agree, and fewer than five cannot promise 90 % even so. Of eight, one on either side may
lie apart, of eleven two.
One run is taken at its word: slack is what one run may be off.

The audit fails if any finding does; else it is inconclusive if any is, or if nothing was judged.
"""

import fnmatch
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median

from pageside.audit.result import Budget, Finding, Guard, Metric, Sample, Verdict

EXIT_STATUS: Mapping[Verdict, int] = {"pass": 0, "fail": 3, "inconclusive": 4}

_CONFIDENCE = 0.9


def judge(
    samples: Iterable[Sample],
    metrics: Mapping[str, Metric],
    budgets: Sequence[Budget],
    guards: Sequence[Guard],
    scenarios: Sequence[str],
) -> list[Finding]:
    """Every metric that was measured or should have been, by scenario as played, then by metric.

    Of several budgets that match, the last counts. A budget that names scenarios expects a value
    of each of them that was played; a budget for "*" of at least one.
    """
    values = _values(samples)
    expected = {
        (budget.metric, scenario)
        for budget in budgets
        if budget.scenario != "*"
        for scenario in fnmatch.filter(scenarios, budget.scenario)
    }
    findings = [
        _finding(metrics[name], scenario, values.get((name, scenario), ()), budgets, guards)
        for name, scenario in sorted(values.keys() | expected, key=_places(metrics, scenarios))
    ]
    return findings + list(_unseen(budgets, metrics, {name for name, _ in values}))


def overall(findings: Iterable[Finding]) -> Verdict:
    """The audit's verdict; what is shown and not judged has no say."""
    verdicts = {finding.verdict for finding in findings}
    if "fail" in verdicts:
        return "fail"
    return "pass" if "pass" in verdicts and "inconclusive" not in verdicts else "inconclusive"


def exit_status(verdict: Verdict) -> int:
    """0 passed, 3 a budget was exceeded, 4 inconclusive."""
    return EXIT_STATUS[verdict]


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The two of the values that hold the median with 90 %, or all there is."""
    ordered = sorted(values)
    count = len(ordered)
    outside = 1  # how many of the smallest, and of the greatest, up to the interval's end
    while 2 * outside + 2 <= count and _misses(count, outside + 1) <= 1 - _CONFIDENCE:
        outside += 1
    return ordered[outside - 1], ordered[-outside]


def _misses(count: int, outside: int) -> float:
    """The chance that the median is not within the `outside`-th smallest and greatest: that fewer
    than `outside` of `count` tosses of a coin are heads, or tails."""
    return 2.0 * sum(math.comb(count, heads) for heads in range(outside)) / 2.0**count


def _finding(
    metric: Metric,
    scenario: str,
    values: tuple[float, ...],
    budgets: Sequence[Budget],
    guards: Sequence[Guard],
) -> Finding:
    budget = budget_of(metric, scenario, budgets)
    if budget is None:
        return Finding(metric, scenario, values)
    verdict, reason = _judged(values, metric, budget)
    if broken := _spoiling(metric, scenario, guards):
        # A fail that a busy machine may have made is as little worth as such a pass.
        verdict, reason = "inconclusive", f"{reason}; not to be believed: {broken}"
    return Finding(metric, scenario, values, budget, verdict, reason)


def budget_of(metric: Metric, scenario: str, budgets: Sequence[Budget]) -> Budget | None:
    """The one by which the metric is judged in this scenario; None where it is only shown."""
    matching = [
        budget
        for budget in budgets
        if budget.metric == metric.name and fnmatch.fnmatchcase(scenario, budget.scenario)
    ]
    return matching[-1] if matching else None


def _judged(values: tuple[float, ...], metric: Metric, budget: Budget) -> tuple[Verdict, str]:
    limit = f"at most {_quantity(budget.most, metric)}"
    if not values:
        return "inconclusive", f"no value was measured; the budget is {limit}"
    if odd := sum(not math.isfinite(value) for value in values):
        return (
            "inconclusive",
            f"{odd} of {len(values)} values are no numbers; the budget is {limit}",
        )
    low, high = median_interval(values)
    found = _found(values, metric)
    if high <= budget.most:
        return "pass", f"{found}, {limit}"
    if low > budget.most + budget.slack:
        allowed = f" and {_quantity(budget.slack, metric)} of slack" if budget.slack else ""
        return "fail", f"{found}, {limit}{allowed}"
    if low > budget.most:
        slack = _quantity(budget.slack, metric)
        return "inconclusive", f"{found}, {limit}, and not clearly beyond the slack of {slack}"
    return "inconclusive", (
        f"{found}, {limit}, but the runs lie on both sides of it: "
        f"{_number(low)} to {_quantity(high, metric)}"
    )


def _spoiling(metric: Metric, scenario: str, guards: Sequence[Guard]) -> str:
    """The guards that make this kind of figure worthless in this scenario, in words."""
    broken = [
        guard
        for guard in guards
        if guard.scenario == scenario and not guard.holds and metric.kind in guard.spoils
    ]
    if not broken:
        return ""
    more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
    return f"guard “{broken[0].name}” did not hold ({broken[0].detail}){more}"


def _unseen(
    budgets: Sequence[Budget], metrics: Mapping[str, Metric], seen: set[str]
) -> Iterator[Finding]:
    """Budgets for "*" of a metric that no scenario gave."""
    unbound = {budget.metric: budget for budget in budgets if budget.scenario == "*"}
    for budget in unbound.values():
        if budget.metric not in seen:
            reason = "no scenario that was played gave a value; say in the budget which one should"
            yield Finding(metrics[budget.metric], "*", (), budget, "inconclusive", reason)


def _values(samples: Iterable[Sample]) -> dict[tuple[str, str], tuple[float, ...]]:
    values: dict[tuple[str, str], tuple[float, ...]] = {}
    for sample in sorted(samples, key=lambda sample: sample.run):
        key = sample.metric, sample.scenario
        values[key] = (*values.get(key, ()), sample.value)
    return values


def _places(
    metrics: Mapping[str, Metric], scenarios: Sequence[str]
) -> Callable[[tuple[str, str]], tuple[int, int, str]]:
    by_metric = {name: place for place, name in enumerate(metrics)}
    by_scenario = {name: place for place, name in enumerate(scenarios)}

    def place(key: tuple[str, str]) -> tuple[int, int, str]:
        metric, scenario = key
        return by_scenario.get(scenario, len(by_scenario)), by_metric[metric], scenario

    return place


def _found(values: tuple[float, ...], metric: Metric) -> str:
    middle = _quantity(median(values), metric)
    return middle if len(values) == 1 else f"{middle} (median of {len(values)} runs)"


def _quantity(value: float, metric: Metric) -> str:
    return f"{_number(value)} {metric.unit}".rstrip()


def _number(value: float) -> str:
    """Four figures: 33.4 is not 33.3."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
