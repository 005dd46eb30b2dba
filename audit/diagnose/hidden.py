"""F: a hidden tab piles up work, which comes all at once when it is shown again."""

from pageside.audit.diagnose.facts import Facts
from pageside.audit.result import Diagnosis

MOST_TASK_MS = 50.0


def diagnose(facts: Facts) -> Diagnosis | None:
    longest = facts.worst("shown_longest_task_cpu_ms")
    if longest is None or longest[1] <= MOST_TASK_MS:
        return None
    scenario, cpu_ms = longest
    return Diagnosis(
        fault="F",
        title="A hidden tab piles up work",
        scenario=scenario,
        proof=(
            f"Shown again after 4 s, the page took {cpu_ms:.0f} ms of CPU in one task to catch up.",
        ),
        advice="requestAnimationFrame does not run in a hidden tab: flush by a timer there, in "
        "bounded batches, and paint what waited in one update.",
        blame=facts.blame(scenario, is_hidden=True),
    )
