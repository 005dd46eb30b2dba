"""Trace windows made of tasks and frames of a given cost."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pageside.audit.trace import Trace, Window

SLOT_US = 16_667

Event = dict[str, Any]


def _event(ph: str, name: str, ts: float, tid: int = 1, **more: Any) -> Event:
    return {"ph": ph, "name": name, "ts": ts, "pid": 1, "tid": tid, **more}


def _frame(number: int, begin: float, cpu_us: float, dirty: int, elements: int) -> list[Event]:
    """A frame that starts with its refresh slot and is presented 1 ms after its commit."""
    end = begin + cpu_us
    report = {"frame_sequence": number, "state": "STATE_PRESENTED_ALL"}
    ids = {"id2": {"local": hex(number)}}
    started = begin // SLOT_US * SLOT_US
    return [
        _event("X", "RunTask", begin, dur=cpu_us, tdur=cpu_us),
        _event("I", "BeginMainThreadFrame", begin + 1, args={"layerTreeId": 1}),
        _event(
            "X",
            "UpdateLayoutTree",
            begin + 2,
            dur=1,
            tdur=1,
            args={"elementCount": elements},
        ),
        _event(
            "X",
            "Layout",
            begin + 4,
            dur=1,
            tdur=1,
            args={"beginData": {"dirtyObjects": dirty, "totalObjects": 99}},
        ),
        _event(
            "X",
            "Commit",
            end - 2,
            dur=1,
            tdur=1,
            args={"layerTreeId": 1, "frameSeqId": number},
        ),
        _event("b", "PipelineReporter", started, 2, args={"frame_reporter": report}, **ids),
        _event("b", "SendBeginMainFrameToCommit", started + 1, 2, **ids),
        _event("e", "PipelineReporter", end + 1000, 2, **ids),
    ]


@pytest.fixture
def make_window() -> Callable[..., Window]:
    def make_window(
        duration_ms: float,
        *,
        tasks_ms: Sequence[float] = (),
        frames_ms: Sequence[float] = (),
        dirty: Sequence[int] = (),
        elements: int = 0,
    ) -> Window:
        """Tasks of so much CPU time one after another, then frames, each in a slot of its own
        or in as many as it takes."""
        events = [
            _event("I", "BeginFrame", n * SLOT_US, 2, args={"layerTreeId": 1, "frameSeqId": n})
            for n in range(int(duration_ms * 1000 / SLOT_US) + 1)
        ]
        at = 1.0
        for cpu_ms in tasks_ms or [0.001]:
            events.append(_event("X", "RunTask", at, dur=cpu_ms * 1000, tdur=cpu_ms * 1000))
            at += cpu_ms * 1000
        slot = int(at // SLOT_US) + 1
        for index, cpu_ms in enumerate(frames_ms):
            laid_out = dirty[index] if dirty else 5
            events += _frame(slot, slot * SLOT_US + 100, cpu_ms * 1000, laid_out, elements)
            slot += int(cpu_ms * 1000 // SLOT_US) + 2
        cat = "blink.user_timing"
        marks = [
            _event("I", "a", 0, cat=cat),
            _event("I", "z", duration_ms * 1000, cat=cat),
        ]
        return Trace([*events, *marks]).window("a", "z")

    return make_window
