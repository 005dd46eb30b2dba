"""Quantiles of Student's t, for as few values as past audits are."""

import math

_HALVINGS = 80


def t_quantile(tail: float, freedom: int) -> float:
    """The t that is exceeded with probability `tail` (0 < tail ≤ 0.5) at `freedom` degrees.

    To eight figures down to tails of 10⁻⁷.
    """
    if not 0 < tail <= 0.5 or freedom < 1:
        raise ValueError("a tail is from 0 to 0.5, and freedom from 1")
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _within(middle, freedom) < 1 - 2 * tail:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """P(|t| < √freedom · tan(angle)): the finite series of Abramowitz and Stegun, 26.7.3–4."""
    squared = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for step in range(1, freedom // 2 + 1):
        total += term
        factor = 2 * step / (2 * step + 1) if odd else (2 * step - 1) / (2 * step)
        term *= squared * factor
    if not odd:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + math.sin(angle) * total)
