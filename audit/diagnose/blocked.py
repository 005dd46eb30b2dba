"""A: the main thread is blocked by synchronous work, such as inference or one large parse.

The answer is short and one task already takes longer than 50 ms of CPU; several do.
"""

from pageside.audit.diagnose.facts import Facts
from pageside.audit.result import Diagnosis

_LONG_MS = 50.0
_AT_LEAST = 2


def diagnose(facts: Facts) -> Diagnosis | None:
    for scenario in facts.each("longest_task_cpu_1x_ms", "steady-*"):
        longest = facts.value("longest_task_cpu_1x_ms", scenario) or 0
        count = facts.value("long_tasks_1x", scenario) or 0
        if longest < _LONG_MS or count < _AT_LEAST:
            continue
        blocking = facts.value("tbt_1x_ms", scenario) or 0
        script = 100 * facts.stages(scenario).get("script", 0)
        proof = [
            f"{count:.0f} tasks of more than 50 ms of CPU on an answer of a few hundred tokens; "
            f"the longest took {longest:.0f} ms.",
            f"Together they blocked the thread for {blocking:.0f} ms; {script:.0f} % of its time "
            "was the page's own script.",
        ]
        if told := facts.long_frame_script(scenario):
            proof.append(told)
        return Diagnosis(
            fault="A",
            title="The main thread is blocked by synchronous work",
            scenario=scenario,
            proof=tuple(proof),
            advice="Move this work to a Web Worker, or cut it into pieces of a few milliseconds "
            "and give the thread back between them.",
            blame=facts.blame(scenario),
        )
    return None
