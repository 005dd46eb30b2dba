"""The audit on a terminal: at most 40 lines of at most 100 columns."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pageside.audit.report.figures import THIN, limit, middle, quantity
from pageside.audit.report.headline import headline, judged, ranked, undecided_reasons
from pageside.audit.report.visible import columns, fit, one_line
from pageside.audit.result import AuditResult, Diagnosis, Finding

LINES = 40
COLUMNS = 100
# What is longer than this many lines is cut.
_ROWS = 3

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
    rows = (row for line in _lines(result) for row in _wrapped(_plain(line)))
    # Where the report is may be long, and must be whole.
    return [*islice(rows, LINES - len(last)), *(one_line(line) for line in last)]


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
    undecided = [f for f in judged(result) if f.verdict == "inconclusive"]
    if result.verdict == "inconclusive" and (not undecided or any(f.values for f in undecided)):
        yield "  try --runs 3, or a machine that does less besides"


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
    """The end of a long address, which tells files apart, without a query."""
    shown = one_line(url.partition("?")[0])
    return shown if len(shown) <= 60 else "…" + shown[-59:]


def _wrapped(line: str) -> Iterator[str]:
    """Rows of whole words, the later ones further in."""
    indent = " " * (len(line) - len(line.lstrip(" ")))
    row, rows = "", 1
    for word in line.split():
        longer = f"{row} {word}" if row else f"{indent}{word}"
        if columns(longer) > COLUMNS and row and rows < _ROWS:
            yield fit(row, COLUMNS)  # a single word may be longer
            row, rows = f"{indent}  {word}", rows + 1
        else:
            row = longer
    yield fit(row, COLUMNS)


def _plain(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    return " " * indent + one_line(line.translate(_TYPED))
