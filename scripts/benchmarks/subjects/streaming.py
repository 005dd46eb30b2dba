"""Peers' renderers and whole chat UIs, and Pageside's own page, each audited as any page is."""

import contextlib
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import peers
from pageside.audit.budgets import default_budgets
from pageside.audit.pace import Pace
from pageside.audit.result import AuditResult
from pageside.audit.scenarios import choose
from pageside.audit.session import Options, audit
from pageside.audit.subject import subjects
from pageside.audit.target import Recipe, load_recipe, recipe_names
from pageside.models.errors import PagesideError
from peers.catalogue import HEAVY
from table import Table
from workshop import Workshop

CACHE = Path(__file__).resolve().parents[3] / ".cache" / "peers"
COST = ("length-500", "length-10000")
# Where an update of the others takes a second and more, the longest answer tells nothing new.
LONGEST = "length-50000"
STANDS_THE_LONGEST = {"Pageside", "text node", "streaming-markdown", "streamdown"}
EVIDENCE = ("firehose-1000", "stop")

DEFINITIONS = [
    "CPU per update: CPU time of the page's main thread over 2.5 s of 33 tokens/s onto an answer "
    "of that length, net of an idle control, ÷ layouts. By the browser's counters: no trace, no "
    "probe.",
    "Growth: CPU per update at that length ÷ at 500 tokens, of the same round.",
    "Lag: 95 % of the tokens were on the screen so soon after they had been written to the "
    "network; finish: the last one. Wall clock.",
    "Stop → last change: from the click to the last change of the answer, at 1,000 tokens/s; "
    "tokens after Stop: what the upstream wrote later than a second after the click.",
]

# Metric, scenario, label, unit.
FIGURES = (
    ("cpu_ms_per_update", "length-500", "CPU per update, 500", "ms"),
    ("cpu_ms_per_update", "length-10000", "CPU per update, 10,000", "ms"),
    ("cpu_ms_per_update", LONGEST, "CPU per update, 50,000", "ms"),
    ("cost_growth", "length-10000", "growth, 10,000", "×"),
    ("cost_growth", LONGEST, "growth, 50,000", "×"),
    ("dirty_objects_per_update", "length-10000", "objects laid out again, 10,000", ""),
    ("lag_p95_ms", "firehose-1000", "lag, 1,000 tokens/s", "ms"),
    ("finish_lag_ms", "firehose-1000", "finish, 1,000 tokens/s", "ms"),
    ("stop_to_last_mutation_ms", "stop", "Stop → last change", "ms"),
    ("tokens_after_stop", "stop", "tokens after Stop", ""),
    ("words_missing", "firehose-1000", "words missing, 1,000 tokens/s", ""),
)

OWN = "Pageside"


async def measure(workshop: Workshop) -> Table:
    peers.prepare(CACHE)
    results: dict[str, list[AuditResult]] = {}
    table = Table("peers", "streaming pages of peers, driven by pageside pace", DEFINITIONS)
    # What is HEAVY is measured where it was asked for.
    names = [n for n in (OWN, *peers.NAMES) if n not in HEAVY or (CACHE / n).exists()]
    for turn in range(workshop.repeats):
        for place, name in enumerate(names, 1):
            began = time.monotonic()
            try:
                result = await audited(name)
            except PagesideError as error:
                table.guards.append(f"{name}: not measured: {error}")
                outcome = str(error)
            else:
                results.setdefault(name, []).append(result)
                outcome = result.verdict
            took = f"{outcome}, {time.monotonic() - began:.0f} s"
            print(f"round {turn + 1}, {place} of {len(names)}: {name}: {took}", file=sys.stderr)
    for metric, scenario, label, unit in FIGURES:
        for name, found in results.items():
            if values := of(found, metric, scenario):
                table.add(f"{label}, {name}", unit, values)
    table.guards += [in_words(name, found) for name, found in results.items()]
    return table


async def audited(name: str) -> AuditResult:
    async with options(name) as chosen:
        return (await audit(chosen)).result


@contextlib.asynccontextmanager
async def options(name: str) -> AsyncIterator[Options]:
    if name == OWN:
        with subjects([None], recipe=None) as (own,):
            yield of_page(name, own.url, own.recipe, None)
        return
    with Pace(allow_origins=["*"]) as pace:
        recipe = load_recipe(name) if name in recipe_names() else Recipe()
        if name in peers.UIS:
            async with peers.ui(name, pace.url, CACHE) as url:
                yield of_page(name, url, recipe, pace)
            return
        with peers.origin(CACHE) as server:
            path = peers.renderers(CACHE)[name]
            yield of_page(name, peers.page_url(server.url, path, pace.url), recipe, pace)


def of_page(name: str, url: str, recipe: Recipe, pace: Pace | None) -> Options:
    lengths = (*COST, LONGEST) if name in STANDS_THE_LONGEST else COST
    return Options(
        url=url,
        recipe=recipe,
        scenarios=[
            *(replace(scenario, kinds=("cost",)) for scenario in choose("quick", lengths)),
            *(replace(scenario, kinds=("evidence",)) for scenario in choose("quick", EVIDENCE)),
        ],
        budgets=default_budgets(),
        pace=pace,
    )


def of(results: Sequence[AuditResult], metric: str, scenario: str) -> list[float]:
    return [
        finding.median
        for result in results
        for finding in result.findings
        if finding.values and (finding.metric.name, finding.scenario) == (metric, scenario)
    ]


def in_words(name: str, results: Sequence[AuditResult]) -> str:
    verdicts = ", ".join(result.verdict for result in results)
    faults = sorted({d.fault for result in results for d in result.diagnoses})
    version = peers.versions().get(name, "")
    notes = [note for result in results for note in result.notes]
    told = [f"{name} {version}".strip(), verdicts, f"faults {', '.join(faults) or 'none'}", *notes]
    return "; ".join(told)
