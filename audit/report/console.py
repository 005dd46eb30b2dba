"""The audit on a terminal: at most 25 lines of at most 100 columns."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pageside.audit.report.figures import THIN, limit, middle, quantity
from pageside.audit.report.headline import headline, judged, ranked, undecided_reasons
from pageside.audit.report.visible import fit, one_line
from pageside.audit.result import AuditResult, Diagnosis, Finding

LINES = 25
COLUMNS = 100

_DIAGNOSES = 3
_FINDINGS = 6
_REASONS = 4
_BLAME = 1

# Signs of ours that the code pages of some terminals lack.
_TYPED = str.maketrans({THIN: " ", "≤": "<=", "−": "-", "∞": "inf"})


def summary_lines(result: AuditResult, report: Path | None = None) -> list[str]:
    """The verdict, the faults and where they are, the worst figures, and what is not certain.

    `report` is the page to be read next, where one was written.
    """
    last = [f"report: {report}"] if report else []
    lines = [*islice(_lines(result), LINES - len(last))]
    # Where the report is may be long, and must be whole.
    return [fit(_plain(line), COLUMNS) for line in lines] + [one_line(line) for line in last]


def _lines(result: AuditResult) -> Iterator[str]:
    yield f"{result.verdict.upper()} {result.url}"
    yield f"  {headline(result)}"
    for diagnosis in result.diagnoses[:_DIAGNOSES]:
        yield from _diagnosis(diagnosis)
    yield from _more(len(result.diagnoses) - _DIAGNOSES, "fault")
    failed = [finding for finding in ranked(judged(result)) if finding.verdict == "fail"]
    for finding in failed[:_FINDINGS]:
        yield f"  over {_figure(finding)}"
    yield from _more(len(failed) - _FINDINGS, "figure over its budget")
    reasons = undecided_reasons(result)
    for reason in reasons[:_REASONS]:
        yield f"  unsure {reason}"
    yield from _more(len(reasons) - _REASONS, "reason for doubt")


def _diagnosis(diagnosis: Diagnosis) -> Iterator[str]:
    yield f"  fault {diagnosis.fault}: {diagnosis.title} ({diagnosis.scenario})"
    for blame in diagnosis.blame[:_BLAME]:
        place = f"{_file(blame.url)}:{blame.line}:{blame.column}"
        cpu = quantity(blame.cpu_ms, "ms")
        yield f"    at {place} {blame.function or '(anonymous)'}, {cpu} CPU"
    if diagnosis.advice:
        yield f"    do {diagnosis.advice}"


def _figure(finding: Finding) -> str:
    value = quantity(middle(finding), finding.metric.unit)
    return f"{finding.metric.name} {value}, budget {limit(finding)} ({finding.scenario})"


def _more(left: int, what: str) -> Iterator[str]:
    if left > 0:
        yield f"  and {left} more: {what}"


def _file(url: str) -> str:
    """The end of a long address, which tells files apart."""
    shown = one_line(url)
    return shown if len(shown) <= 60 else "…" + shown[-59:]


def _plain(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    return " " * indent + one_line(line.translate(_TYPED))
