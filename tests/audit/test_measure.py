"""From a take to figures, by arithmetic: what every one is made of."""

from collections.abc import Mapping
from itertools import pairwise

import pytest

from pageside.audit import measure
from pageside.audit.metrics import METRICS
from pageside.audit.take import Take

from . import takes
from .takes import BEGIN_S

STOP = takes.scenario("stop", action="stop")
HIDDEN = takes.scenario("hidden", action="hide")


def figures(take: Take) -> Mapping[str, float]:
    made = measure.samples(take)
    assert {(sample.scenario, sample.run) for sample in made} <= {(take.scenario.name, take.run)}
    assert {sample.metric for sample in made} <= METRICS.keys()
    values = {sample.metric: sample.value for sample in made}
    assert len(values) == len(made)
    return values


class TestWordsMissing:
    @pytest.mark.parametrize(
        ("words", "missing"),
        [
            ([0, 1, 2, 3], 0),
            ([], 4),
            ([0, 1, 2], 1),  # the last
            ([1, 2, 3], 4),  # the first: none is in its place
            ([0, 1, 3], 2),  # what follows a lost one is not in its place
            ([0, 2, 1, 3], 2),  # two that changed places
            ([3, 2, 1, 0], 3),
            ([7, 0, 1, 2, 3], 1),  # one too many
        ],
    )
    def test_words_that_are_not_in_their_place(self, words: list[int], missing: int) -> None:
        take = takes.take(of=takes.scenario(seconds=0.4), words=words)
        assert measure.words_missing(take) == missing

    def test_what_was_there_before_counts_and_both_parts_of_a_cost_take(self) -> None:
        cost = takes.scenario(before=5, seconds=1, kinds=("cost",))
        take = takes.take("cost", cost)
        assert take.last + 1 == 5 + 2 * round(10 * 1.9)
        assert measure.words_missing(take) == 0
        take.words = take.words[1:]
        assert measure.words_missing(take) == take.last + 1

    @pytest.mark.parametrize(
        ("words", "missing"),
        [([0, 1], 0), ([], 1), ([0, 2], 1), ([0, 1, 1, 2], 1), ([1, 0], 1)],
    )
    def test_after_a_stop_the_answer_ends_anywhere_but_is_in_order(
        self, words: list[int], missing: int
    ) -> None:
        assert measure.words_missing(takes.take(of=STOP, words=words)) == missing

    @pytest.mark.parametrize("words", [[0, 1, 1, 2, 3], [0, 1, 2, 3, 0, 1, 2, 3], [0, 1, 2, 3, 4]])
    def test_a_word_too_many_is_out_of_place(self, words: list[int]) -> None:
        take = takes.take(of=takes.scenario(seconds=0.4), words=words)
        assert measure.words_missing(take) > 0

    def test_what_is_held_back_before_a_cost_take_is_not_held_against_it(self) -> None:
        cost = takes.scenario(kinds=("cost",))
        assert figures(takes.take("cost", cost, held_back=True, words=[])) == {}
        assert figures(takes.take(held_back=True, words=[])) == {"words_missing": 20}


