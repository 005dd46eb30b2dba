"""The figures in full: findings beside their definitions and budgets, guards, costs, traces."""

from collections.abc import Mapping, Sequence

from pageside.audit.report.costs import placeable, stages_of
from pageside.audit.report.figures import count, limit, middle, number, quantity, size, span
from pageside.audit.report.headline import excess, ranked
from pageside.audit.report.html import Html, el, file_link, foreign, join
from pageside.audit.report.scale import Scale
from pageside.audit.result import AuditResult, Cost, Finding, Guard, SavedTrace, Verdict

# A shape a verdict: round, square, and a diamond.
_ICONS = {
    "pass": "M8 0a8 8 0 1 0 .01 0zM4 8.2l2.8 2.9 5.3-6",
    "fail": "M1 1h14v14H1zM5 5l6 6M11 5l-6 6",
    "inconclusive": "M8-.6L16.6 8 8 16.6-.6 8z"
    "M6 6.2c.2-2.6 4.2-2.4 4 .1-.1 1.4-1.9 1.5-2 3.1M8 12v.2",
}

# The strip beside a figure ends at this many times the budget.
_STRIP_MOST = 2.5

_KINDS = {"cpu": "CPU time", "count": "exact count", "wall": "wall clock"}


def verdict_mark(verdict: Verdict) -> Html:
    """The verdict as a shape and a word."""
    return el("span", icon(verdict), verdict, class_=f"verdict {verdict}")


def icon(verdict: Verdict) -> Html:
    shape = el("path", d=Html(_ICONS[verdict]))
    return el("svg", shape, class_="icon", viewBox="-1 -1 18 18", aria_hidden="true")


def findings_table(findings: Sequence[Finding], most: int, title: str = "Figures") -> Html:
    """A group a metric, the worst first; at most `most` rows, and how many were left out."""
    groups: dict[str, list[Finding]] = {}
    shown = ranked(findings)[:most]
    for finding in shown:
        groups.setdefault(finding.metric.name, []).append(finding)
    head = _head(
        "scenario", "verdict", "value", "budget", "against budget", "least–most of the runs"
    )
    table = el(
        "table",
        el("caption", f"{title}, with their definitions", class_="unseen"),
        head,
        *map(_metric_group, groups.values()),
        class_="findings",
    )
    return join(_scrolled(table, title), _left_out(len(findings) - len(shown), "figure"))


def guards_table(guards: Sequence[Guard], most: int) -> Html:
    """Those that did not hold one by one; of the others how many did, and one's figures."""
    broken = [guard for guard in guards if not guard.holds]
    by_name: dict[str, list[Guard]] = {}
    for guard in guards:
        if guard.holds:
            by_name.setdefault(guard.name, []).append(guard)
    kept = list(by_name.values())
    rows = [*map(_broken_guard, broken[:most]), *map(_kept_guards, kept[:most])]
    table = el(
        "table",
        el("caption", "Whether the runs measured what they say they measured", class_="unseen"),
        _head("guard", "held", "figures", "not to be believed without it"),
        el("tbody", *rows),
        class_="guards",
    )
    left = max(0, len(broken) - most) + max(0, len(kept) - most)
    return join(_scrolled(table, "Guards"), _left_out(left, "guard"))


def costs_table(costs: Sequence[Cost], most: int) -> Html:
    """What the cost charts show, in numbers."""
    rows = placeable(costs)
    table = el(
        "table",
        el("caption", "Main-thread CPU of one update by stage, ms", class_="unseen"),
        _head("scenario", "tokens", "earlier messages", "CPU per update, ms", "stages, ms"),
        el("tbody", *map(_cost_row, rows[:most])),
        class_="costs",
    )
    return join(_scrolled(table, "Cost by stage"), _left_out(len(rows) - most, "length"))


def traces_list(traces: Sequence[SavedTrace], most: int) -> Html:
    items = [
        el("li", file_link(t.file), f" {size(t.size_bytes)} · ", foreign(t.scenario, 80))
        for t in traces[:most]
    ]
    how = (
        "Open one in DevTools (Performance → Load profile) or in Perfetto. "
        "The timestamps are microseconds of the machine's monotonic clock."
    )
    return join(
        el("p", how, class_="quiet"),
        el("ul", *items, class_="files"),
        _left_out(len(traces) - most, "trace"),
    )


def pairs_list(pairs: Mapping[str, str]) -> Html:
    rows = [
        el("div", el("dt", foreign(name, 80)), el("dd", foreign(value)))
        for name, value in list(pairs.items())[:60]
    ]
    return el("dl", *rows, class_="pairs")


def runs_line(result: AuditResult) -> str:
    """ "3 runs a scenario" as the findings tell, or a span where they differ."""
    runs = {len(finding.values) for finding in result.findings}
    if not runs:
        return "no figures"
    if len(runs) == 1:
        return count(runs.pop(), "run") + " a scenario"
    return f"{min(runs)}–{max(runs)} runs a scenario"


