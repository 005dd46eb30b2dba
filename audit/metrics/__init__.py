"""Metrics: for each a definition, printed beside the number, and a pure function.

Of the page's counters while text streams and while nothing does:
    cpu         CPU per token and per update; growth with the length of the answer
Of a window of the trace:
    work        layouts, dirty objects, restyled elements
    throttle    what the same CPU time means on a device k times slower
    slots       refresh slots missed by a waiting update
Of plain lists from a probe and from the producer, in monotonic seconds:
    lag         token → paint
    response    Stop, input, frames
    memory      live nodes and heap
    arrival     bytes in bursts
    frames      long frames, as the browser tells them
    integrity   words that are not there
    upstream    what the producer notices of a Stop
    hidden      catching up when shown again

A function returns None where there is nothing to measure: a page that painted nothing has not
painted for free.
"""

from collections.abc import Mapping

from pageside.audit.metrics import (
    arrival,
    cpu,
    frames,
    hidden,
    integrity,
    lag,
    memory,
    response,
    slots,
    throttle,
    upstream,
    work,
)
from pageside.audit.result import Metric

_DEFINITIONS = (
    *cpu.DEFINITIONS,
    *work.DEFINITIONS,
    *throttle.DEFINITIONS,
    *slots.DEFINITIONS,
    *lag.DEFINITIONS,
    *response.DEFINITIONS,
    *memory.DEFINITIONS,
    *arrival.DEFINITIONS,
    *frames.DEFINITIONS,
    *integrity.DEFINITIONS,
    *upstream.DEFINITIONS,
    *hidden.DEFINITIONS,
)

METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _DEFINITIONS}


__all__ = [
    "METRICS",
    "arrival",
    "cpu",
    "lag",
    "memory",
    "response",
    "slots",
    "throttle",
    "work",
]