class TestCost:
    SCENARIO = takes.scenario("steady-10", rate=10, seconds=2, kinds=("cost",))

    def test_cpu_time_is_by_the_counters_and_net_of_the_idle_page(self) -> None:
        idle, stream = takes.span(1000, 20), takes.span(2000, 100, layouts=30)
        got = figures(takes.take("cost", self.SCENARIO, idle_span=idle, stream_span=stream))
        assert got["cpu_ms_per_token"] == pytest.approx((100 - 40) / 20)
        assert got["cpu_ms_per_update"] == pytest.approx((100 - 40) / 30)
        assert got["layouts_per_token"] == 1.5
        assert got["busy_share_1x"] == pytest.approx(5)
        assert got["busy_share_4x"] == pytest.approx(20)
        assert "nodes_per_1000_tokens" not in got

    def test_an_idle_page_that_was_busier_makes_it_nothing_not_less(self) -> None:
        idle, stream = takes.span(1000, 500), takes.span(2000, 100, layouts=0)
        got = figures(takes.take("cost", self.SCENARIO, idle_span=idle, stream_span=stream))
        assert got["cpu_ms_per_token"] == 0
        assert "cpu_ms_per_update" not in got, "a page that painted nothing has not painted free"

    def test_tokens_are_those_of_the_span_and_of_a_firehose_all(self) -> None:
        spans = {"idle_span": takes.span(1000, 0), "stream_span": takes.span(500, 100)}
        assert figures(takes.take("cost", self.SCENARIO, **spans))["cpu_ms_per_token"] == 20
        hose = takes.scenario("firehose-10", kinds=("cost",))
        assert figures(takes.take("cost", hose, **spans))["cpu_ms_per_token"] == 100 / 20

    def test_the_shape_is_by_the_trace(self) -> None:
        window = takes.window(2, tasks_ms=[60, 20], frames_s=[(0.5, 0.51), (1.0, 1.01)], dirty=9)
        spans = {"idle_span": takes.span(1000, 0), "stream_span": takes.span(2000, 400, 40)}
        got = figures(takes.take("cost", self.SCENARIO, stream=window, **spans))
        assert got["dirty_objects_per_update"] == 9
        assert got["longest_task_cpu_4x_ms"] == pytest.approx(240)
        assert got["tbt_1x_ms"] == pytest.approx(10)
        # Not by the trace, which costs something itself.
        assert got["busy_share_1x"] == pytest.approx(20)
        assert got["layouts_per_token"] == 2

    def test_what_stays_in_memory_is_for_each_1000_tokens(self) -> None:
        spans = {"idle_span": takes.span(1000, 0), "stream_span": takes.span(2000, 1)}
        take = takes.take("cost", self.SCENARIO, grown=(116, 58_000), **spans)
        got = figures(take)
        assert take.count == 58
        assert got["nodes_per_1000_tokens"] == pytest.approx(2000)
        assert got["heap_kb_per_1000_tokens"] == pytest.approx(1000)

    def test_the_stages_of_an_update_add_up_to_what_the_counters_say(self) -> None:
        spans = {"idle_span": takes.span(1000, 0), "stream_span": takes.span(2000, 100, 50)}
        window = takes.window(script=("http://page/app.js", 30), layout_ms=10)
        long = takes.scenario("length-500", before=500, history=6, kinds=("cost",))
        cost = measure.cost(takes.take("cost", long, stream=window, **spans))
        assert cost is not None
        assert (cost.scenario, cost.length_tokens, cost.history_messages) == ("length-500", 500, 6)
        assert cost.cpu_ms_per_update == 2
        assert sum(cost.stages.values()) == pytest.approx(2)
        assert cost.stages["script"] == pytest.approx(1.5, rel=0.01)
        assert cost.stages["layout"] == pytest.approx(0.5, rel=0.01)

    def test_without_a_measurement_there_is_no_cost(self) -> None:
        assert measure.cost(takes.take(stream=takes.window())) is None
        nothing = {"idle_span": takes.span(1000, 0), "stream_span": takes.span(2000, 9, 0)}
        assert measure.cost(takes.take("cost", stream=takes.window(), **nothing)) is None


class TestPainted:
    FRAMES = ((0.5, 0.52), (1.0, 1.02), (1.5, None))

    def painted(self, *changes: tuple[float, int], before: int = 0) -> list[tuple[float, int]]:
        paints = [(BEGIN_S + at, word) for at, word in changes]
        take = takes.take(
            of=takes.scenario(before=before),
            stream=takes.window(frames_s=self.FRAMES),
            evidence=takes.evidence(paints),
        )
        return [(round(at - BEGIN_S, 6), count) for at, count in measure.painted(take)]

    def test_a_change_is_shown_by_the_first_frame_committed_after_it(self) -> None:
        assert self.painted((0.4, 0), (0.49, 1), (0.51, 2)) == [(0.52, 1), (0.52, 2), (1.02, 3)]

    def test_a_frame_out_of_sight_counts_from_its_commit(self) -> None:
        assert self.painted((1.2, 4)) == [(1.5, 5)]

    def test_what_no_frame_followed_was_not_painted(self) -> None:
        assert self.painted((1.6, 4)) == []

    def test_only_measured_words_count(self) -> None:
        assert self.painted((0.4, 7), (0.6, 12), before=10) == [(0.52, 0), (1.02, 3)]

    def test_without_a_probe_nobody_knows(self) -> None:
        assert measure.painted(takes.take("cost", stream=takes.window())) == []


