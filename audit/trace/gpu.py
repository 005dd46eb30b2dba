"""The GPU process' main thread: what presents the page's frames, and runs its shaders' commands."""

from collections.abc import Iterable
from dataclasses import dataclass

from pageside.audit.trace.tasks import Span


@dataclass(frozen=True)
class Gpu:
    """Time on the clock counts too: a thread that waits for a driver uses no CPU."""

    busy_wall_ms: float
    busy_cpu_ms: float
    longest_task_ms: float


def read_gpu(spans: Iterable[Span], begin: float, end: float) -> Gpu:
    tasks = [task for span in spans if (task := span.within(begin, end)) is not None]
    return Gpu(
        busy_wall_ms=sum(task.wall_ms for task in tasks),
        busy_cpu_ms=sum(task.cpu_ms for task in tasks),
        longest_task_ms=max((task.wall_ms for task in tasks), default=0.0),
    )
