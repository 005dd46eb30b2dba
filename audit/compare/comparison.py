"""Two pages, pair by pair, until it is clear which is slower or that neither is.

comparison = Comparison([("cpu_ms_per_update", "steady-33")])
for first, second in orders(seed):
    …run both pages in that order, each in a fresh context of one browser…
    if comparison.feed(samples_of_a, samples_of_b):
        break
comparison.result()
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

import numpy as np

from pageside.audit.compare.bets import interval
from pageside.audit.result import Sample

Outcome = Literal["slower", "faster", "same", "inconclusive"]

Key = tuple[str, str]

# Pairs that give no ratio are not lost by chance: above this share the others prove nothing.
_LOST_SHARE_MAX = 0.1


@dataclass(frozen=True)
class Effect:
    """What B is beside A in one metric of one scenario, in percent of A.

    `low_percent` to `high_percent` holds the truth, as do those of all other metrics together,
    however often one looked; -100 and None while there are too few pairs to say anything.
    "same" means all of it lies within the margin, also where it leaves 0 out: a difference too
    small to matter. "slower" is more of the metric, since of every metric less is better.
    """

    metric: str
    scenario: str
    percent: float
    low_percent: float
    high_percent: float | None
    pairs: int
    outcome: Outcome
    reason: str


@dataclass(frozen=True)
class ComparisonResult:
    """`control` compares A with itself; an effect there makes every outcome inconclusive."""

    outcome: Outcome
    effects: tuple[Effect, ...]
    control: tuple[Effect, ...]
    pairs: int
    control_pairs: int
    alpha: float
    margin_percent: float
    reason: str


class Comparison:
    """Fed with pairs of runs; says after each whether to stop.

    `keys` are (metric, scenario). `alpha` is the chance that anything at all is found where there
    is nothing; it is divided by the number of keys (Bonferroni), as every interval is to hold at
    once and at whatever pair one stops. Holm's correction finds a little more, but gives no such
    intervals, and without them there is no "same". `floors` are, by metric, values too small to
    tell from 0: what is less counts as that much, so that 0 against 0.2 ms is no infinite ratio.
    `most_pairs` ends what cannot be decided.

    The order of every pair must come from `orders`: the intervals rest on that coin.
    """

    def __init__(
        self,
        keys: Sequence[Key],
        *,
        margin_percent: float = 5.0,
        alpha: float = 0.05,
        most_pairs: int = 60,
        floors: Mapping[str, float] | None = None,
    ) -> None:
        if not keys or len(set(keys)) < len(keys):
            raise ValueError("a comparison needs metrics, each once")
        if not 0 < alpha < 1 or not 0 < margin_percent < 100 or most_pairs < 1:
            raise ValueError("alpha is from 0 to 1, the margin from 0 to 100 %, pairs from 1")
        self._alpha = alpha
        self._margin_percent = margin_percent
        self._most_pairs = most_pairs
        floors = floors or {}
        share = alpha / len(keys)
        self._series = {key: _Series(share, floors.get(key[0], 0.0)) for key in keys}
        self._control = {key: _Series(share, floors.get(key[0], 0.0)) for key in keys}
        self._pairs = 0
        self._control_pairs = 0

    def feed(self, a: Iterable[Sample], b: Iterable[Sample]) -> bool:
        """Takes one pair; True when more pairs are of no use. Metrics not asked for are ignored.

        A metric that is missing, not finite or without a ratio loses this pair, and no other does.
        """
        _feed(self._series, a, b)
        self._pairs += 1
        return self._pairs >= self._most_pairs or all(
            series.outcome(self._margin_percent) != "inconclusive"
            for series in self._series.values()
        )

    def feed_control(self, a: Iterable[Sample], b: Iterable[Sample]) -> None:
        """Takes one pair of A with itself; the one that stands for B is the `orders`' "b"."""
        _feed(self._control, a, b)
        self._control_pairs += 1

    def result(self) -> ComparisonResult:
        """What is known after the pairs so far."""
        control = self._effects(self._control)
        reason = ""
        if ghost := next((e for e in control if e.outcome in ("slower", "faster")), None):
            reason = (
                f"page A seems {ghost.outcome} than itself in {_name(ghost)} "
                f"({_range(ghost)}): something in this session is unfair, look for it first"
            )
        effects = self._effects(self._series, spoiled=reason)
        outcome = _overall(effects)
        return ComparisonResult(
            outcome=outcome,
            effects=effects,
            control=control,
            pairs=self._pairs,
            control_pairs=self._control_pairs,
            alpha=self._alpha,
            margin_percent=self._margin_percent,
            reason=reason or _summary(outcome, effects),
        )

    def _effects(
        self, all_series: "Mapping[Key, _Series]", spoiled: str = ""
    ) -> tuple[Effect, ...]:
        return tuple(
            series.effect(key, self._margin_percent, spoiled) for key, series in all_series.items()
        )


