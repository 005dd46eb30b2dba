"""report.html: one file that a person reads in a minute, and that loads and sends nothing.

verdict → diagnoses → timelines → cost → figures → guards → machine, options, traces

Its style and its few lines of script are within it, let through by their hashes alone: whatever
the page under test put into a title or a function's name, no browser will run it.
"""

import base64
import hashlib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from pageside.audit.report import tables
from pageside.audit.report.costs import growth_chart, placeable, stage_keys, stages_chart
from pageside.audit.report.curves import Curves, curves_of
from pageside.audit.report.faults import diagnosis_card
from pageside.audit.report.figures import count, quantity
from pageside.audit.report.headline import headline, judged, scenarios
from pageside.audit.report.html import Html, el, foreign, join, web_link
from pageside.audit.report.timeline import timeline_chart
from pageside.audit.result import AuditResult

SIZE_BYTES_MOST = 1_500_000

_FOLDER = Path(__file__).resolve().parent

# So many timelines are opened; those of scenarios that did not pass come first.
_OPEN_TIMELINES = 4

_FAULTS_MOST = 30
_NOTES_MOST = 50


@dataclass(frozen=True)
class _Detail:
    """How much of a large result is drawn; result.json has all of it."""

    columns: int
    timelines: int
    rows: int


# The first with which the page is small enough is taken.
_DETAILS = (
    _Detail(columns=500, timelines=40, rows=1200),
    _Detail(columns=240, timelines=40, rows=800),
    _Detail(columns=120, timelines=40, rows=400),
    _Detail(columns=120, timelines=20, rows=150),
    _Detail(columns=60, timelines=8, rows=40),
)


def report_html(result: AuditResult) -> bytes:
    """The page, in UTF-8, of at most SIZE_BYTES_MOST."""
    curves = _curves(result, _DETAILS[0])
    content = b""
    for detail in _DETAILS:
        content = _page(result, curves, detail).encode()
        if len(content) <= SIZE_BYTES_MOST:
            break
    return content


def _curves(result: AuditResult, detail: _Detail) -> list[Curves]:
    """Those of scenarios that did not pass come first."""
    troubled = {f.scenario for f in result.findings if f.verdict in ("fail", "inconclusive")}
    troubled |= {diagnosis.scenario for diagnosis in result.diagnoses}
    ordered = sorted(result.timelines, key=lambda timeline: timeline.scenario not in troubled)
    return [curves_of(timeline, detail.columns) for timeline in ordered[: detail.timelines]]


def _page(result: AuditResult, curves: list[Curves], detail: _Detail) -> str:
    style, script = _asset("style.css"), _asset("hover.js")
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", f"{result.verdict}: {_name(result)} · pageside audit"),
        el("link", rel="icon", href="data:,"),
        el("style", style),
    )
    sections = _sections(result, curves, detail)
    body = el(
        "body",
        _header(result),
        el("main", *sections),
        el("footer", el("p", f"pageside {version('pageside')} · whole figures: result.json")),
        el("script", script),
    )
    return f"<!doctype html>\n{el('html', head, body, lang='en')}\n"


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _asset(name: str) -> Html:
    return Html((_FOLDER / name).read_text(encoding="utf-8"))


def _header(result: AuditResult) -> Html:
    when = f"{result.started_at} · {quantity(result.duration_s, 's')} · {tables.runs_line(result)}"
    return el(
        "header",
        el("p", "pageside audit", class_="brand"),
        el("h1", foreign(_name(result), 200)),
        el("p", web_link(result.url), class_="url"),
        el("p", foreign(f"recipe {result.recipe} · {when}"), class_="quiet"),
        el(
            "div",
            tables.icon(result.verdict),
            el("p", el("strong", result.verdict.capitalize()), " ", foreign(headline(result), 600)),
            el("p", _counts(result), class_="counts"),
            class_=f"banner {result.verdict}",
            role="status",
        ),
    )


def _name(result: AuditResult) -> str:
    return result.title.strip() or result.url or "a page without a name"


