"""Whether one page is slower than another, from pairs of runs on a noisy machine.

order       which of the two runs first, by a coin for each pair
bets        an interval for the effect that holds however often it is looked at
comparison  pairs in, "stop" out, and what was found
"""

from pageside.audit.compare.comparison import Comparison, ComparisonResult, Effect, Outcome
from pageside.audit.compare.order import Arm, orders
from pageside.audit.compare.past import Past, PastComparison, compare_with_past

__all__ = [
    "Arm",
    "Comparison",
    "ComparisonResult",
    "Effect",
    "Outcome",
    "Past",
    "PastComparison",
    "compare_with_past",
    "orders",
]
