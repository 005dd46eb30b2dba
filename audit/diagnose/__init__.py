"""From the evidence to one of the known faults, with the proof.

    A  the main thread is blocked by synchronous work
    B  work per update grows with the answer or the history
    C  text arrives in bursts
    D  a queue without a bound: lag grows with time
    E  Stop stops only the page
    F  a hidden tab piles up work
    G  the page cannot draw though its thread is idle

Each is one file with a pure function from `Facts` to a Diagnosis or None. Where one fault
explains another's symptoms, the explained one is left out: a page whose updates grow also
lags more and more.
"""

from collections.abc import Callable

from pageside.audit.diagnose import (
    blocked,
    bursts,
    drawing,
    growth,
    hidden,
    queue,
    stop,
)
from pageside.audit.diagnose.facts import Facts
from pageside.audit.result import Diagnosis

_FAULTS: tuple[Callable[[Facts], Diagnosis | None], ...] = (
    blocked.diagnose,
    growth.diagnose,
    bursts.diagnose,
    queue.diagnose,
    stop.diagnose,
    hidden.diagnose,
    drawing.diagnose,
)

# The first explains the second.
_EXPLAINS = {("A", "D"), ("B", "D"), ("C", "D"), ("B", "F"), ("A", "G"), ("B", "G"), ("B", "A")}


def diagnose(facts: Facts) -> tuple[Diagnosis, ...]:
    """What the facts prove, in the order of the letters."""
    found = [diagnosis for fault in _FAULTS if (diagnosis := fault(facts)) is not None]
    faults = {diagnosis.fault for diagnosis in found}
    return tuple(
        diagnosis
        for diagnosis in found
        if not any((other, diagnosis.fault) in _EXPLAINS for other in faults)
    )


__all__ = ["Facts", "diagnose"]
