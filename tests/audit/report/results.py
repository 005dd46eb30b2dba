"""Results as an audit has them: one that passes, one that fails, one that nobody can judge."""

import math
import random
from collections.abc import Iterator

from pageside.audit.result import (
    AuditResult,
    Blame,
    Budget,
    Cost,
    Diagnosis,
    Finding,
    Guard,
    Metric,
    SavedTrace,
    Timeline,
    Verdict,
)

COST = Metric(
    "cpu_ms_per_update",
    "ms",
    "cpu",
    "CPU time of the page's main thread between the first and the last token, by frame committed",
)
GROWTH = Metric(
    "cost_growth", "×", "cpu", "cpu_ms_per_update onto 10,000 tokens, divided by that onto 500"
)
LAG = Metric(
    "lag_p95_ms", "ms", "wall", "95th percentile of: token written by the upstream → frame shown"
)
STOP = Metric(
    "stop_to_last_mutation_ms", "ms", "wall", "click on Stop → last change of the answer's text"
)
MISSED = Metric(
    "missed_slots", "slots", "count", "refreshes that passed while an update was pending"
)
LAYOUTS = Metric(
    "dirty_objects_per_token", "", "count", "layout objects marked dirty, by token painted"
)
NODES = Metric("nodes_per_1000_tokens", "nodes", "count", "live nodes after collecting garbage")

METRICS = (COST, GROWTH, LAG, STOP, MISSED, LAYOUTS, NODES)
SCENARIOS = ("steady-33", "firehose-1000", "stop-1000", "long-answer-10k")

MACHINE = {
    "system": "Linux 6.8, x86_64",
    "processor": "2 cores",
    "browser": "Chromium 156.0.8078.108",
    "refresh": "60.0 Hz",
    "load average": "0.41, 0.38, 0.35",
    "fixed loop": "41.2 ms, 1.02 of the median",
}
OPTIONS = {"runs": "3", "budget": "built in", "throttle": "none", "pace": "http://127.0.0.1:9123"}


def passing() -> AuditResult:
    findings = (
        finding(GROWTH, "long-answer-10k", (1.21, 1.18, 1.24), 2.0, "pass"),
        finding(COST, "steady-33", (1.82, 1.79, 1.9), 4.0, "pass"),
        finding(COST, "long-answer-10k", (2.21, 2.17, 2.3), 4.0, "pass"),
        finding(LAG, "steady-33", (21.2, 19.8, 24.4), 100.0, "pass"),
        finding(LAG, "firehose-1000", (34.0, 31.7, 52.1), 250.0, "pass"),
        finding(STOP, "stop-1000", (14.2, 11.0, 18.9), 150.0, "pass"),
        finding(MISSED, "steady-33", (0.0, 0.0, 1.0), None, None),
    )
    return AuditResult(
        url="http://127.0.0.1:8765/",
        title="Pageside",
        recipe="pageside",
        started_at="2026-11-29T17:40:10+00:00",
        duration_s=148.2,
        verdict="pass",
        findings=findings,
        guards=tuple(guards()),
        diagnoses=(),
        timelines=tuple(timeline(name, behind=0) for name in SCENARIOS[:3]),
        costs=costs(1.6, 0.03),
        traces=(SavedTrace("steady-33", "traces/steady-33-1.json.gz", 2_340_112),),
        machine=MACHINE,
        options=OPTIONS,
    )


