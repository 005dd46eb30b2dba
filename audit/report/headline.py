"""The audit in a sentence, and what goes before what: the page and the terminal say the same."""

import math
from collections.abc import Iterable

from pageside.audit.report.figures import count, middle, quantity
from pageside.audit.report.visible import clip, one_line
from pageside.audit.result import AuditResult, Diagnosis, Finding, Guard, Timeline

_ORDER = {"fail": 0, "inconclusive": 1, "pass": 2, None: 3}
_NAME_CHARACTERS = 80


def headline(result: AuditResult) -> str:
    """Why the verdict is what it is, in one sentence."""
    return {"fail": _failed, "inconclusive": _undecided, "pass": _passed}[result.verdict](result)


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first: by verdict, then by how many times the budget the median is."""
    return sorted(findings, key=lambda finding: (_ORDER[finding.verdict], -excess(finding)))


def excess(finding: Finding) -> float:
    """The median divided by the budget: 1 is just within it. 0 where there is nothing to judge."""
    value = middle(finding)
    if finding.budget is None or math.isnan(value):
        return 0
    if finding.budget.most == 0:
        return math.inf if value > 0 else 0
    return value / finding.budget.most


def judged(result: AuditResult) -> list[Finding]:
    return [finding for finding in result.findings if finding.verdict is not None]


def scenarios(result: AuditResult) -> list[str]:
    """Every scenario that anything is known of, in the order of their first mention."""
    named: list[Timeline | Finding | Guard | Diagnosis] = [
        *result.timelines,
        *result.findings,
        *result.guards,
        *result.diagnoses,
    ]
    return list(dict.fromkeys(item.scenario for item in named))


def undecided_reasons(result: AuditResult) -> list[str]:
    """Why something could not be judged, each reason once."""
    reasons = [
        f"{f.metric.name} ({f.scenario}): {f.reason}"
        for f in result.findings
        if f.verdict == "inconclusive" and f.reason
    ]
    told = " ".join(reasons)
    broken = [g for g in result.guards if not g.holds and g.detail not in told]
    guards = [f"{g.name}: {g.detail}" for g in broken]
    return list(dict.fromkeys(one_line(reason) for reason in [*reasons, *guards]))


def _failed(result: AuditResult) -> str:
    failed = [finding for finding in ranked(judged(result)) if finding.verdict == "fail"]
    if failed:
        worst = failed[0]
        value = quantity(middle(worst), worst.metric.unit)
        most = quantity(worst.budget.most, worst.metric.unit) if worst.budget else ""
        against = f" where at most {most} is allowed" if most else ""
        return (
            f"{count(len(failed), 'budget')} of {len(judged(result))} exceeded; the worst is "
            f"{_name(worst.metric.name)} on {_name(worst.scenario)}: {value}{against}."
        )
    if result.diagnoses:
        first = result.diagnoses[0]
        return f"A known fault was found on {_name(first.scenario)}: {_name(first.title)}."
    return "The audit failed, and no single figure says why."


def _undecided(result: AuditResult) -> str:
    reasons = undecided_reasons(result)
    why = clip(reasons[0], 240).rstrip(".") if reasons else "what was measured decides nothing"
    return f"Neither passed nor failed: {why}."


def _passed(result: AuditResult) -> str:
    if not judged(result):
        return "No budget was set, and no known fault was found."
    where = count(len(scenarios(result)), "scenario")
    within = sum(finding.verdict == "pass" for finding in judged(result))
    return f"{count(within, 'budget')} of {len(judged(result))} kept, on {where}."


def _name(name: str) -> str:
    return clip(one_line(name), _NAME_CHARACTERS)
