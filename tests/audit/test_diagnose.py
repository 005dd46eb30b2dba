"""Each fault from the figures that prove it, with its borders; a clean page has none."""

from collections.abc import Mapping

import pytest

from pageside.audit.diagnose import Facts, diagnose
from pageside.audit.result import Diagnosis, Sample
from pageside.audit.take import Take

from . import takes

Figures = Mapping[str, Mapping[str, float]]

# A page without a fault, everywhere at the border where it still is none.
CLEAN: Figures = {
    "steady-33": {
        "longest_task_cpu_1x_ms": 49.9,
        "long_tasks_1x": 2,
        "busy_share_1x": 10,
        "arrived_after_gap_percent": 24.9,
        "sent_after_gap_percent": 24.9,
        "lag_slope": 0.149,
        "finish_lag_ms": 2000,
        "missed_by_presentation_percent": 19.9,
    },
    "firehose-1000": {"lag_slope": 0.149, "finish_lag_ms": 4000, "busy_share_1x": 95},
    "length-10000": {"cost_growth": 2.0, "cpu_ms_per_update": 30, "dirty_growth": 900},
    "stop": {"tokens_after_stop": 100, "stop_to_last_mutation_ms": 900},
    "hidden": {"shown_longest_task_cpu_ms": 50},
}

# What is different with each fault.
PROOFS: Mapping[str, Figures] = {
    "A": {"steady-33": {"longest_task_cpu_1x_ms": 50}},
    "B": {"length-10000": {"cost_growth": 2.1}},
    "C": {"steady-33": {"arrived_after_gap_percent": 25}},
    "D": {"firehose-1000": {"lag_slope": 0.15}},
    "E": {"stop": {"tokens_after_stop": 101}},
    "F": {"hidden": {"shown_longest_task_cpu_ms": 50.1}},
    "G": {"steady-33": {"missed_by_presentation_percent": 20}},
}
GPU_BUSY = takes.take(of=takes.scenario("steady-33"), stream=takes.window(gpu_task_ms=50))


def facts(
    *figures: Figures, played: tuple[Take, ...] = (GPU_BUSY,), clean: Figures = CLEAN
) -> Facts:
    """Of a clean page, with these figures instead."""
    merged = {scenario: dict(values) for scenario, values in clean.items()}
    for changed in figures:
        for scenario, values in changed.items():
            merged.setdefault(scenario, {}).update(values)
    samples = [Sample(m, s, 0, v) for s, values in merged.items() for m, v in values.items()]
    return Facts(samples, played)


def letters(found: Facts) -> str:
    return "".join(diagnosis.fault for diagnosis in diagnose(found))


def only(found: Facts) -> Diagnosis:
    (diagnosis,) = diagnose(found)
    assert diagnosis.title
    assert diagnosis.advice
    assert diagnosis.proof
    return diagnosis


def test_a_clean_page_has_no_fault() -> None:
    assert letters(facts()) == ""
    assert letters(Facts([], [])) == ""


@pytest.mark.parametrize("fault", PROOFS)
def test_each_fault_is_found_alone(fault: str) -> None:
    (scenario,) = PROOFS[fault]
    diagnosis = only(facts(PROOFS[fault]))
    assert (diagnosis.fault, diagnosis.scenario) == (fault, scenario)


@pytest.mark.parametrize("first", PROOFS)
@pytest.mark.parametrize("second", PROOFS)
def test_of_two_the_one_that_explains_the_other_is_told(first: str, second: str) -> None:
    explained = {"AD": "A", "BD": "B", "CD": "C", "BF": "B", "AG": "A", "BG": "B", "AB": "B"}
    both = "".join(sorted({first, second}))
    assert letters(facts(PROOFS[first], PROOFS[second])) == explained.get(both, both)


def test_all_at_once_are_told_in_the_order_of_their_letters() -> None:
    assert letters(facts(*PROOFS.values())) == "BCE"


class TestBlocked:
    def test_one_long_task_is_not_a_habit(self) -> None:
        assert letters(facts(PROOFS["A"], {"steady-33": {"long_tasks_1x": 1}})) == ""

    def test_the_code_is_named(self) -> None:
        window = takes.window(script=("http://page/app.js", 60))
        found = facts(
            PROOFS["A"], played=(takes.take(of=takes.scenario("steady-33"), stream=window),)
        )
        blame = only(found).blame[0]
        assert (blame.url, blame.line, blame.function) == ("http://page/app.js", 7, "render")

    def test_only_on_short_answers(self) -> None:
        long = {"longest_task_cpu_1x_ms": 400.0, "long_tasks_1x": 9}
        assert letters(facts({"firehose-1000": long, "typing": long})) == ""


class TestGrowth:
    @pytest.mark.parametrize(("cost", "found"), [(1.9, ""), (1.92, "B")])
    def test_what_is_worth_nothing_is_no_fault(self, cost: float, found: str) -> None:
        """At 2.1 times, 52 % of the cost is growth: a millisecond of it matters."""
        changed = {"length-10000": {"cpu_ms_per_update": cost}}
        assert letters(facts(PROOFS["B"], changed)) == found

    def test_the_worst_scenario_is_told(self) -> None:
        worse = {"history-400": {"cost_growth": 9.0, "cpu_ms_per_update": 12}}
        assert only(facts(PROOFS["B"], worse)).scenario == "history-400"

    @pytest.mark.parametrize(
        ("metric", "value", "told"),
        [
            ("dirty_growth", 3.9, False),
            ("dirty_growth", 4, True),
            ("restyled_elements_per_update", 99, False),
            ("restyled_elements_per_update", 100, True),
        ],
    )
    def test_counts_are_a_proof_if_they_are_high(
        self, metric: str, value: float, told: bool
    ) -> None:
        counts = {"dirty_growth": 1.0, "restyled_elements_per_update": 1.0, metric: value}
        proof = only(facts(PROOFS["B"], {"length-10000": counts})).proof
        assert len(proof) == (3 if told else 2)

    @pytest.mark.parametrize(
        ("costly", "advice"),
        [
            ({"script": ("http://page/app.js", 50.0)}, "leave finished blocks alone"),
            ({"layout_ms": 50.0}, "content-visibility"),
        ],
    )
    def test_the_advice_is_for_the_stage_that_costs_most(
        self, costly: Mapping[str, object], advice: str
    ) -> None:
        window = takes.window(**costly)  # type: ignore[arg-type]
        long = takes.scenario("length-10000", kinds=("cost",))
        few = {"length-10000": {"dirty_growth": 1.0}}
        found = only(facts(PROOFS["B"], few, played=(takes.take("cost", long, stream=window),)))
        assert advice in found.advice
        assert "100 %" in found.proof[-1]