def failing() -> AuditResult:
    """Markdown parsed whole for every token, and a Stop that stops the page alone."""
    findings = (
        finding(GROWTH, "long-answer-10k", (7.04, 6.62, 7.31), 2.0, "fail"),
        finding(COST, "steady-33", (3.27, 3.19, 3.44), 4.0, "pass"),
        finding(COST, "long-answer-10k", (22.9, 21.7, 24.8), 4.0, "fail"),
        finding(LAG, "steady-33", (38.2, 36.0, 41.7), 100.0, "pass"),
        finding(LAG, "firehose-1000", (4001.0, 3820.0, 4369.0), 250.0, "fail"),
        finding(
            STOP,
            "stop-1000",
            (158.0, 149.0, 171.0),
            150.0,
            "inconclusive",
            "median within the slack of the budget, and runs on both sides of it",
            slack=16.7,
        ),
        finding(MISSED, "firehose-1000", (214.0, 208.0, 231.0), None, None),
        finding(LAYOUTS, "long-answer-10k", (2165.0, 2165.0, 2166.0), 16.0, "fail"),
        finding(NODES, "steady-33", (12_480.0, 12_480.0, 12_480.0), 20_000.0, "pass"),
    )
    lagging = timeline("firehose-1000", rate=1000, behind=0.5, misses=214, duration_ms=9000)
    stopped = timeline("stop-1000", rate=1000, behind=0.15, misses=60, stop_at=4000)
    hidden = timeline("hidden-tab", behind=0.05, hide_at=4000, show_at=7500)
    return AuditResult(
        url="http://127.0.0.1:3000/chat?conversation=new",
        title="Acme Chat",
        recipe="detected",
        started_at="2026-11-29T17:40:10+00:00",
        duration_s=312.8,
        verdict="fail",
        findings=findings,
        guards=(
            *guards(),
            Guard(
                "idle control drops no frames",
                "firehose-1000",
                2,
                False,
                "the control itself missed 7.1 % of its frames (at most 5 %)",
                frozenset({"wall"}),
            ),
        ),
        diagnoses=diagnoses(),
        timelines=(timeline("steady-33", behind=0.04, misses=4), lagging, stopped, hidden),
        costs=costs(2.4, 0.45),
        traces=(
            SavedTrace("steady-33", "traces/steady-33-1.json.gz", 2_340_112),
            SavedTrace("firehose-1000", "traces/firehose-1000-1.json.gz", 4_128_904),
        ),
        machine=MACHINE,
        options=OPTIONS,
        notes=("The page asked for /favicon.ico and got 404; nothing was made of it.",),
    )


def undecided() -> AuditResult:
    reason = "the idle control missed 9.8 % of its frames (at most 5 %): this machine is busy"
    return AuditResult(
        url="http://127.0.0.1:3000/",
        title="Acme Chat",
        recipe="detected",
        started_at="2026-11-29T17:40:10+00:00",
        duration_s=95.0,
        verdict="inconclusive",
        findings=(
            finding(COST, "steady-33", (1.9,), 4.0, "pass"),
            finding(LAG, "steady-33", (180.0,), 100.0, "inconclusive", reason),
        ),
        guards=(
            Guard(
                "idle control drops no frames",
                "steady-33",
                1,
                False,
                reason,
                frozenset({"wall"}),
            ),
        ),
        diagnoses=(),
        timelines=(timeline("steady-33", behind=0.2, misses=80),),
        costs=costs(1.6, 0.1)[:1],
        machine=MACHINE,
    )


def empty(verdict: Verdict = "inconclusive") -> AuditResult:
    return AuditResult("", "", "", "", 0.0, verdict, (), (), ())


def finding(
    metric: Metric,
    scenario: str,
    values: tuple[float, ...],
    most: float | None,
    verdict: Verdict | None,
    reason: str = "",
    slack: float = 0.0,
) -> Finding:
    budget = None if most is None else Budget(metric.name, most, scenario, slack)
    return Finding(metric, scenario, values, budget, verdict, reason)


def guards() -> Iterator[Guard]:
    for scenario in SCENARIOS:
        for run in (1, 2, 3):
            yield Guard(
                "every word painted, once, in order",
                scenario,
                run,
                True,
                "1,000 of 1,000 words",
                frozenset({"cpu", "count", "wall"}),
            )
            yield Guard(
                "tokens sent at the asked pace",
                scenario,
                run,
                True,
                "32.9 of 33 tokens/s",
                frozenset({"wall"}),
            )


