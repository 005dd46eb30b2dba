"""Hand-made takes: what a page did, without a page."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pageside.audit.counters import Span
from pageside.audit.pace import Delivery, steady
from pageside.audit.pace.delivery import Sent
from pageside.audit.probe import Evidence
from pageside.audit.result import Sample
from pageside.audit.scenarios import Kind, Scenario
from pageside.audit.take import Take
from pageside.audit.text import tokens
from pageside.audit.trace import Trace, Window

# When every window begins, in monotonic seconds.
BEGIN_S = 100.0

_RENDERER, _GPU = 10, 50
_MAIN, _COMPOSITOR = 10, 11

Event = dict[str, Any]


def scenario(name: str = "steady-10", **fields: Any) -> Scenario:
    """10 tokens/s for 2 s onto an empty answer, played with a probe."""
    made = Scenario(name, name, rate=10, seconds=2, before=0, kinds=("evidence",))
    return replace(made, **fields)


def take(kind: Kind = "evidence", of: Scenario | None = None, **fields: Any) -> Take:
    """A take of a page that shows every word; parts as `play` makes them."""
    made = Take(of or scenario(), kind, fields.pop("run", 0))
    count = made.scenario.part_count
    texts = tokens(made.scenario.before + made.count)[made.scenario.before :]
    made.parts = [
        steady(texts[i : i + count], made.scenario.rate) for i in range(0, made.count, count)
    ]
    made.words = list(range(made.last + 1))
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def delivery(written_s: Sequence[float], left_at: float | None = None) -> Delivery:
    """One token a write, `written_s` after BEGIN_S."""
    made = Delivery("/v1/chat/completions", "openai", "Audit", BEGIN_S - 1)
    made.sent = [Sent(f"w{i} ", BEGIN_S + at, i, 1) for i, at in enumerate(written_s)]
    made.left_at = left_at
    return made


def evidence(
    paints: Sequence[tuple[float, int]] = (),
    last_change_s: float = 0.0,
    inputs: Sequence[tuple[str, float, float]] = (),
) -> Evidence:
    return Evidence(tuple(paints), last_change_s, len(paints), tuple(inputs), (), ())


def span(duration_ms: float, cpu_ms: float, layouts: int = 0) -> Span:
    return Span(duration_ms, cpu_ms, layouts, layouts)


def samples(scenario: str, run: int = 0, **values: float) -> list[Sample]:
    return [Sample(metric, scenario, run, value) for metric, value in values.items()]


def window(
    duration_s: float = 2.0,
    *,
    tasks_ms: Sequence[float] = (),
    script: tuple[str, float] | None = None,
    layout_ms: float = 0,
    frames_s: Sequence[tuple[float, float | None]] = (),
    dirty: int = 3,
    arrivals: Sequence[tuple[float, int]] = (),
    gpu_task_ms: float = 0,
) -> Window:
    """From BEGIN_S; all times count from there.

    Tasks come one after the other at the end; `script` is (address, ms) of a function in a task of
    its own, `layout_ms` a layout in one. Frames are (committed, presented or None if out of sight)
    and take 1 ms of CPU, with `dirty` objects. `arrivals` are (moment, bytes) of a fetch.
    """
    events = [_x("RunTask", 0, 0.01, 0.01)]
    for number, (committed, presented) in enumerate(frames_s):
        events += _frame(number, committed, presented, dirty)
    at = duration_s - sum(tasks_ms) / 1000 - 0.001
    for ms in tasks_ms:
        events.append(_x("RunTask", at, ms, ms))
        at += ms / 1000
    if script is not None:
        url, ms = script
        call = {"data": {"url": url, "lineNumber": 7, "columnNumber": 3, "functionName": "render"}}
        events += [_x("RunTask", 0.001, ms, ms), _x("FunctionCall", 0.001, ms, ms, **call)]
    if layout_ms:
        events += [
            _x("RunTask", 0.3, layout_ms, layout_ms),
            _x("Layout", 0.3, layout_ms, layout_ms),
        ]
    events += [
        _i("ResourceReceivedData", at, data={"requestId": "1", "encodedDataLength": size})
        for at, size in arrivals
    ]
    if gpu_task_ms:
        events += _gpu(gpu_task_ms)
    mark = {**_i("begin", 0), "cat": "blink.user_timing"}
    return Trace([*events, mark]).between("begin", BEGIN_S, BEGIN_S + duration_s)


def _frame(number: int, committed: float, presented: float | None, dirty: int) -> list[Event]:
    objects = {"dirtyObjects": dirty, "totalObjects": 99}
    made = [
        _x("RunTask", committed - 0.001, 1.5, 1),
        _i("BeginMainThreadFrame", committed - 0.0009, layerTreeId=1),
        _x("Layout", committed - 0.0008, 0.1, 0.1, beginData=objects),
        _x("Commit", committed - 0.0001, 0.1, 0.1, layerTreeId=1, frameSeqId=number),
    ]
    if presented is None:
        return made
    report = {"frame_sequence": number, "state": "STATE_PRESENTED_ALL"}
    base = {"name": "PipelineReporter", "pid": _RENDERER, "tid": _COMPOSITOR}
    base["id2"] = {"local": hex(number)}
    begin = {**base, "ph": "b", "ts": _us(committed - 0.001), "args": {"frame_reporter": report}}
    return [*made, begin, {**base, "ph": "e", "ts": _us(presented), "args": {}}]


def _gpu(task_ms: float) -> list[Event]:
    place = {"pid": _GPU, "tid": _GPU}
    names = (("process_name", "GPU Process"), ("thread_name", "CrGpuMain"))
    return [
        *({"ph": "M", "name": key, "args": {"name": name}, **place} for key, name in names),
        {**_x("RunTask", 0.1, task_ms, task_ms), **place},
    ]


def _x(name: str, at: float, ms: float, cpu_ms: float, **args: Any) -> Event:
    timed = {"ts": _us(at), "dur": ms * 1000, "tdur": cpu_ms * 1000}
    return {"ph": "X", "name": name, "pid": _RENDERER, "tid": _MAIN, "args": args, **timed}


def _i(name: str, at: float, **args: Any) -> Event:
    place = {"pid": _RENDERER, "tid": _MAIN}
    return {"ph": "I", "name": name, "ts": _us(at), "args": args, **place}


def _us(at: float) -> float:
    return (BEGIN_S + at) * 1e6
