"""B: work per update grows with the answer or with the history.

CPU time per update onto a long answer is twice that onto a short one, or more, and the
difference is worth something; or exact counts of objects laid out, or of elements restyled, grow.
"""

from pageside.audit.diagnose.facts import Facts
from pageside.audit.result import Diagnosis

_TWICE = 2.0
_MATTERS_MS = 1.0
_MOST_OBJECTS = 4.0

_ADVICE = {
    "script": "Parse and render only the block that changes; leave finished blocks alone: no "
    "innerHTML of the whole answer, no comparison of the whole list.",
    "parse": "Build nodes for what is new instead of parsing the whole answer's markup again.",
    "layout": "Keep each update's layout to the block that changes: append to small blocks, put "
    "content-visibility: auto on groups of finished ones, and read no sizes between writes.",
    "style": "Toggle no class and set no variable on an ancestor of the transcript while text "
    "streams: every element below is styled again.",
}


def diagnose(facts: Facts) -> Diagnosis | None:
    grown = facts.worst("cost_growth")
    if grown is None or grown[1] <= _TWICE:
        return None
    scenario, factor = grown
    cost = facts.value("cpu_ms_per_update", scenario) or 0
    if cost * (1 - 1 / factor) < _MATTERS_MS:
        return None
    proof = [
        f"An update costs {cost:.1f} ms of main-thread CPU in {scenario}, "
        f"{factor:.1f} times what it costs on a short answer.",
        *_counted(facts, scenario),
    ]
    # Finished objects are laid out again because they were made again.
    rebuilds = (facts.value("dirty_growth", scenario) or 0) >= _MOST_OBJECTS
    stages = facts.stages(scenario)
    most = max(_ADVICE, key=lambda stage: stages.get(stage, 0))
    share = 100 * stages.get(most, 0)
    proof.append(f"The largest part of it is {most}: {share:.0f} % of the thread's time.")
    return Diagnosis(
        fault="B",
        title="Work per update grows with the length of the answer or the history",
        scenario=scenario,
        proof=tuple(proof),
        advice=_ADVICE["script" if rebuilds else most],
        blame=facts.blame(scenario),
    )


def _counted(facts: Facts, scenario: str) -> list[str]:
    found = []
    dirty = facts.value("dirty_growth", scenario)
    if dirty is not None and dirty >= _MOST_OBJECTS:
        objects = facts.value("dirty_objects_per_update", scenario) or 0
        found.append(
            f"Each update has {objects:.0f} objects laid out again, {dirty:.0f} times as many as "
            "on a short answer."
        )
    restyled = facts.value("restyled_elements_per_update", scenario)
    if restyled is not None and restyled >= 100:
        found.append(f"Each update has {restyled:.0f} elements styled again.")
    return found
