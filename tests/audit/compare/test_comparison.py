"""Pairs in, an outcome out, and a reason that a person can read."""

import math
import random

import pytest

from pageside.audit.compare import Comparison
from pageside.audit.result import Sample

KEY = ("cpu_ms_per_update", "steady-33")


def samples(**values):
    return [Sample(metric, "steady-33", 0, value) for metric, value in values.items()]


def cpu(*values):
    return [Sample(*KEY, run, value) for run, value in enumerate(values)]


def run(ratio, *, spread=0.05, seed=1, **options):
    """A comparison fed until it says stop: B costs `ratio` times A."""
    noise = random.Random(seed)
    comparison = Comparison([KEY], **options)
    stop = False
    while not stop:
        a, b = (math.exp(noise.gauss(0, spread)) for _ in "ab")
        stop = comparison.feed(cpu(2 * a), cpu(2 * ratio * b))
    return comparison.result()


@pytest.mark.parametrize(
    ("ratio", "outcome"), [(1.5, "slower"), (0.6, "faster"), (1.0, "same"), (1.01, "same")]
)
def test_what_is_so_is_found(ratio, outcome):
    result = run(ratio, margin_percent=6, most_pairs=200)
    (effect,) = result.effects
    assert (result.outcome, effect.outcome) == (outcome, outcome)
    assert effect.low_percent <= effect.percent <= effect.high_percent
    assert effect.low_percent <= 100 * (ratio - 1) <= effect.high_percent
    assert effect.pairs == result.pairs < 100
    assert "steady-33" in result.reason


def test_a_large_effect_takes_few_pairs_and_a_small_one_more():
    assert run(2.0).pairs < run(1.07, margin_percent=1).pairs
    assert run(1.0, spread=0.02).pairs < run(1.0, spread=0.02, margin_percent=2).pairs


def test_what_cannot_be_decided_ends_inconclusive():
    result = run(1.03, spread=0.3, most_pairs=25)
    assert (result.outcome, result.pairs) == ("inconclusive", 25)
    assert "25 pairs leave" in result.reason


def test_nothing_is_said_of_one_pair():
    comparison = Comparison([KEY])
    assert not comparison.feed(cpu(1), cpu(100))
    (effect,) = comparison.result().effects
    assert effect.outcome == "inconclusive"
    assert (effect.low_percent, effect.high_percent) == (-100, None)
    assert effect.reason == "1 pairs leave anything"


def test_before_any_pair():
    result = Comparison([KEY]).result()
    assert (result.outcome, result.effects[0].pairs) == ("inconclusive", 0)


def test_exact_counts_that_never_differ_are_the_same():
    comparison = Comparison([KEY])
    stops = [comparison.feed(cpu(6), cpu(6)) for _ in range(20)]
    assert stops.index(True) < 10
    assert comparison.result().outcome == "same"


def test_exact_counts_that_always_differ_are_not():
    comparison = Comparison([KEY])
    while not comparison.feed(cpu(100), cpu(111)):
        pass
    (effect,) = comparison.result().effects
    assert effect.outcome == "slower"
    assert effect.low_percent == pytest.approx(11, abs=0.01)
    assert effect.high_percent == pytest.approx(11, abs=0.01)


def test_a_difference_too_small_to_matter_is_the_same_though_it_is_certain():
    comparison = Comparison([KEY], margin_percent=5)
    while not comparison.feed(cpu(100), cpu(101)):
        pass
    (effect,) = comparison.result().effects
    assert (effect.outcome, effect.low_percent > 0) == ("same", True)
    assert "less than 5 %" in effect.reason


def test_more_metrics_ask_for_more_proof():
    def pairs_needed(names):
        comparison = Comparison([(name, "steady-33") for name in names])
        noise = random.Random(2)
        pairs, stop = 0, False
        while not stop:
            ratio = 1.1 * math.exp(noise.gauss(0, 0.08))
            stop = comparison.feed(
                samples(**dict.fromkeys(names, 1.0)), samples(**dict.fromkeys(names, ratio))
            )
            pairs += 1
        return pairs

    assert pairs_needed("a") < pairs_needed("abcdefgh")


