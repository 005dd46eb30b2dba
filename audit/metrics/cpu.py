"""The main thread's CPU time, net of what the page spends while idle.

By the page's own counters (audit/counters.py): a trace would add a tenth to what it measures.
"""

from pageside.audit.counters import Span
from pageside.audit.metrics.robust import ratio
from pageside.audit.result import Metric

_NET = (
    "CPU time of the page's main thread (ThreadTime of Performance.getMetrics) from a reading "
    "while tokens arrive to another some seconds later, less that of an idle stretch in "
    "proportion, divided by the "
)
CPU_MS_PER_TOKEN = Metric("cpu_ms_per_token", "ms", "cpu", f"{_NET}tokens written between the two.")
CPU_MS_PER_UPDATE = Metric(
    "cpu_ms_per_update",
    "ms",
    "cpu",
    f"{_NET}layouts (LayoutCount) between the two, of which each visible change of text has one.",
)
COST_GROWTH = Metric(
    "cost_growth",
    "×",
    "cpu",
    "CPU time per update onto a long answer, or after many messages, divided by that onto a short "
    "one, each net of its idle stretch.",
)
DEFINITIONS = (CPU_MS_PER_TOKEN, CPU_MS_PER_UPDATE, COST_GROWTH)


def net_cpu_ms(stream: Span, idle: Span) -> float:
    """Never below 0, which an idle stretch that was busier by chance would give."""
    return max(0.0, stream.cpu_ms - idle.cpu_share * stream.duration_ms)


def cpu_ms_per_token(stream: Span, idle: Span, tokens: float) -> float | None:
    return net_cpu_ms(stream, idle) / tokens if tokens else None


def cpu_ms_per_update(stream: Span, idle: Span) -> float | None:
    return net_cpu_ms(stream, idle) / stream.layouts if stream.layouts else None


def cost_growth(short_ms: float | None, long_ms: float | None) -> float | None:
    """Of two values of `cpu_ms_per_update`."""
    return ratio(long_ms, short_ms)