class TestBursts:
    def test_a_page_that_is_busy_may_hold_them_up_itself(self) -> None:
        assert letters(facts(PROOFS["C"], {"steady-33": {"busy_share_1x": 70}})) == "C"
        assert letters(facts(PROOFS["C"], {"steady-33": {"busy_share_1x": 70.1}})) == ""

    @pytest.mark.parametrize(("by_producer", "found"), [(24.9, "C"), (25, "")])
    def test_bursts_of_the_audits_own_upstream_prove_nothing(
        self, by_producer: float, found: str
    ) -> None:
        sent = {"steady-33": {"sent_after_gap_percent": by_producer}}
        assert letters(facts(PROOFS["C"], sent)) == found

    def test_bursts_that_were_asked_for_are_none(self) -> None:
        assert letters(facts({"burst": {"arrived_after_gap_percent": 100.0}})) == ""


class TestQueue:
    @pytest.mark.parametrize(("finish_ms", "found"), [(499, ""), (500, "D")])
    def test_lag_that_is_made_up_by_the_end_is_no_queue(self, finish_ms: float, found: str) -> None:
        assert letters(facts(PROOFS["D"], {"firehose-1000": {"finish_lag_ms": finish_ms}})) == found

    def test_a_last_token_that_was_never_painted_is_late_enough(self) -> None:
        queue = {"steady-200": {"lag_slope": 0.5}}
        diagnosis = only(facts(PROOFS["D"], queue))
        assert diagnosis.scenario == "steady-200", "the slower stream is the worse proof"
        assert "never was painted" in " ".join(diagnosis.proof)


class TestStop:
    def test_what_the_page_and_the_upstream_did_is_told(self) -> None:
        (proof,) = only(facts(PROOFS["E"])).proof
        assert "900 ms after the click" in proof
        assert "its client never left" in proof
        left = {"stop": {"stop_to_disconnect_ms": 4200.0}}
        (proof,) = only(facts(PROOFS["E"], left)).proof
        assert "its client left 4.2 s after the click" in proof

    def test_without_an_upstream_of_ours_nothing_is_said(self) -> None:
        clean = {"stop": {"stop_to_last_mutation_ms": 5000.0}}
        assert letters(facts(clean=clean)) == ""


def test_a_hidden_tabs_code_is_what_ran_when_it_was_shown() -> None:
    take = takes.take(
        of=takes.scenario("hidden"),
        stream=takes.window(script=("http://page/stream.js", 60)),
        shown=takes.window(script=("http://page/flush.js", 60)),
    )
    (blame,) = only(facts(PROOFS["F"], played=(take,))).blame
    assert blame.url == "http://page/flush.js"


class TestDrawing:
    @pytest.mark.parametrize(("gpu_ms", "found"), [(49.9, ""), (50, "G")])
    def test_the_gpu_process_was_busy(self, gpu_ms: float, found: str) -> None:
        window = takes.window(gpu_task_ms=gpu_ms)
        take = takes.take(of=takes.scenario("steady-33"), stream=window)
        assert letters(facts(PROOFS["G"], played=(take,))) == found
        assert letters(facts(PROOFS["G"], played=())) == ""

    @pytest.mark.parametrize(("busy", "found"), [(50, "G"), (50.1, "")])
    def test_and_the_pages_thread_was_not(self, busy: float, found: str) -> None:
        assert letters(facts(PROOFS["G"], {"steady-33": {"busy_share_1x": busy}})) == found


def test_figures_are_medians_over_the_runs() -> None:
    """One bad run of three is not a fault; two are."""
    for slow, found in ((1, ""), (2, "F")):
        values = [300.0] * slow + [10.0] * (3 - slow)
        samples = [
            Sample("shown_longest_task_cpu_ms", "hidden", run, value)
            for run, value in enumerate(values)
        ]
        assert letters(Facts(samples, [])) == found


def test_facts_of_nothing_are_nothing() -> None:
    nothing = Facts([], [])
    assert nothing.value("cost_growth", "stop") is None
    assert nothing.worst("cost_growth") is None
    assert nothing.each("cost_growth") == {}
    assert nothing.blame("stop") == ()
    assert nothing.stages("stop") == {}


def test_blame_is_by_the_profiler_if_it_ran() -> None:
    of = takes.scenario("steady-33", kinds=("cost", "evidence"))
    cost = takes.take("cost", of, stream=takes.window(script=("http://page/cost.js", 5)))
    seen = takes.take(of=of, stream=takes.window(script=("http://page/seen.js", 5)))
    (blame,) = Facts([], [cost, seen]).blame("steady-33")
    assert blame.url == "http://page/seen.js"
    assert Facts([], [cost]).blame("steady-33")[0].url == "http://page/cost.js"
    assert Facts([], [cost]).blame("steady-33", is_hidden=True) == ()
