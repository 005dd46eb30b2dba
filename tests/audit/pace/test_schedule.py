"""When tokens are due: the same from the same seed, and nothing drifts."""

import math

import pytest

from pageside.audit.errors import PaceInvalid
from pageside.audit.pace import steady
from pageside.audit.pace.schedule import answers_of, ended_after, timeline, with_releases
from pageside.server.script import Event

from .conftest import texts

WORDS = [f"w{i} " for i in range(1000)]


def due(events):
    return [step.due_s for step in timeline(events) if step.kind == "text"]


def test_the_rate_is_kept_and_the_first_token_ends_the_prefill():
    times = due(steady(WORDS, 200, prefill_ms=400))
    assert times == pytest.approx([0.4 + i / 200 for i in range(1000)])


@pytest.mark.parametrize("seed", range(5))
def test_jitter_comes_from_the_seed_and_leaves_the_rate(seed):
    events = steady(WORDS, 100, jitter=0.9, seed=seed)
    assert events == steady(WORDS, 100, jitter=0.9, seed=seed)
    assert events != steady(WORDS, 100, jitter=0.9, seed=seed + 1)
    waits = [event.ms for event in events[1:]]
    assert all(0.9999 <= wait <= 19.0001 for wait in waits)
    assert max(waits) > 17 and min(waits) < 3
    assert sum(waits) / len(waits) == pytest.approx(10, rel=0.1)


@pytest.mark.parametrize("burst", [2, 7, 50])
def test_bursts_come_at_once_and_leave_the_rate(burst):
    times = due(steady(WORDS, 100, burst=burst))
    assert times == pytest.approx([i // burst * burst / 100 for i in range(1000)])


def test_stalls_lie_between_tokens_not_after_the_last():
    events = steady(WORDS[:9], math.inf, stall_every=3, stall_ms=500)
    assert [event.kind for event in events] == (["text"] * 3 + ["stall"]) * 2 + ["text"] * 3
    assert due(events) == [0, 0, 0, 0.5, 0.5, 0.5, 1, 1, 1]


def test_no_waits_at_an_infinite_rate():
    assert {event.ms for event in steady(WORDS, math.inf, jitter=0.5)} == {0}


@pytest.mark.parametrize(
    ("figures", "named"),
    [
        ({"rate": 0}, "0"),
        ({"rate": -1}, "-1"),
        ({"rate": math.nan}, "nan"),
        ({"jitter": 1.1}, "1.1"),
        ({"jitter": -0.1}, "-0.1"),
        ({"burst": 0}, "0"),
        ({"prefill_ms": -1}, "prefill_ms"),
        ({"prefill_ms": math.inf}, "inf"),
        ({"stall_ms": math.nan}, "stall_ms"),
        ({"stall_every": -3}, "-3"),
    ],
)
def test_figures_that_cannot_be_meant(figures, named):
    with pytest.raises(PaceInvalid, match=named):
        steady(WORDS, **{"rate": 10, **figures})


def test_a_script_of_several_answers():
    one, two, end = texts("a"), texts("b", "c"), [Event("end")]
    assert answers_of([*one, *end, *two]) == answers_of([*one, *end, *two, *end]) == [one, two]
    assert answers_of([]) == [[]]
    assert answers_of(end * 2) == [[], []]


def test_progress_tells_how_much_of_the_prompt_is_read():
    def progress(events):
        steps = [step for step in timeline(events) if step.kind == "progress"]
        return [(round(step.due_s, 6), step.fraction) for step in steps]

    quarters = [(i / 10, i / 4) for i in range(5)]
    at_once = [(0, 0), (0, 1)]
    assert progress([Event("prefill", ms=400), *texts("a")]) == quarters
    assert progress(texts("a")) == progress([]) == at_once
    # Only the first is the prompt's.
    assert progress([*texts("a"), Event("prefill", ms=400), *texts("b")]) == at_once


@pytest.mark.parametrize(
    "events", [texts("a", "b"), [], [Event("error", text="x"), *texts("b")], [Event("crash")]]
)
def test_an_answer_has_one_end_and_it_is_last(events):
    kinds = [step.kind for step in timeline(events)]
    assert sum(kind in ("end", "error", "crash") for kind in kinds) == 1
    assert kinds[-1] in ("end", "error", "crash")


@pytest.mark.parametrize("tokens", [0, 1, 2, 3, 9])
def test_an_early_end_keeps_so_many_tokens(tokens):
    events = [Event("prefill", ms=5), *texts("a"), Event("stall", ms=5), *texts("b", "c")]
    kept = list(ended_after(events, tokens, Event("crash")))
    assert [event.text for event in kept if event.kind == "text"] == ["a", "b", "c"][:tokens]
    assert kept[-1] == Event("crash")


@pytest.mark.parametrize(
    ("tokens", "last"), [(0, "crash"), (1, "crash"), (2, "error"), (9, "error")]
)
def test_what_ends_first_is_the_end(tokens, last):
    events = [*texts("a", "b"), Event("error", text="x"), *texts("c")]
    kinds = [event.kind for event in ended_after(events, tokens, Event("crash"))]
    assert kinds == ["text"] * min(tokens, 2) + [last]


def test_releases_lie_between_the_steps():
    steps = with_releases(timeline(texts("a", "b", ms=1000)), 0.4)
    assert [(round(step.due_s, 1), step.kind) for step in steps if step.kind != "progress"] == [
        (0.4, "release"),
        (0.8, "release"),
        (1.0, "text"),
        (1.2, "release"),
        (1.6, "release"),
        (2.0, "text"),
        (2.0, "end"),
    ]
