"""Which page of a pair runs first."""

from collections.abc import Iterator
from random import Random
from typing import Literal

Arm = Literal["a", "b"]


def orders(seed: int) -> Iterator[tuple[Arm, Arm]]:
    """The order of each pair, without end; the same for the same seed.

    A fair coin for each pair, tossed for itself alone: that is what makes the sign of a pair's
    difference a coin toss when there is no effect, whatever the machine does (see `bets`).
    Alternating (ABBA) or drawing blocks of AB BA also cancels a drift, but then two signs in a
    row depend on each other: on runs that are alike when near in time (AR 0.3–0.7), blocks
    raised false alarms from 3.2–3.5 to 5.0 %. An effect of being second costs this design pairs,
    not truth.
    """
    coin = Random(seed)
    while True:
        yield ("a", "b") if coin.random() < 0.5 else ("b", "a")
