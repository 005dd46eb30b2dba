"""How much dearer an update is on a long answer, or after many messages, than on a short one."""

from collections.abc import Sequence
from dataclasses import replace

from pageside.audit.metrics.cpu import cost_growth
from pageside.audit.metrics.work import dirty_growth
from pageside.audit.result import Guard, Sample
from pageside.audit.scenarios import Scenario, choose
from pageside.audit.take import Take

SHORT = "length-500"

# What a scenario of each family is held against.
_BASES = {
    "length": SHORT,
    "block": SHORT,
    "history": "history-0",
    "code": "code-500",
    "tables": "tables-500",
    "lists": "lists-500",
    "maths": "maths-500",
}


def base_of(scenario: str) -> str | None:
    """The scenario it is held against; None: against none."""
    base = _BASES.get(scenario.partition("-")[0])
    return None if base == scenario else base


def with_bases(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """These, and before them those that they are held against and that are not among them."""
    names = [scenario.name for scenario in scenarios]
    wanted = dict.fromkeys(filter(None, map(base_of, names)))
    missing = [base for base in wanted if base not in names]
    return [*(choose("full", missing) if missing else ()), *scenarios]


def of_bases(guards: Sequence[Guard], scenarios: Sequence[str]) -> list[Guard]:
    """What did not hold of a base does not hold of what is compared with it."""
    return [
        replace(guard, name=f"{guard.name}, {guard.scenario}", scenario=scenario)
        for guard in guards
        for scenario in scenarios
        if base_of(scenario) == guard.scenario and not guard.holds
    ]


def growth(samples: Sequence[Sample], takes: Sequence[Take]) -> list[Sample]:
    """`cost_growth` and `dirty_growth` of the scenarios that have a base; both of one run."""
    costs = {
        (sample.scenario, sample.run): sample.value
        for sample in samples
        if sample.metric == "cpu_ms_per_update"
    }
    windows = {
        (take.scenario.name, take.run): take.stream
        for take in takes
        if take.kind == "cost" and take.stream is not None
    }
    found = []
    for (scenario, run), cost in costs.items():
        base = base_of(scenario)
        if base is None or (base, run) not in costs:
            continue
        factor = cost_growth(costs[base, run], cost)
        dirty = dirty_growth(windows[base, run], windows[scenario, run])
        for metric, value in (("cost_growth", factor), ("dirty_growth", dirty)):
            if value is not None:
                found.append(Sample(metric, scenario, run, value))
    return found