class _Series:
    """One metric's pairs, as log ratios, and the interval that all looks so far agree on.

    Each look's interval holds with all the others, so their intersection does too: what was once
    decided stays decided.
    """

    def __init__(self, alpha: float, floor: float) -> None:
        self._alpha = alpha
        self._floor = floor
        self._differences: list[float] = []
        self._lost = 0
        self._low = -math.inf
        self._high = math.inf
        self._centre = 0.0
        self._torn = False

    def add(self, a: float | None, b: float | None) -> None:
        difference = self._log_ratio(a, b)
        if difference is None:
            self._lost += 1
            return
        self._differences.append(difference)
        look = interval(np.array(self._differences), self._alpha)
        if look is not None:
            low, self._centre, high = look
            self._low, self._high = max(self._low, low), min(self._high, high)
        self._torn = self._torn or look is None or self._low > self._high

    def outcome(self, margin_percent: float) -> Outcome:
        if self._torn or self._lost > _LOST_SHARE_MAX * (self._lost + len(self._differences)):
            return "inconclusive"
        # The same ratio either way: 5 % more, or so much less that A is 5 % more.
        margin = math.log1p(margin_percent / 100)
        if -margin < self._low and self._high < margin:
            return "same"
        if self._low > 0:
            return "slower"
        return "faster" if self._high < 0 else "inconclusive"

    def effect(self, key: Key, margin_percent: float, spoiled: str) -> Effect:
        outcome = self.outcome(margin_percent)
        centre = min(max(self._centre, self._low), self._high)
        effect = Effect(
            metric=key[0],
            scenario=key[1],
            percent=_percent(centre),
            low_percent=_percent(self._low),
            high_percent=None if math.isinf(self._high) else _percent(self._high),
            pairs=len(self._differences),
            outcome="inconclusive" if spoiled else outcome,
            reason="",
        )
        return replace(effect, reason=spoiled or self._reason(effect, margin_percent))

    def _log_ratio(self, a: float | None, b: float | None) -> float | None:
        if a is None or b is None or not (math.isfinite(a) and math.isfinite(b)):
            return None
        a, b = max(a, self._floor), max(b, self._floor)
        if a == b:
            return 0.0  # also 0 and 0
        return math.log(b / a) if a > 0 and b > 0 else None

    def _reason(self, effect: Effect, margin_percent: float) -> str:
        if self._lost and effect.outcome == "inconclusive":
            pairs = self._lost + len(self._differences)
            return (
                f"{self._lost} of {pairs} pairs gave no ratio (a value missing, or 0 beside more)"
            )
        if self._torn:
            return "the pairs agree on no one effect: the machine or a page changed meanwhile"
        if effect.outcome == "same":
            return f"B differs by less than {margin_percent:g} % ({_range(effect)})"
        if effect.outcome == "inconclusive":
            return f"{effect.pairs} pairs leave {_range(effect)}"
        return f"B is {effect.outcome} by {abs(effect.percent):.1f} % ({_range(effect)})"


def _feed(all_series: Mapping[Key, _Series], a: Iterable[Sample], b: Iterable[Sample]) -> None:
    of_a, of_b = _values(a), _values(b)
    for key, series in all_series.items():
        series.add(of_a.get(key), of_b.get(key))


def _values(samples: Iterable[Sample]) -> dict[Key, float]:
    """The median where one side of a pair gave several; NaN if any of them is not a number."""
    values: dict[Key, list[float]] = {}
    for sample in samples:
        values.setdefault((sample.metric, sample.scenario), []).append(sample.value)
    return {
        key: median(several) if all(map(math.isfinite, several)) else math.nan
        for key, several in values.items()
    }


def _percent(log_ratio: float) -> float:
    try:
        return 100 * math.expm1(log_ratio)
    except OverflowError:
        return math.inf


def _range(effect: Effect) -> str:
    if effect.high_percent is None:
        least = f"at least {effect.low_percent:+.1f} %"
        return "anything" if effect.low_percent == -100 else least
    return f"{effect.low_percent:+.1f} % to {effect.high_percent:+.1f} %"


def _name(effect: Effect) -> str:
    return f"{effect.metric} of {effect.scenario}"


def _overall(effects: Iterable[Effect]) -> Outcome:
    """Slower in anything is slower; only what is clear in everything is the same or faster."""
    outcomes = {effect.outcome for effect in effects}
    ranked: tuple[Outcome, ...] = ("slower", "inconclusive", "faster", "same")
    return next(outcome for outcome in ranked if outcome in outcomes)


def _summary(outcome: Outcome, effects: Iterable[Effect]) -> str:
    named = [effect for effect in effects if effect.outcome == outcome]
    return "; ".join(f"{_name(effect)}: {effect.reason}" for effect in named)
