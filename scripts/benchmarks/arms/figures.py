"""Rows of the figures that every engine has, and of their ratios."""

from collections.abc import Callable
from dataclasses import dataclass

from arms.rounds import Rounds
from arms.timing import Timing
from table import Budget, Table, ratios

THREADS = (1, 2)


def named(engine: str, threads: int) -> str:
    """An arm's name."""
    return f"{engine}, {threads} thread{'s' if threads > 1 else ''}"


def tokens_per_s(timing: Timing) -> float:
    return timing.tokens_per_s


def ttft_ms(timing: Timing) -> float:
    return timing.ttft_ms


def cpu_ms(timing: Timing) -> float:
    return timing.cpu_ms


@dataclass(frozen=True)
class Figure:
    label: str
    unit: str
    of: Callable[[Timing], float]


DECODE = Figure("decode", "tokens/s", tokens_per_s)
TTFT = Figure("TTFT", "ms", ttft_ms)
CPU = Figure("CPU", "ms", cpu_ms)


def add_figures(table: Table, rounds: Rounds) -> None:
    """Every figure of every arm."""
    for figure in (DECODE, TTFT, CPU):
        for name, timings in rounds.items():
            table.add(f"{figure.label}, {name}", figure.unit, map(figure.of, timings))


def add_ratios(
    table: Table, rounds: Rounds, figure: Figure, of: str, to: str, budget: Budget | None = None
) -> None:
    """One figure of one engine over another's, for each number of threads."""
    for threads in THREADS:
        ours, theirs = rounds[named(of, threads)], rounds[named(to, threads)]
        values = ratios(map(figure.of, ours), map(figure.of, theirs))
        table.add(f"{figure.label}, {of} ÷ {named(to, threads)}", "×", values, budget)
