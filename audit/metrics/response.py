"""How soon the page answers its user while it streams. Moments in monotonic seconds, in order."""

from collections.abc import Sequence

from pageside.audit.result import Metric

STOP_TO_LAST_MUTATION_MS = Metric(
    "stop_to_last_mutation_ms",
    "ms",
    "wall",
    "Time from the Stop click's own timestamp to the last change of the answer's DOM "
    "(MutationObserver in the page probe).",
)
INPUT_TO_NEXT_FRAME_MS = Metric(
    "input_to_next_frame_ms",
    "ms",
    "wall",
    "The 98th percentile of the times from a key's own timestamp to the next frame (duration of "
    "Event Timing entries of 16 ms and more, as the browser reports them) while the page streams.",
)
DEFINITIONS = (STOP_TO_LAST_MUTATION_MS, INPUT_TO_NEXT_FRAME_MS)


def stop_to_last_mutation_ms(stopped: float, mutations: Sequence[float]) -> float:
    """0 if nothing changed after the click."""
    return max(0.0, 1000 * (max(mutations, default=stopped) - stopped))
