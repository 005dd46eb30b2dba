"""Refresh slots that passed while an update waited, and what kept it waiting."""

from pageside.audit.metrics.robust import percentile
from pageside.audit.result import Metric
from pageside.audit.trace.window import Window

MISSED_UPDATE_SLOTS_PERCENT = Metric(
    "missed_update_slots_percent",
    "%",
    "wall",
    "Refresh slots that passed between the page's request for a frame and that frame's "
    "presentation (trace) though the update could have been shown, of all slots in which an "
    "update was due.",
)
MISSED_BY_MAIN_PERCENT = Metric(
    "missed_by_main_percent",
    "%",
    "wall",
    "Refresh slots that passed between the compositor's asking the main thread for a frame and "
    "the main thread's Commit (trace), of all slots in which an update was due.",
)
MISSED_BY_PRESENTATION_PERCENT = Metric(
    "missed_by_presentation_percent",
    "%",
    "wall",
    "Refresh slots that passed between the main thread's Commit and the frame's presentation, or "
    "before the compositor asked for it (trace), of all slots in which an update was due.",
)
PRESENTATION_DELAY_P95_MS = Metric(
    "presentation_delay_p95_ms",
    "ms",
    "wall",
    "The 95th percentile of the time from the main thread's Commit to the end of the frame that "
    "presents it (PipelineReporter in the trace).",
)
UPDATE_RATE = Metric(
    "update_rate",
    "per s",
    "wall",
    "Frames that the main thread committed (Commit in the trace) per second in the measured "
    "stretch of the stream.",
)
DEFINITIONS = (
    MISSED_UPDATE_SLOTS_PERCENT,
    MISSED_BY_MAIN_PERCENT,
    MISSED_BY_PRESENTATION_PERCENT,
    PRESENTATION_DELAY_P95_MS,
    UPDATE_RATE,
)


def missed_update_slots_percent(window: Window) -> float | None:
    return _percent(window, sum(update.missed_slots for update in window.updates))


def missed_by_main_percent(window: Window) -> float | None:
    return _percent(window, sum(update.missed_by_main for update in window.updates))


def missed_by_presentation_percent(window: Window) -> float | None:
    return _percent(window, sum(update.missed_by_presentation for update in window.updates))


def presentation_delay_p95_ms(window: Window) -> float | None:
    delays = [
        max(0.0, update.presented_ms - update.committed_ms)
        for update in window.updates
        if update.presented_ms is not None
    ]
    return percentile(delays, 95)


def update_rate(window: Window) -> float:
    return 1000 * len(window.updates) / window.duration_ms


def of_window(window: Window) -> dict[str, float | None]:
    return {
        MISSED_UPDATE_SLOTS_PERCENT.name: missed_update_slots_percent(window),
        MISSED_BY_MAIN_PERCENT.name: missed_by_main_percent(window),
        MISSED_BY_PRESENTATION_PERCENT.name: missed_by_presentation_percent(window),
        PRESENTATION_DELAY_P95_MS.name: presentation_delay_p95_ms(window),
        UPDATE_RATE.name: update_rate(window),
    }


def _percent(window: Window, missed: int) -> float | None:
    """Each update takes one slot; those it was late by are due as well."""
    due = len(window.updates) + sum(update.missed_slots for update in window.updates)
    return 100 * missed / due if due else None