def _metric_group(findings: list[Finding]) -> Html:
    metric = findings[0].metric
    unit = f", {metric.unit}" if metric.unit else ""
    title = el(
        "th",
        el("span", foreign(metric.name, 80), class_="metric"),
        f"{unit} ",
        el("span", _KINDS[metric.kind], class_="kind"),
        el("span", foreign(metric.definition), class_="definition"),
        scope="rowgroup",
        colspan=6,
    )
    return el("tbody", el("tr", title), *map(_finding_row, findings))


def _finding_row(finding: Finding) -> Html:
    reason = el("span", foreign(finding.reason), class_="reason") if finding.reason else None
    verdict = verdict_mark(finding.verdict) if finding.verdict else el("span", "–", class_="quiet")
    return el(
        "tr",
        el("th", foreign(finding.scenario, 80), reason, scope="row"),
        el("td", verdict),
        el("td", quantity(middle(finding), finding.metric.unit), class_="number"),
        el("td", limit(finding), class_="number"),
        el("td", _strip(finding), class_="strip-cell"),
        el("td", _runs(finding), class_="number quiet"),
    )


def _runs(finding: Finding) -> str:
    if not finding.values:
        return "no run"
    runs = count(len(finding.values), "run")
    return runs if len(finding.values) == 1 else f"{span(finding)} ({len(finding.values)})"


def _strip(finding: Finding) -> Html | None:
    """The runs from least to most, their median, and the budget as an upright line."""
    if finding.budget is None or finding.budget.most <= 0 or not finding.values:
        return None
    scale = Scale(0, finding.budget.most * _STRIP_MOST)
    least, most = scale.at(min(finding.values)) * 100, scale.at(max(finding.values)) * 100
    at, budget = scale.at(finding.median) * 100, 100 / _STRIP_MOST
    beyond = excess(finding) > _STRIP_MOST
    dot = f"M{at - 4:.1f} 2l5 5-5 5z" if beyond else f"M{at:.1f} 3.5a3.5 3.5 0 1 0 .01 0z"
    verdict = finding.verdict or "none"
    return el(
        "svg",
        el("path", d=Html("M0 7H100"), class_="base"),
        el("path", d=Html(f"M{budget:.1f} 0V14"), class_="budget"),
        el("path", d=Html(f"M{least:.1f} 7H{most:.1f}"), class_=f"range {verdict}"),
        el("path", d=Html(dot), class_=f"dot {verdict}"),
        class_="strip",
        viewBox="-5 0 110 14",
        role="img",
        aria_label=f"{number(excess(finding))} times the budget",
    )


def _broken_guard(guard: Guard) -> Html:
    spoils = ", ".join(_KINDS[kind] for kind in sorted(guard.spoils)) or "nothing"
    where = f"{guard.scenario}, run {guard.run}"
    mark = el("span", icon("fail"), "not held", class_="verdict fail")
    return el(
        "tr",
        el("th", foreign(guard.name, 80), el("span", foreign(where), class_="reason"), scope="row"),
        el("td", mark),
        el("td", foreign(guard.detail)),
        el("td", spoils),
    )


def _kept_guards(guards: list[Guard]) -> Html:
    spoils = frozenset[str]().union(*(guard.spoils for guard in guards))
    mark = el("span", icon("pass"), f"held in {count(len(guards), 'run')}", class_="verdict pass")
    return el(
        "tr",
        el("th", foreign(guards[0].name, 80), scope="row"),
        el("td", mark),
        el("td", foreign(guards[-1].detail)),
        el("td", ", ".join(_KINDS[kind] for kind in sorted(spoils)), class_="quiet"),
    )


def _cost_row(cost: Cost) -> Html:
    stages = ", ".join(f"{name} {number(ms)}" for name, ms in stages_of(cost))
    return el(
        "tr",
        el("th", foreign(cost.scenario, 80), scope="row"),
        el("td", number(cost.length_tokens), class_="number"),
        el("td", number(cost.history_messages), class_="number"),
        el("td", number(cost.cpu_ms_per_update), class_="number"),
        el("td", foreign(stages)),
    )


def _head(*names: str) -> Html:
    return el("thead", el("tr", *(el("th", name, scope="col") for name in names)))


def _scrolled(table: Html, name: str) -> Html:
    """Wider than a phone: it scrolls by itself, with the keyboard too."""
    return el(
        "div", table, class_="scrolled", role="region", aria_label=f"{name}, as a table", tabindex=0
    )


def _left_out(amount: int, what: str) -> Html | None:
    if amount <= 0:
        return None
    return el("p", f"{count(amount, f'more {what}')} in result.json.", class_="quiet")
