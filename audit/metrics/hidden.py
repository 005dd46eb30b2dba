"""What a page has to catch up with when it is shown again."""

from pageside.audit.result import Metric

SHOWN_LONGEST_TASK_CPU_MS = Metric(
    "shown_longest_task_cpu_ms",
    "ms",
    "cpu",
    "CPU time of the main thread's longest task (RunTask.tdur in the trace) in the 1.5 s after a "
    "page that was hidden for 4 s is shown again.",
)
SHOWN_TBT_4X_MS = Metric(
    "shown_tbt_4x_ms",
    "ms",
    "cpu",
    "Total blocking time in the 1.5 s after a hidden page is shown again, each task taken as 4 × "
    "its CPU time, a model of a slower device.",
)
DEFINITIONS = (SHOWN_LONGEST_TASK_CPU_MS, SHOWN_TBT_4X_MS)