def _counts(result: AuditResult) -> str:
    verdicts = [finding.verdict for finding in judged(result)]
    broken = sum(not guard.holds for guard in result.guards)
    parts = [
        f"{verdicts.count('pass')} passed",
        f"{verdicts.count('fail')} failed",
        f"{verdicts.count('inconclusive')} inconclusive",
        count(len(result.diagnoses), "known fault"),
        count(broken, "guard") + " not held" if broken else "all guards held",
        count(len(scenarios(result)), "scenario"),
    ]
    return " · ".join(parts)


def _sections(result: AuditResult, curves: list[Curves], detail: _Detail) -> list[Html]:
    made = [
        _section("Diagnoses", *_diagnoses(result)),
        _section("Notes", _notes(result)) if result.notes else None,
        _section("Timelines", *_timelines(result, curves, detail)) if curves else None,
        _section("Cost per update", *_costs(result, detail)) if placeable(result.costs) else None,
        _section("Figures", *_figures(result, detail)) if result.findings else None,
        _section("Guards", tables.guards_table(result.guards, detail.rows))
        if result.guards
        else None,
        _section("Traces", tables.traces_list(result.traces, detail.rows))
        if result.traces
        else None,
        _section("Machine", tables.pairs_list(result.machine)) if result.machine else None,
        _section("Options", tables.pairs_list(result.options)) if result.options else None,
    ]
    return [section for section in made if section is not None]


def _section(name: str, *content: Html | None) -> Html:
    id_ = name.lower().replace(" ", "-")
    return el("section", el("h2", name, id=id_), *content, aria_labelledby=id_)


def _diagnoses(result: AuditResult) -> list[Html]:
    if not result.diagnoses:
        return [el("p", "None of the known faults was recognised.", class_="quiet")]
    cards = [diagnosis_card(diagnosis) for diagnosis in result.diagnoses[:_FAULTS_MOST]]
    left = len(result.diagnoses) - _FAULTS_MOST
    if left > 0:
        cards.append(el("p", f"{count(left, 'more fault')} in result.json.", class_="quiet"))
    return cards


def _notes(result: AuditResult) -> Html:
    return el("ul", *(el("li", foreign(note, 600)) for note in result.notes[:_NOTES_MOST]))


def _timelines(result: AuditResult, curves: list[Curves], detail: _Detail) -> list[Html]:
    drawn = [
        _timeline(each.thinner(detail.columns), f"timeline-{i}", opened=i < _OPEN_TIMELINES)
        for i, each in enumerate(curves[: detail.timelines])
    ]
    left = len(result.timelines) - len(drawn)
    if left > 0:
        drawn.append(el("p", f"{count(left, 'more timeline')} in result.json.", class_="quiet"))
    return drawn


def _timeline(curves: Curves, name: str, opened: bool) -> Html:
    return el(
        "details",
        el("summary", el("h3", foreign(curves.scenario, 80)), el("span", curves.about)),
        el(
            "figure",
            timeline_chart(curves, name),
            el("output", class_="readout", aria_hidden="true"),
        ),
        class_="timeline",
        open=opened,
    )


def _figures(result: AuditResult, detail: _Detail) -> list[Html]:
    """Those with a budget; the others are there for who looks for them."""
    judged = [finding for finding in result.findings if finding.verdict]
    others = [finding for finding in result.findings if not finding.verdict]
    found = [tables.findings_table(judged, detail.rows)] if judged else []
    if others:
        summary = el("summary", f"{count(len(others), 'figure')} without a budget")
        rows = max(1, detail.rows - len(judged))
        table = tables.findings_table(others, rows, "Figures without a budget")
        found.append(el("details", summary, table))
    return found


def _costs(result: AuditResult, detail: _Detail) -> list[Html]:
    growth = el(
        "figure",
        el("figcaption", "CPU per update against length of the answer, ms (log scale)"),
        growth_chart(result.costs),
    )
    stages = el(
        "figure",
        el("figcaption", "The same by stage, ms of CPU"),
        stage_keys(result.costs),
        stages_chart(result.costs),
    )
    table = el(
        "details", el("summary", "In numbers"), tables.costs_table(result.costs, detail.rows)
    )
    return [join(el("div", growth, stages, class_="pair")), table]
