"""What an audit found, as plain values: what the report, JSON, JUnit and the plugin read.

    Sample      one metric in one run of one scenario
    Guard       whether a run measured what it says it measured
    Finding     a metric's samples, held against a budget
    Diagnosis   a known fault, with the proof and the line of code
    AuditResult all of it, and the verdict

Times are milliseconds from the start of a scenario's measured window unless named otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

Verdict = Literal["pass", "fail", "inconclusive"]

# What a figure is made of, and so what can spoil it: `cpu` is thread CPU time, `count` is exact,
# `wall` is time on the clock, which a busy machine stretches.
Kind = Literal["cpu", "count", "wall"]

Fault = Literal["A", "B", "C", "D", "E", "F", "G"]


@dataclass(frozen=True)
class Metric:
    """A figure's definition; `definition` names the two events between which it lies."""

    name: str
    unit: str
    kind: Kind
    definition: str


@dataclass(frozen=True)
class Sample:
    metric: str
    scenario: str
    run: int
    value: float


@dataclass(frozen=True)
class Guard:
    """`detail` has the figures; `spoils` are the kinds not to be believed if it does not hold."""

    name: str
    scenario: str
    run: int
    holds: bool
    detail: str
    spoils: frozenset[Kind]


@dataclass(frozen=True)
class Budget:
    """The most a metric may be, on scenarios whose name matches `scenario` (a glob).

    `slack` is what a value may be above `most` before it is a fail, in the metric's own unit:
    33.4 against 33.3 ms is not a verdict. Between the two it is inconclusive.
    """

    metric: str
    most: float
    scenario: str = "*"
    slack: float = 0.0


@dataclass(frozen=True)
class Finding:
    """`verdict` is None where no budget applies: shown, not judged."""

    metric: Metric
    scenario: str
    values: tuple[float, ...]
    budget: Budget | None = None
    verdict: Verdict | None = None
    reason: str = ""

    @property
    def median(self) -> float:
        return median(self.values)


@dataclass(frozen=True)
class Blame:
    """A place in the page's own code; `line` and `column` count from 1."""

    url: str
    line: int
    column: int
    function: str
    cpu_ms: float


@dataclass(frozen=True)
class Diagnosis:
    """`proof` is one sentence a piece of evidence, each with its figures."""

    fault: Fault
    title: str
    scenario: str
    proof: tuple[str, ...]
    advice: str
    blame: tuple[Blame, ...] = ()


@dataclass(frozen=True)
class Timeline:
    """One run of one scenario over time.

    `emitted` and `painted` are steps (ms, tokens so far); `missed` are refresh slots that passed
    without a pending update; `lags` are (ms, token → paint lag in ms); `tasks` are long tasks
    (start, CPU ms); `events` are named moments such as "stop".
    """

    scenario: str
    duration_ms: float
    emitted: tuple[tuple[float, int], ...] = ()
    painted: tuple[tuple[float, int], ...] = ()
    missed: tuple[float, ...] = ()
    lags: tuple[tuple[float, float], ...] = ()
    tasks: tuple[tuple[float, float], ...] = ()
    events: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Cost:
    """Main-thread CPU of one update on an answer of that length; `stages` add up to it."""

    scenario: str
    length_tokens: int
    history_messages: int
    cpu_ms_per_update: float
    stages: Mapping[str, float]


@dataclass(frozen=True)
class SavedTrace:
    """`file` is relative to the report's folder."""

    scenario: str
    file: str
    size_bytes: int


@dataclass(frozen=True)
class AuditResult:
    """`machine` and `options` are names to values, as printed; `notes` are lines for a person."""

    url: str
    title: str
    recipe: str
    started_at: str
    duration_s: float
    verdict: Verdict
    findings: tuple[Finding, ...]
    guards: tuple[Guard, ...]
    diagnoses: tuple[Diagnosis, ...]
    timelines: tuple[Timeline, ...] = ()
    costs: tuple[Cost, ...] = ()
    traces: tuple[SavedTrace, ...] = ()
    machine: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
