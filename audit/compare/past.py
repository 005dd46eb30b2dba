"""Whether an audit differs from past ones of the same page on the same machine."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Literal

from pageside.audit.compare.student import t_quantile
from pageside.audit.machine import differing, fingerprint_hash

if TYPE_CHECKING:
    from pageside.audit.history import Record

Change = Literal["more", "less", "usual", "not judged"]

# Fewer past audits do not show how much they scatter; older ones were of another page.
_PAST_LEAST = 5
_PAST_MOST = 30


@dataclass(frozen=True)
class Past:
    """One metric of one scenario, beside past audits of the same page on the same machine.

    `low` to `high` is where this audit's value was to be expected; `past` are theirs, oldest first.
    """

    metric: str
    scenario: str
    value: float
    past: tuple[float, ...]
    change: Change
    reason: str
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class PastComparison:
    """`note` says what was compared with, or why with nothing."""

    findings: tuple[Past, ...]
    note: str


def compare_with_past(
    history: "Sequence[Record]", newest: "Record", *, alpha: float = 0.05
) -> PastComparison:
    """`newest` beside the records before it; it must not be among them.

    A value is judged by a prediction interval, mean ± t · s · √(1 + 1/n), of the logs of the past
    values (of the values where one is 0). Both uncertainties are in it, that of the past's mean and
    that of its scatter: a z-test that takes the past for exact raises 13–14 % of false alarms. The
    past's unit is an audit, not a run, since days differ by more than runs do. `alpha` is the
    chance that anything is found where nothing changed, shared out among all values (Bonferroni).
    """
    of_page = [record for record in history if record.url == newest.url]
    machine = fingerprint_hash(newest.machine)
    alike = [record for record in of_page if fingerprint_hash(record.machine) == machine]
    past = (alike or of_page)[-_PAST_MOST:]
    note = _note(of_page, alike, newest)
    keys = [(scenario, metric) for scenario, of in newest.medians.items() for metric in of]
    findings = []
    for scenario, metric in keys:
        value = newest.medians[scenario][metric]
        before = tuple(
            record.medians[scenario][metric]
            for record in past
            if metric in record.medians.get(scenario, {})
        )
        if not alike and before:
            reason = "measured on another machine: shown, not judged"
            findings.append(Past(metric, scenario, value, before, "not judged", reason))
        else:
            findings.append(_judged(metric, scenario, value, before, alpha / len(keys)))
    return PastComparison(tuple(findings), note)


def _judged(
    metric: str, scenario: str, value: float, past: tuple[float, ...], alpha: float
) -> Past:
    if len(past) < _PAST_LEAST:
        reason = f"{len(past)} past audits have it, and {_PAST_LEAST} are needed"
        return Past(metric, scenario, value, past, "not judged", reason)
    low, high = prediction_interval(past, alpha)
    change: Change = "usual"
    if not low <= value <= high:
        change = "more" if value > high else "less"
    reason = (
        f"{value:.4g}, where {len(past)} past audits lead one to expect {low:.4g} to {high:.4g}"
    )
    return Past(metric, scenario, value, past, change, reason, low, high)


def prediction_interval(past: Sequence[float], alpha: float) -> tuple[float, float]:
    """Where one more value lies with 1 - alpha, if nothing changed."""
    if min(past) > 0:
        low, high = _normal_interval([math.log(value) for value in past], alpha)
        return math.exp(low), _exp(high)
    return _normal_interval(past, alpha)


def _normal_interval(past: Sequence[float], alpha: float) -> tuple[float, float]:
    count = len(past)
    t = t_quantile(alpha / 2, count - 1)
    reach = t * stdev(past) * math.sqrt(1 + 1 / count)
    # Exact counts that never differed leave no room but that of rounding.
    middle = fmean(past)
    room = max(reach, 1e-9 * max(1.0, abs(middle)))
    return middle - room, middle + room


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def _note(of_page: "Sequence[Record]", alike: "Sequence[Record]", newest: "Record") -> str:
    if not of_page:
        return f"No past audit of {newest.url}."
    if not alike:
        keys = ", ".join(differing(of_page[-1].machine, newest.machine))
        return (
            f"{len(of_page)} past audits, all measured on another machine ({keys} differ): "
            "shown, not judged."
        )
    others = len(of_page) - len(alike)
    left_out = f"; {others} on other machines are left out" if others else ""
    used = min(len(alike), _PAST_MOST)
    return f"Beside the last {used} audits of this page on this machine{left_out}."
