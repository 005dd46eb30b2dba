"""Which scenarios are played, and how many tokens each has."""

import pytest

from pageside.audit.errors import AuditError
from pageside.audit.scenarios import (
    PROFILES,
    RAMP_S,
    SCENARIOS,
    WINDOW_S,
    Profile,
    Scenario,
    choose,
    steady,
)

KINDS = ("code", "tables", "lists", "maths")


def names(profile: Profile, *patterns: str) -> list[str]:
    return [scenario.name for scenario in choose(profile, patterns)]


def named(name: str) -> Scenario:
    (found,) = choose("full", [name])
    return found


def test_names_are_unique_and_each_profile_has_more() -> None:
    everything = names("full")
    assert len(set(everything)) == len(everything) == len(SCENARIOS)
    quick, standard = names("quick"), names("standard")
    assert quick == ["length-500", "length-10000", "steady-33", "stop"]
    assert set(quick) < set(standard) < set(everything)
    left_out = {"length-50000", *(f"history-{n}" for n in (0, 50, 400, 1_000))}
    left_out |= {f"{kind}-{n}" for kind in KINDS for n in (500, 10_000)}
    assert set(everything) - set(standard) == left_out | {"block-list", "block-table"}
    assert set(PROFILES) == {"quick", "standard", "full"}


def test_patterns_choose_from_all_whatever_the_profile() -> None:
    assert names("quick", "history-*") == [f"history-{n}" for n in (0, 50, 400, 1_000)]
    assert names("quick", "stop", "length-50?") == ["stop", "length-500"]
    assert names("quick", "steady-*", "steady-33", "*-33") == ["steady-33", "steady-200"]


@pytest.mark.parametrize(
    ("name", "rate", "seconds"),
    [("steady-4", 4, 6), ("steady-0.5", 0.5, 20), ("steady-5000", 5_000, WINDOW_S)],
)
def test_any_rate_can_be_asked_for(name: str, rate: float, seconds: float) -> None:
    scenario = named(name)
    assert (scenario.name, scenario.rate, scenario.seconds) == (name, rate, seconds)
    assert scenario.kinds == ("cost", "evidence")


def test_a_rate_that_has_a_scenario_is_that_scenario() -> None:
    assert named("steady-33") == steady(33)


@pytest.mark.parametrize("kind", KINDS)
def test_any_number_can_be_asked_for(kind: str) -> None:
    assert (named("length-3000").before, named("length-3000").block) == (3_000, "prose")
    assert (named("history-7").history, named("history-7").before) == (7, 100)
    assert (named(f"{kind}-3000").before, named(f"{kind}-3000").block) == (3_000, kind)


@pytest.mark.parametrize("name", ["length-100001", "history-2001", "code--1", "maths-x", "block-9"])
def test_a_number_beyond_reason_is_refused(name: str) -> None:
    with pytest.raises(AuditError, match="no scenario is called"):
        choose("quick", [name])


@pytest.mark.parametrize(
    "name", ["steady-0.4", "steady-5001", "steady-nan", "steady-inf", "steady-", "Stop", "x", ""]
)
def test_what_matches_nothing_is_named_with_the_way_out(name: str) -> None:
    with pytest.raises(AuditError, match="no scenario is called") as caught:
        choose("quick", ["stop", name])
    assert repr(name) in caught.value.message
    assert "firehose-1000" in caught.value.hint
    assert "steady-RATE" in caught.value.hint


def test_a_part_is_the_window_and_its_ramps() -> None:
    scenario = named("length-500")
    assert scenario.part_count == round(33 * (WINDOW_S + RAMP_S))
    assert scenario.count("cost") == 2 * scenario.part_count
    assert scenario.count("counters") == scenario.count("evidence") == scenario.part_count


def test_a_firehose_has_one_part_without_ramps() -> None:
    scenario = named("firehose-5000")
    assert scenario.is_firehose
    assert scenario.count("cost") == scenario.count("evidence") == 10_000
    assert not named("steady-200").is_firehose


def test_what_is_played_with_the_probe_alone_has_no_ramps() -> None:
    assert named("stop").count("evidence") == 6_000
    assert named("typing").part_count == round(100 * WINDOW_S)


def test_there_is_always_something_to_measure() -> None:
    assert Scenario("s", "s", rate=0.5, seconds=0.1, kinds=("evidence",)).part_count == 1
