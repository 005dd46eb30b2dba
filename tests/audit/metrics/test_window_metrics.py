"""Metrics of trace windows: each against an example worked out by hand."""

from collections.abc import Callable

import pytest

from pageside.audit.counters import Span
from pageside.audit.metrics import METRICS, cpu, slots, throttle, work
from pageside.audit.trace import Window

Make = Callable[..., Window]


def span(duration_ms: float, cpu_ms: float, layouts: int = 0) -> Span:
    return Span(duration_ms=duration_ms, cpu_ms=cpu_ms, layouts=layouts, restyles=0)


def test_cpu_is_net_of_the_idle_control_in_proportion_to_time() -> None:
    stream, idle = span(2000, 140, layouts=20), span(500, 5)
    assert cpu.net_cpu_ms(stream, idle) == pytest.approx(120)
    assert cpu.cpu_ms_per_token(stream, idle, 60) == pytest.approx(2)
    assert cpu.cpu_ms_per_update(stream, idle) == pytest.approx(6)


def test_a_control_that_was_busier_gives_no_negative_cost() -> None:
    assert cpu.cpu_ms_per_token(span(1000, 20), span(100, 90), 10) == 0


def test_a_page_that_paints_nothing_has_no_cost_per_update_rather_than_none_at_all(
    make_window: Make,
) -> None:
    assert cpu.cpu_ms_per_update(span(1000, 100), span(1000, 0)) is None
    assert cpu.cpu_ms_per_token(span(1000, 100), span(1000, 0), 0) is None
    stream = make_window(1000, tasks_ms=[100])
    assert work.dirty_objects_per_update(stream) is None
    assert work.restyled_elements_per_update(stream) is None
    assert slots.missed_update_slots_percent(stream) is None
    assert slots.presentation_delay_p95_ms(stream) is None
    assert slots.update_rate(stream) == 0
    assert work.layouts_per_token(stream, 0) is None


@pytest.mark.parametrize(
    ("short", "long", "growth"), [(2, 5, 2.5), (2, 2, 1), (None, 5, None), (2, None, None)]
)
def test_growth(short: float | None, long: float | None, growth: float | None) -> None:
    assert cpu.cost_growth(short, long) == growth


def test_growth_from_nothing_is_not_infinite() -> None:
    assert cpu.cost_growth(0, 5) is None


def test_work_is_counted_a_token_and_an_update(make_window: Make) -> None:
    window = make_window(2000, frames_ms=[3] * 10, dirty=[4] * 9 + [400], elements=3)
    assert work.layouts_per_token(window, 20) == 0.5
    assert work.dirty_objects_per_update(window) == pytest.approx(43.6)
    assert work.restyled_elements_per_update(window) == 3


def test_dirty_growth_is_not_moved_by_one_layout_of_the_whole_page(make_window: Make) -> None:
    short = make_window(1000, frames_ms=[3] * 5, dirty=[4, 4, 4, 4, 900])
    long = make_window(1000, frames_ms=[3] * 5, dirty=[900, 12, 12, 12, 12])
    assert work.dirty_growth(short, long) == 3
    assert work.dirty_growth(make_window(1000), long) is None


@pytest.mark.parametrize("k", throttle.FACTORS)
def test_the_virtual_throttle_multiplies_cpu_time(make_window: Make, k: int) -> None:
    window = make_window(1000, tasks_ms=[10, 20, 60])
    assert throttle.busy_share(window, k) == pytest.approx(9 * k)
    assert throttle.longest_task_cpu_ms(window, k) == pytest.approx(60 * k)
    assert throttle.long_tasks(window, k) == {1: 1, 4: 2, 6: 3}[k]
    assert throttle.tbt_ms(window, k) == pytest.approx({1: 10, 4: 220, 6: 390}[k])
    missed = {1: 0 + 1 + 3, 4: 2 + 4 + 14, 6: 3 + 7 + 21}[k]
    assert throttle.missed_slots_percent(window, k) == pytest.approx(missed * 1.6667, rel=1e-3)


def test_no_more_slots_are_missed_than_there_are(make_window: Make) -> None:
    assert throttle.missed_slots_percent(make_window(100, tasks_ms=[90]), 6) == 100


def test_missed_slots_are_a_share_of_those_in_which_an_update_was_due(make_window: Make) -> None:
    # Two frames in time; two that take 45 ms are late by two slots each.
    window = make_window(1000, frames_ms=[5, 45, 5, 45])
    assert slots.missed_by_main_percent(window) == pytest.approx(50)
    assert slots.missed_by_presentation_percent(window) == 0
    assert slots.missed_update_slots_percent(window) == pytest.approx(50)
    assert slots.update_rate(window) == pytest.approx(4)
    assert slots.presentation_delay_p95_ms(window) == pytest.approx(1, abs=0.01)


def test_every_metric_of_windows_is_defined_and_the_definition_is_a_sentence(
    make_window: Make,
) -> None:
    stream = make_window(1000, frames_ms=[5] * 9)
    values = {
        **work.of_window(stream, 9),
        **throttle.of_window(stream),
        **slots.of_window(stream),
    }
    assert values.keys() <= METRICS.keys()
    assert len(values) == 3 + 15 + 5
    assert "cost_growth" in METRICS and "dirty_growth" in METRICS
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.unit
        assert metric.definition[0].isupper() and metric.definition.endswith(".")
        assert metric.definition.count(". ") == 0, "one sentence"
        assert "  " not in metric.definition