def test_one_slower_metric_makes_the_page_slower():
    comparison = Comparison([("same", "steady-33"), ("more", "steady-33")])
    stop = False
    while not stop:
        stop = comparison.feed(samples(same=1, more=1), samples(same=1, more=2, other=5))
    result = comparison.result()
    assert [effect.outcome for effect in result.effects] == ["same", "slower"]
    assert result.outcome == "slower"
    assert result.reason.startswith("more of steady-33: B is slower by 100.0 %")


def test_one_undecided_metric_leaves_the_faster_page_undecided():
    comparison = Comparison([("less", "steady-33"), ("wild", "steady-33")], most_pairs=15)
    noise, stop = random.Random(3), False
    while not stop:
        wild = noise.lognormvariate(0, 1)
        stop = comparison.feed(samples(less=2, wild=1), samples(less=1, wild=wild))
    assert [effect.outcome for effect in comparison.result().effects] == ["faster", "inconclusive"]
    assert comparison.result().outcome == "inconclusive"


def test_the_control_spoils_everything_if_a_differs_from_itself():
    comparison = Comparison([KEY])
    for _ in range(15):
        comparison.feed(cpu(1), cpu(2))
        comparison.feed_control(cpu(1), cpu(1.5))
    result = comparison.result()
    assert result.outcome == "inconclusive"
    assert result.effects[0].outcome == "inconclusive"
    assert "page A seems slower than itself" in result.reason
    assert (result.pairs, result.control_pairs) == (15, 15)


def test_a_quiet_control_spoils_nothing():
    comparison = Comparison([KEY])
    for _ in range(15):
        comparison.feed(cpu(1), cpu(2))
        comparison.feed_control(cpu(1), cpu(1))
    assert comparison.result().outcome == "slower"
    assert comparison.result().control[0].outcome == "same"


@pytest.mark.parametrize("missing", [[], cpu(math.nan), cpu(math.inf), cpu(2, math.nan)])
def test_a_value_that_is_missing_loses_the_pair_and_is_never_the_same(missing):
    comparison = Comparison([KEY], most_pairs=30)
    stop, pairs = False, 0
    while not stop:
        pairs += 1
        stop = comparison.feed(cpu(1), missing if pairs % 3 == 0 else cpu(1))
    assert comparison.result().outcome == "inconclusive"
    assert "10 of 30 pairs gave no ratio" in comparison.result().reason


def test_a_seldom_loss_is_borne():
    comparison = Comparison([KEY])
    for pair in range(30):
        comparison.feed(cpu(1), [] if pair == 12 else cpu(1))
    assert (comparison.result().outcome, comparison.result().effects[0].pairs) == ("same", 29)


def test_zero_beside_more_needs_a_floor():
    def outcome(**options):
        comparison = Comparison([KEY], most_pairs=20, **options)
        while not comparison.feed(cpu(0), cpu(0.2)):
            pass
        return comparison.result().outcome

    assert outcome() == "inconclusive"
    assert outcome(floors={KEY[0]: 1.0}) == "same"
    assert outcome(floors={KEY[0]: 0.1}) == "slower"


def test_several_runs_on_one_side_count_as_their_median():
    comparison = Comparison([KEY])
    while not comparison.feed(cpu(1, 2, 90), cpu(2, 2, 2)):
        pass
    assert comparison.result().outcome == "same"


def test_what_was_decided_stays_decided():
    comparison = Comparison([KEY], most_pairs=60)
    for _ in range(12):
        comparison.feed(cpu(1), cpu(2))
    noise = random.Random(4)
    for _ in range(8):
        comparison.feed(cpu(1), cpu(2 * math.exp(noise.gauss(0, 1))))
    assert comparison.result().effects[0].low_percent > 99


def test_an_effect_that_turns_round_is_no_effect():
    comparison = Comparison([KEY], most_pairs=200)
    for ratio in [1.1] * 30 + [0.9] * 80:
        comparison.feed(cpu(1), cpu(ratio))
    result = comparison.result()
    assert result.outcome == "inconclusive"
    assert "changed meanwhile" in result.reason


@pytest.mark.parametrize(
    ("keys", "options"),
    [
        ([], {}),
        ([KEY, KEY], {}),
        ([KEY], {"alpha": 0}),
        ([KEY], {"margin_percent": 0}),
        ([KEY], {"most_pairs": 0}),
    ],
)
def test_what_cannot_be_meant(keys, options):
    with pytest.raises(ValueError, match=r"metrics, each once|from 0 to 1"):
        Comparison(keys, **options)