def diagnoses() -> tuple[Diagnosis, ...]:
    bundle = "http://127.0.0.1:3000/assets/index-BqX3k2.js"
    return (
        Diagnosis(
            "B",
            "Work that grows with the answer",
            "long-answer-10k",
            (
                "An update costs 3.27 ms of CPU at 500 tokens and 22.9 ms at 10,000: 7.0× for 20×.",
                "72 % of it is script, in functions that run once an update.",
                "Each token marks 2,165 layout objects dirty at 10,000 tokens, and 398 at 2,000.",
            ),
            "Parse and render the last block only; leave finished blocks as they are. "
            "Patch the tail's nodes instead of setting innerHTML.",
            (
                Blame(bundle, 1, 48211, "renderMarkdown", 3120.4),
                Blame(bundle, 1, 51002, "Lexer.blockTokens", 1874.0),
                Blame(bundle, 7, 912, "", 402.7),
            ),
        ),
        Diagnosis(
            "D",
            "An unbounded queue between network and page",
            "firehose-1000",
            (
                "Tokens came at 1,000 a second and were painted at 498.",
                "Lag rose for 9 s without a bound, to 4,369 ms.",
            ),
            "Give the queue a bound: take all that waits in one update instead of one at a time.",
            (Blame("http://127.0.0.1:3000/src/stream.ts", 88, 14, "onChunk", 912.0),),
        ),
    )


def costs(base: float, growth: float) -> tuple[Cost, ...]:
    made = []
    for history in (0, 400):
        for length in (500, 2_000, 10_000, 50_000):
            parse = base * growth * (length / 500) ** 0.6
            stages = {
                "script": base * 0.35 + parse * 1.2,
                "parse": parse * 0.2,
                "style": base * 0.1 + parse * 0.1,
                "layout": base * 0.2 + parse * 0.6 + history * 0.004,
                "prepaint": base * 0.08 + parse * 0.1 + history * 0.002,
                "paint": base * 0.12,
                "composite": base * 0.08,
                "gc": base * 0.03,
                "other": base * 0.04,
            }
            total = sum(stages.values())
            made.append(Cost(f"cost-{length}-{history}", length, history, total, stages))
    return tuple(made)


def timeline(
    scenario: str,
    *,
    rate: float = 33,
    duration_ms: float = 12_000,
    behind: float = 0.02,
    misses: int = 0,
    stop_at: float | None = None,
    hide_at: float | None = None,
    show_at: float | None = None,
) -> Timeline:
    """`behind` is the share of the tokens so far that is not yet painted."""
    source = random.Random(scenario)
    end = stop_at or duration_ms * 0.8
    count = int(end / 1000 * rate)
    emitted = tuple((i / rate * 1000, i + 1) for i in range(count))
    painted, lags, shown = [], [], 0
    at = 16.7
    while at < duration_ms and shown < count:
        arrived = min(count, int(at / 1000 * rate))
        hidden = hide_at is not None and hide_at < at < (show_at or math.inf)
        seen = int(arrived * (1 - behind)) if at < end else min(count, shown + int(rate / 20) + 1)
        if seen > shown and not hidden:
            lags.append((at, at - emitted[seen - 1][0] + source.uniform(4, 24)))
            painted.append((at, seen))
            shown = seen
        at += 16.7 * source.choice((1, 1, 1, 2, 6 if misses > 50 else 1))
    events = [(stop_at, "stop"), (hide_at, "hide"), (show_at, "show")]
    return Timeline(
        scenario=scenario,
        duration_ms=duration_ms,
        emitted=emitted,
        painted=tuple(painted),
        missed=tuple(sorted(source.uniform(0, end) for _ in range(misses))),
        lags=tuple(lags),
        tasks=tuple((source.uniform(0, end), source.uniform(50, 320)) for _ in range(misses // 8)),
        events=tuple((at, name) for at, name in events if at is not None),
    )
