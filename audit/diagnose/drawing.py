"""G: the page cannot draw though its thread is idle, because the GPU process is busy with
inference in the page: shader compilation, large submits."""

from pageside.audit.diagnose.facts import Facts
from pageside.audit.result import Diagnosis

MOST_MISSED_PERCENT = 20.0
_MOST_BUSY_PERCENT = 50.0
# Presenting is all that the GPU process should have to do.
_GPU_TASK_MS = 50.0


def diagnose(facts: Facts) -> Diagnosis | None:
    for scenario, missed in facts.each("missed_by_presentation_percent", "steady-*").items():
        busy = facts.value("busy_share_1x", scenario) or 0
        windows = [
            take.stream
            for kind in ("cost", "evidence")
            for take in facts.takes(scenario, kind)
            if take.stream is not None
        ]
        longest = max((window.gpu.longest_task_ms for window in windows), default=0.0)
        if missed < MOST_MISSED_PERCENT or busy > _MOST_BUSY_PERCENT or longest < _GPU_TASK_MS:
            continue
        delay = facts.value("presentation_delay_p95_ms", scenario) or 0
        return Diagnosis(
            fault="G",
            title="The page cannot draw though its thread is idle",
            scenario=scenario,
            proof=(
                f"{missed:.0f} % of the refresh slots passed with an update that the main thread "
                f"had ready; 5 % of them were shown later than {delay:.0f} ms after it.",
                f"The main thread was {busy:.0f} % busy; the GPU process had a task of "
                f"{longest:.0f} ms.",
            ),
            advice="Cut the GPU work into submits of a few milliseconds, compile shaders before "
            "the answer begins, and wait for each submit (onSubmittedWorkDone) before the next.",
        )
    return None
