"""Whether text comes evenly or in bursts, at the page and at the producer.

A chunk is (moment in monotonic seconds, size in any unit); `begin` is when the first could
have come: a response held back whole is one chunk, and its only gap is the one before it.
Bursts that the producer does not have come from what lies between: a proxy or a compressor.
"""

from collections.abc import Sequence
from itertools import pairwise

from pageside.audit.result import Metric

Chunks = Sequence[tuple[float, float]]

# A pause that a person sees. For streams slower than a token a second, pass a longer one.
GAP_MS = 1000.0
# What comes together with the chunk that ends a gap.
_BURST_MS = 50.0

LONGEST_ARRIVAL_GAP_MS = Metric(
    "longest_arrival_gap_ms",
    "ms",
    "wall",
    "Longest time in which no bytes of the response reached the page's threads "
    "(ResourceReceivedData or WebSocketReceive in the trace).",
)
ARRIVED_AFTER_GAP_PERCENT = Metric(
    "arrived_after_gap_percent",
    "%",
    "wall",
    "Share of the response's bytes that reached the page's threads within 50 ms of the end of a "
    "gap of a second or more (trace).",
)
LONGEST_PRODUCER_GAP_MS = Metric(
    "longest_producer_gap_ms",
    "ms",
    "wall",
    "Longest time in which the producer wrote nothing of the answer to the network.",
)
SENT_AFTER_GAP_PERCENT = Metric(
    "sent_after_gap_percent",
    "%",
    "wall",
    "Share of the answer's text that the producer wrote within 50 ms of the end of a gap of a "
    "second or more.",
)
DEFINITIONS = (
    LONGEST_ARRIVAL_GAP_MS,
    ARRIVED_AFTER_GAP_PERCENT,
    LONGEST_PRODUCER_GAP_MS,
    SENT_AFTER_GAP_PERCENT,
)


def longest_gap_ms(chunks: Chunks, begin: float) -> float | None:
    return max((1000 * (b - a) for a, b in pairwise(_moments(chunks, begin))), default=None)


def after_gap_percent(chunks: Chunks, begin: float, gap_ms: float = GAP_MS) -> float | None:
    """Of the sizes, those in bursts that end a gap of at least `gap_ms`."""
    total = sum(size for _, size in chunks)
    if not total:
        return None
    in_bursts = 0.0
    before = begin
    burst_end = float("-inf")
    for at, size in chunks:
        if 1000 * (at - before) >= gap_ms:
            burst_end = at + _BURST_MS / 1000
        if at <= burst_end:
            in_bursts += size
        before = at
    return 100 * in_bursts / total


def _moments(chunks: Chunks, begin: float) -> list[float]:
    return [begin, *(at for at, _ in chunks)]
