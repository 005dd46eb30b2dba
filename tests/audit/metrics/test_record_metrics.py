"""Metrics of plain lists, as a probe and the producer give them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pageside.audit.metrics import METRICS, arrival, lag, response, robust

STEADY = [i / 30 for i in range(300)]


def painted(emitted: list[float], lag_s: float) -> list[tuple[float, int]]:
    return [(at + lag_s, index + 1) for index, at in enumerate(emitted)]


def test_lag_is_from_emission_to_the_first_frame_that_shows_the_token() -> None:
    emitted = [0.0, 0.1, 0.2, 0.3]
    paints = [(0.05, 1), (0.25, 3), (0.9, 4)]
    assert lag.lags_ms(emitted, paints) == pytest.approx([50, 150, 50, 600])
    assert lag.lag_p50_ms(emitted, paints) == pytest.approx(100)
    assert lag.lag_max_ms(emitted, paints) == pytest.approx(600)
    assert lag.finish_lag_ms(emitted, paints) == pytest.approx(600)
    assert lag.unpainted_tokens_percent(emitted, paints) == 0


def test_a_frame_that_shows_fewer_takes_nothing_back() -> None:
    emitted = [0.0, 0.1, 0.2]
    paints = [(0.15, 2), (0.25, 0), (0.3, 3)]
    assert lag.lags_ms(emitted, paints) == pytest.approx([150, 50, 100])


def test_what_was_never_shown_is_counted_and_not_taken_for_fast() -> None:
    emitted = [0.0, 0.1, 0.2, 0.3]
    assert lag.lags_ms(emitted, [(0.2, 1)]) == [pytest.approx(200), None, None, None]
    assert lag.unpainted_tokens_percent(emitted, [(0.2, 1)]) == 75
    assert lag.finish_lag_ms(emitted, [(0.2, 1)]) is None
    assert lag.lag_p95_ms(emitted, []) is None
    assert lag.of_record(emitted, []) == {"unpainted_tokens_percent": 100}
    assert lag.of_record([], []) == {}


@pytest.mark.parametrize("gained", [0.0, 0.25, 2.0])
def test_lag_slope_is_the_lag_gained_a_second(gained: float) -> None:
    paints = [(at * (1 + gained) + 0.05, n + 1) for n, at in enumerate(STEADY)]
    assert lag.lag_slope(STEADY, paints) == pytest.approx(gained, abs=1e-6)


def test_lag_slope_is_not_moved_by_a_stall() -> None:
    paints = painted(STEADY, 0.05)
    paints[100:140] = [(max(at, STEADY[140]), count) for at, count in paints[100:140]]
    assert lag.lag_slope(STEADY, paints) == pytest.approx(0, abs=0.01)


def test_lag_slope_of_tokens_all_at_once_is_not_to_be_had() -> None:
    assert lag.lag_slope([1.0] * 9, [(1.5, 9)]) is None


@given(
    st.lists(st.floats(0, 100, allow_nan=False), min_size=1, max_size=60).map(sorted),
    st.randoms(),
)
def test_lag_does_not_depend_on_how_paints_are_split(
    emitted: list[float], rng: random.Random
) -> None:
    """Frames that show nothing new between others change no lag."""
    paints = painted(emitted, 1.0)
    extra = [(at, count) for at, count in paints for _ in range(rng.randint(1, 3))]
    assert lag.lags_ms(emitted, paints) == lag.lags_ms(emitted, extra)
    assert lag.lag_max_ms(emitted, paints) == pytest.approx(1000)


def test_stop_is_measured_to_the_last_change() -> None:
    assert response.stop_to_last_mutation_ms(5, [4.9, 5.1, 5.3]) == pytest.approx(300)
    assert response.stop_to_last_mutation_ms(5, [4.9]) == 0
    assert response.stop_to_last_mutation_ms(5, []) == 0


def test_a_steady_stream_has_no_bursts() -> None:
    chunks = [(10 + at, 5.0) for at in STEADY]
    assert arrival.longest_gap_ms(chunks, 10) == pytest.approx(1000 / 30)
    assert arrival.after_gap_percent(chunks, 10) == 0


def test_a_stall_is_a_gap_and_little_comes_after_it_at_once() -> None:
    chunks = [(10 + at + (2 if at > 5 else 0), 5.0) for at in STEADY]
    assert arrival.longest_gap_ms(chunks, 10) == pytest.approx(2000 + 1000 / 30)
    share = arrival.after_gap_percent(chunks, 10)
    assert share is not None and 0 < share < 1


def test_a_response_held_back_comes_after_a_gap_in_one_chunk_or_in_many() -> None:
    assert arrival.after_gap_percent([(14, 500.0)], 10) == 100
    assert arrival.longest_gap_ms([(14, 500.0)], 10) == pytest.approx(4000)
    many = [(14 + n / 1000, 50.0) for n in range(10)]
    assert arrival.after_gap_percent(many, 10) == 100


def test_a_response_held_back_in_parts() -> None:
    parts = [(12.0, 90.0), (12.01, 10.0), (14.0, 50.0), (14.5, 50.0)]
    assert arrival.after_gap_percent(parts, 10) == 75
    assert arrival.after_gap_percent(parts, 10, gap_ms=2500) == 0


def test_no_chunk_at_all() -> None:
    assert arrival.longest_gap_ms([], 10) is None
    assert arrival.after_gap_percent([], 10) is None


def test_percentiles_and_slopes_of_next_to_nothing() -> None:
    assert robust.percentile([], 50) is None
    assert robust.percentile([7], 95) == 7
    assert robust.slope([]) is None
    assert robust.slope([(1, 2)]) is None
    assert robust.slope([(1, 2), (3, 6)]) == 2


def test_slopes_of_many_points_use_some_of_them() -> None:
    assert robust.slope([(n, 3 * n) for n in range(50_000)]) == pytest.approx(3)


def test_every_metric_of_a_record_is_defined() -> None:
    values = lag.of_record(STEADY, painted(STEADY, 0.1))
    assert values.keys() < METRICS.keys()
    assert len(values) == len(lag.DEFINITIONS)
