"""When the tokens of one answer came, and the two figures made of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

DEFINITIONS = (
    "decode: tokens after the first arrival ÷ the time from the first arrival to the last, on the "
    "caller's clock. The caller is the page, its tab in front, for engines in a worker, else "
    "Python.",
    "TTFT: from the call that asks to the arrival of the first token's text or id at the caller, "
    "on the caller's clock.",
    "CPU: of the whole answer, all threads of the process that computes it (the tab's renderer, or "
    "Python). Steady where other work makes times worthless; threads that spin count too.",
)


@dataclass(frozen=True)
class Arrival:
    """At `at_ms` the caller got `tokens` more."""

    at_ms: float
    tokens: int


@dataclass(frozen=True)
class Timing:
    """`answer` is the text, special tokens left out."""

    started_ms: float
    arrivals: Sequence[Arrival]
    cpu_ms: float
    answer: str

    @property
    def tokens(self) -> int:
        return sum(arrival.tokens for arrival in self.arrivals)

    @property
    def ttft_ms(self) -> float:
        return self.arrivals[0].at_ms - self.started_ms

    @property
    def tokens_per_s(self) -> float:
        first, last = self.arrivals[0], self.arrivals[-1]
        return (self.tokens - first.tokens) / (last.at_ms - first.at_ms) * 1000


class Arm(Protocol):
    """One engine, loaded."""

    async def answer(self) -> Timing:
        """Answers the question once, from nothing: no arm keeps the prompt's KV cache."""
        ...
