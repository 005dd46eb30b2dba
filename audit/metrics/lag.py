"""From a token's emission to the frame that shows it.

`emitted` has the moment each token was handed to the network, in order; `paints` has (moment,
how many of them the page showed then), in order. All in monotonic seconds.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from pageside.audit.metrics.robust import percentile, slope
from pageside.audit.result import Metric

Paints = Sequence[tuple[float, int]]

_FROM_TO = (
    "of the times from a token's being written to the network to the frame that shows it "
    "(page probe)."
)
LAG_P50_MS = Metric("lag_p50_ms", "ms", "wall", f"The median {_FROM_TO}")
LAG_P95_MS = Metric("lag_p95_ms", "ms", "wall", f"The 95th percentile {_FROM_TO}")
LAG_MAX_MS = Metric("lag_max_ms", "ms", "wall", f"The longest {_FROM_TO}")
FINISH_LAG_MS = Metric(
    "finish_lag_ms",
    "ms",
    "wall",
    "Time from the last token's being written to the network to the frame that shows it "
    "(page probe).",
)
LAG_SLOPE = Metric(
    "lag_slope",
    "s/s",
    "wall",
    "Seconds of lag that the page gains for each second of stream, as the median slope of all "
    "pairs of tokens (page probe); 0 keeps up.",
)
UNPAINTED_TOKENS_PERCENT = Metric(
    "unpainted_tokens_percent",
    "%",
    "count",
    "Share of the tokens written to the network that no frame showed by the end of the run "
    "(page probe).",
)
DEFINITIONS = (
    LAG_P50_MS,
    LAG_P95_MS,
    LAG_MAX_MS,
    FINISH_LAG_MS,
    LAG_SLOPE,
    UNPAINTED_TOKENS_PERCENT,
)


def lags_ms(emitted: Sequence[float], paints: Paints) -> list[float | None]:
    """One a token, in order; None for what was never shown.

    A token counts as shown from the first frame that showed it, though a later one may show
    fewer while the page rebuilds.
    """
    shown = list(accumulate((count for _, count in paints), max))
    lags: list[float | None] = []
    for index, at in enumerate(emitted):
        paint = bisect_left(shown, index + 1)
        lags.append(1000 * (paints[paint][0] - at) if paint < len(paints) else None)
    return lags


def lag_ms(emitted: Sequence[float], paints: Paints, percent: float) -> float | None:
    return percentile([lag for lag in lags_ms(emitted, paints) if lag is not None], percent)


def lag_p50_ms(emitted: Sequence[float], paints: Paints) -> float | None:
    return lag_ms(emitted, paints, 50)


def lag_p95_ms(emitted: Sequence[float], paints: Paints) -> float | None:
    return lag_ms(emitted, paints, 95)


def lag_max_ms(emitted: Sequence[float], paints: Paints) -> float | None:
    return lag_ms(emitted, paints, 100)


def finish_lag_ms(emitted: Sequence[float], paints: Paints) -> float | None:
    """None if the last token never was shown."""
    return lags_ms(emitted, paints)[-1] if emitted else None


def lag_slope(emitted: Sequence[float], paints: Paints) -> float | None:
    lags = lags_ms(emitted, paints)
    return slope(
        [(at, lag / 1000) for at, lag in zip(emitted, lags, strict=True) if lag is not None]
    )


def unpainted_tokens_percent(emitted: Sequence[float], paints: Paints) -> float | None:
    if not emitted:
        return None
    lags = lags_ms(emitted, paints)
    return 100 * lags.count(None) / len(lags)


def of_record(emitted: Sequence[float], paints: Paints) -> dict[str, float]:
    """All of them, by name; without those that have nothing to measure."""
    values = {
        LAG_P50_MS.name: lag_p50_ms(emitted, paints),
        LAG_P95_MS.name: lag_p95_ms(emitted, paints),
        LAG_MAX_MS.name: lag_max_ms(emitted, paints),
        FINISH_LAG_MS.name: finish_lag_ms(emitted, paints),
        LAG_SLOPE.name: lag_slope(emitted, paints),
        UNPAINTED_TOKENS_PERCENT.name: unpainted_tokens_percent(emitted, paints),
    }
    return {name: value for name, value in values.items() if value is not None}
