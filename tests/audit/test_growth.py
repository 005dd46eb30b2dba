"""Growth holds a scenario against its base, run by run."""

import pytest

from pageside.audit.growth import growth, of_bases, with_bases
from pageside.audit.result import Guard, Sample
from pageside.audit.scenarios import choose
from pageside.audit.take import Take

from . import takes


def costs(**by_scenario: float) -> list[Sample]:
    return [
        Sample("cpu_ms_per_update", name.replace("_", "-"), 0, value)
        for name, value in by_scenario.items()
    ]


def cost_take(name: str, dirty: int = 3, run: int = 0) -> Take:
    frames = [(0.1 * i, 0.1 * i + 0.01) for i in range(1, 10)]
    window = takes.window(frames_s=frames, dirty=dirty)
    return takes.take("cost", takes.scenario(name, kinds=("cost",)), run=run, stream=window)


def grown(samples: list[Sample], played: list[Take]) -> dict[tuple[str, str, int], float]:
    return {(s.metric, s.scenario, s.run): s.value for s in growth(samples, played)}


@pytest.mark.parametrize(
    ("scenario", "base"),
    [
        *((f"length-{tokens}", "length-500") for tokens in (2_000, 10_000, 50_000)),
        *((f"block-{block}", "length-500") for block in ("fence", "list", "table", "paragraph")),
        ("history-50", "history-0"),
        ("history-400", "history-0"),
        *((f"{kind}-10000", f"{kind}-500") for kind in ("code", "tables", "lists", "maths")),
    ],
)
def test_each_is_held_against_its_own_base(scenario: str, base: str) -> None:
    bases = ["length-500", "history-0", "code-500", "tables-500", "lists-500", "maths-500"]
    cost = {name: place + 1 for place, name in enumerate(bases)}
    samples = costs(**{name.replace("-", "_"): cost[name] for name in bases})
    samples.append(Sample("cpu_ms_per_update", scenario, 0, 60))
    played = [*(cost_take(name, 2 * cost[name]) for name in bases), cost_take(scenario, 240)]
    assert grown(samples, played) == {
        ("cost_growth", scenario, 0): 60 / cost[base],
        ("dirty_growth", scenario, 0): 120 / cost[base],
    }


def test_runs_are_held_against_the_base_of_the_same_run() -> None:
    samples = [
        Sample("cpu_ms_per_update", name, run, value)
        for name, run, value in (
            ("length-500", 0, 1),
            ("length-500", 1, 2),
            ("length-10000", 0, 3),
            ("length-10000", 1, 8),
            ("length-10000", 2, 9),  # its base was lost
        )
    ]
    played = [cost_take(s.scenario, run=s.run) for s in samples]
    found = grown(samples, played)
    assert {key: value for key, value in found.items() if key[0] == "cost_growth"} == {
        ("cost_growth", "length-10000", 0): 3,
        ("cost_growth", "length-10000", 1): 4,
    }


def test_without_a_base_nothing_has_grown() -> None:
    played = [cost_take("length-10000"), cost_take("steady-33"), cost_take("length-500")]
    assert grown(costs(length_10000=5, steady_33=1), played) == {}
    assert grown(costs(length_500=5), played) == {}


def test_nothing_is_so_many_times_nothing() -> None:
    played = [cost_take("length-500", 0), cost_take("length-10000", 9)]
    assert grown(costs(length_500=0, length_10000=9), played) == {}


def test_other_figures_do_not_grow() -> None:
    played = [cost_take("length-500"), cost_take("length-10000")]
    samples = [Sample("cpu_ms_per_token", s.scenario.name, 0, 1) for s in played]
    assert grown(samples, played) == {}


def test_what_does_not_hold_of_a_base_does_not_hold_of_what_is_compared_with_it() -> None:
    broken = Guard("idle control", "history-0", 3, False, "80 % busy", frozenset({"cpu"}))
    kept = Guard("machine", "length-500", 0, True, "quiet", frozenset({"wall"}))
    other = Guard("painted", "steady-33", 0, False, "1 missing", frozenset({"cpu"}))
    found = of_bases([broken, kept, other], ["history-0", "history-50", "history-400", "stop"])
    assert [(g.name, g.scenario) for g in found] == [
        ("idle control, history-0", "history-50"),
        ("idle control, history-0", "history-400"),
    ]
    for guard in found:
        assert (guard.run, guard.holds, guard.detail) == (3, False, "80 % busy")
        assert guard.spoils == {"cpu"}


@pytest.mark.parametrize(
    ("asked", "played"),
    [
        (["length-10000"], ["length-500", "length-10000"]),
        (["history-7", "stop"], ["history-0", "history-7", "stop"]),
        (
            ["maths-10000", "block-list", "length-2000"],
            ["maths-500", "length-500", "maths-10000", "block-list", "length-2000"],
        ),
        (["length-10000", "length-500"], ["length-10000", "length-500"]),
        (["stop", "steady-33"], ["stop", "steady-33"]),
    ],
)
def test_what_growth_is_held_against_is_played_too(asked: list[str], played: list[str]) -> None:
    assert [scenario.name for scenario in with_bases(choose("quick", asked))] == played
