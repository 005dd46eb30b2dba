"""E: Stop stops only the page; the model goes on, and the next prompt waits for it."""

from pageside.audit.diagnose.facts import Facts
from pageside.audit.result import Diagnosis

# At 1,000 tokens/s what is on its way when the upstream hears of the Stop.
FEW = 100


_LATE_MS = 1000.0
_ONLY = "Stop stops only the page"
_NOT_EVEN = "Stop stops neither the page nor the model"


def diagnose(facts: Facts) -> Diagnosis | None:
    after = facts.worst("tokens_after_stop")
    if after is None or after[1] <= FEW:
        return None
    scenario, tokens = after
    last_change = facts.value("stop_to_last_mutation_ms", scenario)
    left = facts.value("stop_to_disconnect_ms", scenario)
    page = (
        ""
        if last_change is None
        else f"The page's text last changed {last_change:.0f} ms after the click. "
    )
    upstream = (
        "its client never left"
        if left is None
        else f"its client left {left / 1000:.1f} s after the click"
    )
    return Diagnosis(
        fault="E",
        title=_NOT_EVEN if last_change is not None and last_change > _LATE_MS else _ONLY,
        scenario=scenario,
        proof=(
            f"{page}The upstream wrote {tokens:.0f} tokens more, later than a second after the "
            f"click; {upstream}.",
        ),
        advice="Abort the request on Stop (AbortController), and where a server stands between, "
        "close its stream to the model as soon as its own client leaves.",
        blame=(),
    )
