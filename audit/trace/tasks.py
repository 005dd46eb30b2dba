"""The main thread's tasks, their CPU time, and the stages it went to.

A task is an outermost RunTask. Spans inside it nest; each span's own time is its CPU time less
that of the spans in it, so that the stages of a task add up to the task.

What the trace itself takes is no work of the page's. With the category that has the tasks,
Chromium counts the whole document's nodes in every frame that changed it, for an event of its own
("DOMStats", seen in 156): less than 0.1 ms in a short chat, 0.7 ms of 3.4 after a thousand
messages, which read as work that grows with the history. The event is written first and the nodes
are counted then, so all up to the next event is taken out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pageside.audit.trace.events import Event, cpu_us, end_us, wall_us

STAGES = ("script", "parse", "style", "layout", "prepaint", "paint", "composite", "gc", "other")

# Spans not named here are a part of the span around them.
_STAGE_OF = {
    name: stage
    for stage, names in {
        "script": (
            "FunctionCall EvaluateScript RunMicrotasks FireAnimationFrame FireIdleCallback "
            "TimerFire EventDispatch HandlePostMessage XHRReadyStateChange XHRLoad v8.run "
            "v8.compile v8.compileModule v8.evaluateModule v8.produceCache V8.CompileCode"
        ),
        "parse": "ParseHTML ParseAuthorStyleSheet",
        "style": "UpdateLayoutTree RecalculateStyles InvalidateStyle",
        "layout": "Layout",
        "prepaint": "PrePaint UpdateLayerTree",
        "paint": "Paint PaintImage DecodeImage",
        "composite": "Layerize Commit CompositeLayers UpdateLayer ScrollLayer",
        "gc": "MinorGC MajorGC BlinkGC.AtomicPhase CppGC.AtomicPhase",
    }.items()
    for name in names.split()
}
_GC_PREFIXES = ("V8.GC", "BlinkGC.", "CppGC.")

_NODES_COUNTED = "DOMStats"


@dataclass(frozen=True)
class Task:
    """Times are from the window's begin. A task over the window's border is the share of it
    that lies inside. `stages` add up to `cpu_ms`."""

    start_ms: float
    wall_ms: float
    cpu_ms: float
    stages: Mapping[str, float]


@dataclass(frozen=True)
class Span:
    """A task in the trace's own microseconds."""

    ts: float
    dur: float
    cpu: float
    stages: Mapping[str, float]

    def within(self, begin: float, end: float) -> Task | None:
        """The share of it between two moments; None where there is none."""
        start, stop = max(self.ts, begin), min(self.ts + self.dur, end)
        if start >= end or stop <= begin:
            return None
        share = (stop - start) / self.dur if self.dur else 1.0
        return Task(
            start_ms=(start - begin) / 1000,
            wall_ms=(stop - start) / 1000,
            cpu_ms=self.cpu * share / 1000,
            stages={stage: cpu * share / 1000 for stage, cpu in self.stages.items()},
        )


class _Open:
    """A span that has begun: its stage, its CPU time and what of it the spans inside took.
    `clock` is what the thread's CPU clock said when it began."""

    __slots__ = ("clock", "cpu", "end", "inside", "stage")

    def __init__(self, stage: str, cpu: float, event: Event) -> None:
        self.stage = stage
        self.cpu = cpu
        self.clock: float = event.get("tts", 0.0)
        self.end = end_us(event)
        self.inside = 0.0


def read_tasks(thread: Iterable[Event]) -> list[Span]:
    """The tasks of a thread whose events are in order, outermost first."""
    spans: list[Span] = []
    stack: list[_Open] = []
    stages: dict[str, float] = {}
    counting: float | None = None  # the thread's CPU clock, us
    for event in thread:
        if counting is not None and "tts" in event:
            _take_out(counting, event["tts"], spans, stack[-1])
            counting = None
        ts = event["ts"]
        while stack and stack[-1].end <= ts:
            _close(stack, stages)
            counting = None
        if stack and event["name"] == _NODES_COUNTED:
            counting = event.get("tts")
        if event["ph"] != "X":
            continue
        if not stack:
            if event["name"] != "RunTask":
                continue
            stages = dict.fromkeys(STAGES, 0.0)
            cpu = cpu_us(event)
            spans.append(Span(ts, wall_us(event), cpu, stages))
            stack.append(_Open("other", cpu, event))
        else:
            around = stack[-1]
            cpu = _cpu_inside(event, around)
            around.inside += cpu
            stage = _stage(event["name"]) or around.stage
            stack.append(_Open(stage, cpu, event))
    while stack:
        _close(stack, stages)
    return spans


def _take_out(begin: float, end: float, spans: list[Span], around: _Open) -> None:
    """What a span spent for the trace between two moments of its thread's CPU clock."""
    cpu = max(0.0, min(end - begin, around.cpu - around.inside, around.clock + around.cpu - begin))
    around.inside += cpu
    spans[-1] = replace(spans[-1], cpu=spans[-1].cpu - cpu)


def _close(stack: list[_Open], stages: dict[str, float]) -> None:
    span = stack.pop()
    stages[span.stage] += span.cpu - span.inside


def _cpu_inside(event: Event, around: _Open) -> float:
    if "tdur" in event:
        return cpu_us(event)
    return min(cpu_us(event), max(0.0, around.cpu - around.inside))


def _stage(name: str) -> str | None:
    stage = _STAGE_OF.get(name)
    if stage is None and name.startswith(_GC_PREFIXES):
        return "gc"
    return stage