class TestEmitted:
    def test_the_upstream_is_believed(self) -> None:
        assert measure.emitted_s(takes.take(emitted_s=[1.0, 2.0])) == [1.0, 2.0]

    def take(self, **fields: object) -> Take:
        return takes.take(
            stream=takes.window(3, frames_s=[(0.5, 0.5), (0.9, 0.9)]),
            evidence=takes.evidence([(BEGIN_S + 0.5, 0), (BEGIN_S + 0.9, 2)]),
            **fields,  # type: ignore[arg-type]
        )

    def test_else_the_schedule_from_the_quickest_paint(self) -> None:
        emitted = measure.emitted_s(self.take())
        assert len(emitted) == 20
        assert emitted[0] == pytest.approx(BEGIN_S + 0.5)
        assert [b - a for a, b in pairwise(emitted)] == pytest.approx([0.1] * 19)

    def test_after_a_stop_no_more_than_was_painted(self) -> None:
        assert len(measure.emitted_s(self.take(of=STOP))) == 3


class TestEvidence:
    def test_lags_are_from_the_writing_to_the_frame(self) -> None:
        emitted = [BEGIN_S + 0.1 * i for i in range(20)]
        frames = [(0.1 * i + 0.04, 0.1 * i + 0.05) for i in range(20)]
        take = takes.take(
            emitted_s=emitted,
            stream=takes.window(3, frames_s=frames),
            evidence=takes.evidence([(at + 0.02, i) for i, at in enumerate(emitted)]),
        )
        got = figures(take)
        assert got["lag_p50_ms"] == pytest.approx(50, abs=0.1)
        assert got["finish_lag_ms"] == pytest.approx(50, abs=0.1)
        assert got["lag_slope"] == pytest.approx(0, abs=0.001)
        assert got["unpainted_tokens_percent"] == 0
        assert got["words_missing"] == 0

    def test_arrivals_count_while_tokens_are_written(self) -> None:
        """The page's own requests, before and long after, are not the stream."""
        arrivals = [(0.2, 5000), (0.6, 100), (2.0, 300), (13.0, 9000)]
        take = takes.take(
            emitted_s=[BEGIN_S + at for at in (0.5, 1.0, 1.5)],
            delivery=takes.delivery([0.5, 1.0, 1.5]),
            stream=takes.window(14, arrivals=arrivals),
            evidence=takes.evidence(),
        )
        got = figures(take)
        assert got["longest_arrival_gap_ms"] == pytest.approx(1400)
        assert got["arrived_after_gap_percent"] == pytest.approx(75)
        assert got["longest_producer_gap_ms"] == pytest.approx(500)
        assert got["sent_after_gap_percent"] == 0

    def test_where_nothing_arrived_nothing_is_said_of_it(self) -> None:
        take = takes.take(
            emitted_s=[BEGIN_S + 0.5],
            delivery=takes.delivery([0.5]),
            stream=takes.window(),
            evidence=takes.evidence(),
        )
        assert not {"longest_arrival_gap_ms", "arrived_after_gap_percent"} & figures(take).keys()

    def test_keys_count_and_no_other_events(self) -> None:
        inputs = [("keydown", 0.1, 24.0), ("keydown", 0.2, 40.0), ("pointerover", 0.3, 900.0)]
        take = takes.take(
            of=takes.scenario("typing", action="type"),
            stream=takes.window(),
            evidence=takes.evidence(inputs=inputs),
        )
        assert figures(take)["input_to_next_frame_ms"] == pytest.approx(39.68)
        take.scenario = takes.scenario()
        assert "input_to_next_frame_ms" not in figures(take)

    def test_what_a_cost_take_measures_better_is_left_to_it(self) -> None:
        both = takes.scenario(kinds=("cost", "evidence"))
        window = takes.window(tasks_ms=[80])
        seen = {"stream": window, "evidence": takes.evidence()}
        assert "longest_task_cpu_1x_ms" not in figures(takes.take(of=both, **seen))
        assert figures(takes.take(**seen))["longest_task_cpu_1x_ms"] == pytest.approx(80)

    def test_a_shown_page_catches_up(self) -> None:
        shown = takes.window(1.5, tasks_ms=[120])
        take = takes.take(of=HIDDEN, stream=takes.window(), shown=shown, evidence=takes.evidence())
        got = figures(take)
        assert got["shown_longest_task_cpu_ms"] == pytest.approx(120)
        assert got["shown_tbt_4x_ms"] == pytest.approx(430)
        take.shown = None
        assert "shown_tbt_4x_ms" not in figures(take)


