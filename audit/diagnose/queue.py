"""D: a queue without a bound. What is painted falls further behind what has come, though the
cost of an update does not grow."""

from pageside.audit.diagnose.facts import Facts
from pageside.audit.result import Diagnosis

MOST_SLOPE = 0.15
MOST_FINISH_MS = 500.0


def diagnose(facts: Facts) -> Diagnosis | None:
    for pattern in ("steady-*", "firehose-*"):
        for scenario, slope in facts.each("lag_slope", pattern).items():
            finish = facts.value("finish_lag_ms", scenario)
            if slope < MOST_SLOPE or (finish is not None and finish < MOST_FINISH_MS):
                continue
            return _diagnosis(facts, scenario, slope, finish)
    return None


def _diagnosis(facts: Facts, scenario: str, slope: float, finish: float | None) -> Diagnosis:
    busy = facts.value("busy_share_1x", scenario) or 0
    ended = (
        "The last token never was painted."
        if finish is None
        else f"The last token was painted {finish / 1000:.1f} s after it had been sent."
    )
    grown = facts.worst("cost_growth")
    cost = ", and an update's cost does not grow" if grown is not None else ""
    return Diagnosis(
        fault="D",
        title="A queue without a bound: the page falls further and further behind",
        scenario=scenario,
        proof=(
            f"In {scenario} each second of stream adds {slope:.2f} s of lag.",
            ended,
            f"The main thread was {busy:.0f} % busy{cost}.",
        ),
        advice="Take everything that waits in one update a frame, instead of a fixed number of "
        "characters or one update a token; let the producer wait when two batches are unpainted.",
        blame=facts.blame(scenario),
    )
