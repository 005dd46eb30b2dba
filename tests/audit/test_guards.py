"""Every guard holds where the take measured what it says, and does not where it did not."""

from collections.abc import Mapping

import pytest

from pageside.audit.guards import guards
from pageside.audit.result import Guard
from pageside.audit.take import Take

from . import takes
from .takes import BEGIN_S

COST = takes.scenario(kinds=("cost",))


def checked(take: Take) -> Mapping[str, Guard]:
    found = {guard.name: guard for guard in guards(take)}
    for guard in found.values():
        assert (guard.scenario, guard.run) == (take.scenario.name, take.run)
        assert guard.detail
    return found


def written(take: Take, stretch: float = 1.0) -> list[float]:
    """When its tokens were, if each part took `stretch` times as long as planned, with a pause
    of 3 s between parts."""
    times = []
    at = BEGIN_S
    for part in take.parts:
        for event in part:
            at += event.ms / 1000 * stretch
            if event.kind == "text":
                times.append(at)
        at += 3
    return times


class TestPainted:
    def test_all_words_are_there(self) -> None:
        guard = checked(takes.take(run=2))["painted"]
        assert guard.holds
        assert guard.spoils == {"cpu", "wall"}
        assert guard.detail.startswith("20 words")

    @pytest.mark.parametrize("words", [[], list(range(19)), [1, 0, *range(2, 20)]])
    def test_a_page_that_paints_nothing_costs_nothing(self, words: list[int]) -> None:
        assert not checked(takes.take(words=words))["painted"].holds

    @pytest.mark.parametrize(("words", "holds"), [([0, 1], True), ([0, 2], False), ([], False)])
    def test_after_a_stop_any_beginning_will_do(self, words: list[int], holds: bool) -> None:
        take = takes.take(of=takes.scenario("stop", action="stop"), words=words)
        assert checked(take)["painted"].holds is holds


class TestPace:
    @pytest.mark.parametrize(
        ("stretch", "holds"), [(1.0, True), (1.14, True), (0.86, True), (1.16, False), (0.8, False)]
    )
    def test_tokens_take_the_time_that_they_were_to_take(self, stretch: float, holds: bool) -> None:
        """Parts by themselves: what passes between them is not the stream's."""
        take = takes.take("cost", COST)
        assert len(take.parts) == 2
        take.emitted_s = written(take, stretch)
        guard = checked(take)["pace"]
        assert guard.holds is holds
        assert guard.spoils == {"cpu", "count", "wall"}

    def test_of_a_short_stream_a_little_is_not_much(self) -> None:
        take = takes.take(of=takes.scenario(rate=100, seconds=0.1))
        take.emitted_s = written(take, 2.0)
        assert checked(take)["pace"].holds

    def test_a_token_that_was_not_written_is_missed(self) -> None:
        take = takes.take("cost", COST)
        take.emitted_s = written(take)[:-1]
        assert not checked(take)["pace"].holds

    def test_it_says_nothing_where_nobody_knows_or_a_stop_was_meant(self) -> None:
        assert "pace" not in checked(takes.take())
        stop = takes.scenario("stop", action="stop")
        assert "pace" not in checked(takes.take(of=stop, emitted_s=[BEGIN_S]))


@pytest.mark.parametrize(("late_ms", "holds"), [(0, True), (50, True), (50.1, False)])
def test_a_machine_that_wakes_late_spoils_wall_clock_figures(late_ms: float, holds: bool) -> None:
    guard = checked(takes.take(lateness_p95_ms=late_ms))["machine"]
    assert guard.holds is holds
    assert guard.spoils == {"wall"}


@pytest.mark.parametrize(("cpu_ms", "holds"), [(0, True), (500, True), (501, False)])
def test_a_page_that_is_busy_by_itself_spoils_cpu_figures(cpu_ms: float, holds: bool) -> None:
    guard = checked(takes.take("cost", COST, idle_span=takes.span(1000, cpu_ms)))["idle control"]
    assert guard.holds is holds
    assert guard.spoils == {"cpu"}


@pytest.mark.parametrize(("own_ms", "holds"), [(0, True), (2, True), (2.1, False)])
def test_an_observer_that_costs_much_spoils_cpu_figures(own_ms: float, holds: bool) -> None:
    take = takes.take("cost", COST, own_ms=own_ms, stream_span=takes.span(2000, 100))
    guard = checked(take)["observer"]
    assert guard.holds is holds
    assert guard.spoils == {"cpu"}


def test_the_observer_says_what_the_trace_costs() -> None:
    take = takes.take("cost", COST, own_ms=0.5, stream_span=takes.span(2000, 100))
    assert "traced" not in checked(take)["observer"].detail
    take.stream = takes.window(2, tasks_ms=[110])
    assert checked(take)["observer"].detail.endswith("; traced, the same stream took +10 %")
    take.scenario = takes.scenario("firehose-10", kinds=("cost",))
    assert "traced" not in checked(take)["observer"].detail, "it was traced all the time"


@pytest.mark.parametrize(("uncertain_s", "holds"), [(0.02, True), (0.021, False)])
def test_a_clock_that_is_not_known_spoils_wall_clock_figures(
    uncertain_s: float, holds: bool
) -> None:
    take = takes.take(evidence=takes.evidence(), clock_uncertainty_s=uncertain_s)
    guard = checked(take)["clock"]
    assert guard.holds is holds
    assert guard.spoils == {"wall"}


def test_only_guards_of_what_was_measured_are_there() -> None:
    assert checked(takes.take("cost", COST)).keys() == {"painted", "machine"}
    assert checked(takes.take(evidence=takes.evidence())).keys() == {"painted", "machine", "clock"}
    counted = takes.take("counters", COST, idle_span=takes.span(1000, 1))
    assert checked(counted).keys() == {"painted", "machine", "idle control"}
    counted.stream_span = takes.span(2000, 0)
    assert "observer" not in checked(counted), "nothing was spent that could be shared"
