"""Statistics that one wild value does not move."""

from collections.abc import Sequence

import numpy as np

# All pairs of more would be slow, and would not tell more.
_MOST_POINTS = 400


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Between the two values next to it where it falls between; None of none."""
    if not values:
        return None
    return float(np.percentile(np.asarray(values, dtype=float), percent))


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Theil and Sen's: the median of the slopes of all pairs; None of fewer than two moments.

    (P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968.)
    """
    step = max(1, -(-len(points) // _MOST_POINTS))
    kept = np.asarray(points[::step], dtype=float).reshape(-1, 2)
    first, second = np.triu_indices(len(kept), 1)
    runs = kept[second, 0] - kept[first, 0]
    rises = kept[second, 1] - kept[first, 1]
    if not runs.any():
        return None
    return float(np.median(rises[runs != 0] / runs[runs != 0]))


def ratio(value: float | None, base: float | None) -> float | None:
    if value is None or base is None or base <= 0:
        return None
    return value / base