class TestStop:
    def figures(
        self, last_change: float, written: list[float], left: float | None
    ) -> Mapping[str, float]:
        take = takes.take(
            of=STOP,
            stream=takes.window(3),
            evidence=takes.evidence(last_change_s=last_change and BEGIN_S + last_change),
            moments={"stop": BEGIN_S + 1},
            delivery=takes.delivery(written, left and BEGIN_S + left),
        )
        return figures(take)

    def test_from_the_click_to_the_last_change_and_to_the_leaving(self) -> None:
        got = self.figures(1.25, [0.5, 1.0, 1.9], 1.3)
        assert got["stop_to_last_mutation_ms"] == pytest.approx(250)
        assert got["stop_to_disconnect_ms"] == pytest.approx(300)
        assert got["tokens_after_stop"] == 0

    def test_tokens_count_from_a_second_after_the_click(self) -> None:
        got = self.figures(0.9, [1.99, 2.0, 2.01, 2.5, 7.0], None)
        assert got["tokens_after_stop"] == 3
        assert "stop_to_disconnect_ms" not in got
        assert got["stop_to_last_mutation_ms"] == 0

    def test_what_never_changed_stopped_at_once(self) -> None:
        got = self.figures(0.0, [], 0.8)
        assert got["stop_to_last_mutation_ms"] == 0
        assert got["stop_to_disconnect_ms"] == 0

    def test_without_an_upstream_only_the_page_is_judged(self) -> None:
        take = takes.take(
            of=STOP,
            stream=takes.window(3),
            evidence=takes.evidence(last_change_s=BEGIN_S + 1.1),
            moments={"stop": BEGIN_S + 1},
        )
        assert "stop_to_last_mutation_ms" in figures(take)
        assert not {"tokens_after_stop", "stop_to_disconnect_ms"} & figures(take).keys()


def test_a_timeline_counts_from_the_windows_begin() -> None:
    emitted = [BEGIN_S + at for at in (0.5, 1.0, 1.5)]
    take = takes.take(
        emitted_s=emitted,
        stream=takes.window(3, tasks_ms=[49, 70], frames_s=[(0.6, 0.62), (1.1, 1.12)]),
        evidence=takes.evidence([(BEGIN_S + 0.55, 0), (BEGIN_S + 1.05, 1)]),
        moments={"hide": BEGIN_S + 2},
    )
    line = measure.timeline(take)
    assert line is not None
    assert line.duration_ms == pytest.approx(3000)
    assert [count for _, count in line.emitted] == [1, 2, 3]
    assert [ms for ms, _ in line.emitted] == pytest.approx([500, 1000, 1500])
    assert [ms for ms, _ in line.painted] == pytest.approx([620, 1120])
    assert [count for _, count in line.painted] == [1, 2]
    # The third token never was painted.
    assert [value for lag in line.lags for value in lag] == pytest.approx([500, 120, 1000, 120])
    assert [ms for _, ms in line.tasks] == pytest.approx([70])
    assert [(pytest.approx(ms), name) for ms, name in line.events] == [(2000, "hide")]


def test_a_cost_take_has_no_timeline() -> None:
    assert measure.timeline(takes.take("cost", stream=takes.window())) is None
