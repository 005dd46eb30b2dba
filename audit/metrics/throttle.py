"""A virtual throttle: what the CPU time measured here means on a device k times slower.

A model, not a measurement: every task takes k times its CPU time and nothing else changes.
Unlike the browser's own throttling it adds no spinning to what it measures, and a busy machine
does not move it.
"""

from math import floor

from pageside.audit.result import Metric
from pageside.audit.trace.window import Window

FACTORS = (1, 4, 6)

# What makes a task long, and the part of it that blocks (Long Tasks API, Total Blocking Time).
_LONG_MS = 50.0


def _of(factor: int) -> str:
    return f"k × its CPU time (RunTask.tdur in the trace), k = {factor}, a model of a slower device"


def _definitions(k: int) -> tuple[Metric, ...]:
    return (
        Metric(
            f"busy_share_{k}x",
            "%",
            "cpu",
            "Share of the measured stretch of the stream that the main thread would be busy if it "
            f"took k × its CPU time (ThreadTime of Performance.getMetrics), k = {k}, a model of a "
            "slower device; above 100 it cannot keep up.",
        ),
        Metric(
            f"longest_task_cpu_{k}x_ms",
            "ms",
            "cpu",
            "The longest main-thread task in the measured stretch of the stream, taken "
            f"as {_of(k)}.",
        ),
        Metric(
            f"long_tasks_{k}x",
            "tasks",
            "cpu",
            "Main-thread tasks of more than 50 ms in the measured stretch of the stream, "
            f"each taken as {_of(k)}.",
        ),
        Metric(
            f"tbt_{k}x_ms",
            "ms",
            "cpu",
            "Total blocking time: what main-thread tasks last beyond 50 ms, summed over the "
            f"measured stretch of the stream, each taken as {_of(k)}.",
        ),
        Metric(
            f"missed_slots_{k}x_percent",
            "%",
            "cpu",
            "Share of the refresh slots in the measured stretch of the stream that single "
            f"main-thread tasks make impossible to meet, each taken as {_of(k)}.",
        ),
    )


DEFINITIONS = tuple(metric for k in FACTORS for metric in _definitions(k))


def busy_share(window: Window, k: float) -> float:
    return 100 * k * window.cpu_ms / window.duration_ms


def longest_task_cpu_ms(window: Window, k: float) -> float:
    return k * max((task.cpu_ms for task in window.tasks), default=0.0)


def long_tasks(window: Window, k: float) -> int:
    return sum(k * task.cpu_ms > _LONG_MS for task in window.tasks)


def tbt_ms(window: Window, k: float) -> float:
    return sum(max(0.0, k * task.cpu_ms - _LONG_MS) for task in window.tasks)


def missed_slots_percent(window: Window, k: float) -> float:
    """At least so many: tasks that only together are too long are not counted."""
    missed = sum(floor(k * task.cpu_ms / window.slot_ms) for task in window.tasks)
    return min(100.0, 100 * missed * window.slot_ms / window.duration_ms)


def of_window(window: Window) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    for k in FACTORS:
        values[f"busy_share_{k}x"] = busy_share(window, k)
        values[f"longest_task_cpu_{k}x_ms"] = longest_task_cpu_ms(window, k)
        values[f"long_tasks_{k}x"] = long_tasks(window, k)
        values[f"tbt_{k}x_ms"] = tbt_ms(window, k)
        values[f"missed_slots_{k}x_percent"] = missed_slots_percent(window, k)
    return values
