"""C: text arrives in bursts, because something between the upstream and the page buffers.

The page is not at fault where its thread was idle while nothing came. The upstream is the audit's
own: where it was itself silent, the machine was too busy, and nothing is proved.
"""

from pageside.audit.diagnose.facts import Facts
from pageside.audit.result import Diagnosis

MOST_PERCENT = 25.0
_MOST_BUSY_PERCENT = 70.0


def diagnose(facts: Facts) -> Diagnosis | None:
    for scenario, percent in facts.each("arrived_after_gap_percent", "steady-*").items():
        by_producer = facts.value("sent_after_gap_percent", scenario) or 0
        busy = facts.value("busy_share_1x", scenario) or 0
        if percent < MOST_PERCENT or busy > _MOST_BUSY_PERCENT or by_producer >= MOST_PERCENT:
            continue
        gap = facts.value("longest_arrival_gap_ms", scenario) or 0
        written = facts.value("longest_producer_gap_ms", scenario) or 0
        proof = [
            f"{percent:.0f} % of the bytes reached the page in bursts after a second or more of "
            f"silence; the longest silence was {gap:.0f} ms.",
            f"The upstream itself was silent for {written:.0f} ms at most; "
            f"{by_producer:.0f} % of what it wrote came after a second or more.",
            f"The page's main thread was {busy:.0f} % busy: it was waiting for text.",
        ]
        advice = (
            "Something between the model and the page holds the stream back: switch off buffering "
            "and compression for it (X-Accel-Buffering: no, no gzip on text/event-stream), and "
            "flush after every event."
        )
        return Diagnosis(
            fault="C",
            title="Text arrives in bursts",
            scenario=scenario,
            proof=tuple(proof),
            advice=advice,
        )
    return None
