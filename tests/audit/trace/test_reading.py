"""The arithmetic of a trace, on made-up ones: nesting, missing figures, borders, order."""

import json
import random
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pageside.audit.errors import TraceInvalid
from pageside.audit.trace import STAGES, Trace, Update, Window

Event = dict[str, Any]

PID, MAIN, COMPOSITOR = 10, 10, 11
SLOT = 16_667
TREE = 2


def span(name: str, ts: float, dur: float, cpu: float | None = None, **args: Any) -> Event:
    event = {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": PID, "tid": MAIN, "args": args}
    return event if cpu is None else {**event, "tdur": cpu}


def moment(name: str, ts: float, tid: int = MAIN, **args: Any) -> Event:
    return {"ph": "I", "name": name, "ts": ts, "pid": PID, "tid": tid, "args": args}


def mark(name: str, ts: float) -> Event:
    return {**moment(name, ts), "cat": "blink.user_timing"}


def ticks(count: int) -> list[Event]:
    return [
        moment("BeginFrame", n * SLOT, COMPOSITOR, layerTreeId=TREE, frameSeqId=n)
        for n in range(count)
    ]


def reporter(
    sequence: int, begin: float, sent: float | None, end: float, state: str, kind: str = ""
) -> list[Event]:
    base = {"pid": PID, "tid": COMPOSITOR, "id2": {"local": f"0x{sequence % 3}{kind}"}}
    report = {"frame_sequence": sequence, "state": state, "frame_type": kind}
    begins: list[Event] = [
        {
            **base,
            "ph": "b",
            "name": "PipelineReporter",
            "ts": begin,
            "args": {"frame_reporter": report},
        }
    ]
    if sent is not None:
        begins.append(
            {**base, "ph": "b", "name": "SendBeginMainFrameToCommit", "ts": sent, "args": {}}
        )
    return [*begins, {**base, "ph": "e", "name": "PipelineReporter", "ts": end, "args": {}}]


def main_frame(sequence: int, begin: float, end: float) -> list[Event]:
    """A task that makes a frame with a layout and ends with its commit."""
    return [
        span("RunTask", begin, end - begin, end - begin),
        moment("BeginMainThreadFrame", begin + 1, layerTreeId=TREE),
        span("Layout", begin + 2, 10, 10, beginData={"dirtyObjects": 3, "totalObjects": 9}),
        span("Commit", end - 20, 10, 10, layerTreeId=TREE, frameSeqId=sequence),
    ]


def window(events: Sequence[Event], begin: float = 0, end: float = 1e6) -> Window:
    marked = [*events, mark("a", begin), mark("z", end)]
    return Trace(marked).window("a", "z")


def only_update(events: Sequence[Event]) -> Update:
    (update,) = window([*ticks(20), *events]).updates
    return update


def test_a_task_inside_a_task_is_a_part_of_it() -> None:
    got = window(
        [
            span("RunTask", 1000, 9000, 8000),
            span("RunTask", 2000, 3000, 2500),
            span("FunctionCall", 2100, 1000, 900),
        ]
    )
    assert [(task.start_ms, task.wall_ms, task.cpu_ms) for task in got.tasks] == [(1, 9, 8)]
    assert got.cpu_ms == 8
    assert got.stages["script"] == pytest.approx(0.9)
    assert got.stages["other"] == pytest.approx(7.1)


def test_stages_are_exclusive_and_a_span_of_no_stage_belongs_to_the_one_around_it() -> None:
    got = window(
        [
            span("RunTask", 0, 10_000, 10_000),
            span("FunctionCall", 0, 8000, 8000),  # as early as its task
            span("V8.BytecodeBudgetInterrupt", 100, 500, 500),
            span("UpdateLayoutTree", 1000, 1000, 1000, elementCount=4),
            span("Layout", 2000, 3000, 2000, beginData={"dirtyObjects": 7, "totalObjects": 9}),
            span("V8.GC_SCAVENGER", 6000, 1000, 1000),
            span("Commit", 8000, 1500, 500),
        ]
    )
    assert {stage: ms for stage, ms in got.stages.items() if ms} == pytest.approx(
        {"script": 4, "style": 1, "layout": 2, "gc": 1, "composite": 0.5, "other": 1.5}
    )
    assert [(layout.dirty_objects, layout.total_objects) for layout in got.layouts] == [(7, 9)]
    assert [restyle.elements for restyle in got.restyles] == [4]


def test_what_the_trace_counts_for_itself_is_no_work_of_the_page() -> None:
    """The document's nodes, after "DOMStats" and up to what comes next, by the CPU clock."""

    def at(event: Event, cpu_clock: float) -> Event:
        return {**event, "tts": cpu_clock}

    got = window(
        [
            at(span("RunTask", 0, 10_000, 8000), 500),
            at(span("Layout", 1000, 1000, 1000), 1500),
            at(moment("DOMStats", 3000), 3500),
            moment("AnimationFrame", 3500),  # has no clock
            at(span("Paint", 5000, 2000, 1000), 5000),
            at(span("RunTask", 20_000, 3000, 2000), 9000),
            at(moment("DOMStats", 22_000), 10_000),
            at(span("RunTask", 30_000, 1000, 1000), 12_000),
        ]
    )
    assert [task.cpu_ms for task in got.tasks] == [6.5, 1, 1]
    stages = {stage: ms for stage, ms in got.stages.items() if ms}
    assert stages == pytest.approx({"layout": 1, "paint": 1, "other": 6.5})


def test_without_cpu_time_a_task_took_as_long_as_it_lasted() -> None:
    got = window([span("RunTask", 0, 4000), span("RunTask", 5000, 4000, 1000)])
    assert [task.cpu_ms for task in got.tasks] == [4, 1]


def test_without_cpu_time_a_span_inside_takes_no_more_than_is_left_of_its_task() -> None:
    got = window(
        [
            span("RunTask", 0, 20_000, 3000),
            span("Layout", 1000, 2000, 1000),
            span("FunctionCall", 4000, 15_000),
        ]
    )
    assert got.stages["layout"] == 1
    assert got.stages["script"] == 2
    assert got.stages["other"] == 0


def test_a_task_over_the_border_counts_for_its_share_inside() -> None:
    tasks = [span("RunTask", ts, 4000, 2000) for ts in (0, 10_000, 18_000, 40_000)]
    calls = [span("FunctionCall", ts, 4000, 2000) for ts in (0, 10_000, 18_000, 40_000)]
    got = window([*tasks, *calls], begin=1000, end=20_000)
    assert [(t.start_ms, t.wall_ms, t.cpu_ms) for t in got.tasks] == [
        (0, 3, 1.5),
        (9, 4, 2),
        (17, 2, 1),
    ]
    assert got.stages["script"] == pytest.approx(got.cpu_ms) == pytest.approx(4.5)


def test_what_lies_outside_the_marks_is_not_counted() -> None:
    layout = {"beginData": {"dirtyObjects": 1, "totalObjects": 1}}
    events = [span("Layout", ts, 10, 10, **layout) for ts in (999, 1000, 1999, 2000)]
    got = window([span("RunTask", 0, 5000, 5000), *events], begin=1000, end=2000)
    assert [item.start_ms for item in got.layouts] == [0, 0.999]


@st.composite
def nests(draw: st.DrawFn) -> list[Event]:
    """Tasks with spans in them, to any depth, some without CPU time."""
    events: list[Event] = []

    def fill(begin: int, end: int, cpu: int | None, depth: int) -> None:
        at = begin
        while depth and at < end and draw(st.booleans()):
            dur = draw(st.integers(0, end - at))
            most = dur if cpu is None else min(dur, cpu)
            own = draw(st.none() | st.integers(0, most))
            name = draw(st.sampled_from(["FunctionCall", "Layout", "MinorGC", "Odd", "RunTask"]))
            events.append(span(name, at, dur, own))
            fill(at, at + dur, own, depth - 1)
            at += dur + draw(st.integers(0, 3))
            if cpu is not None and own is not None:
                cpu -= own

    for start in range(0, draw(st.integers(1, 4)) * 1000, 1000):
        dur = draw(st.integers(1, 900))
        cpu = draw(st.none() | st.integers(0, dur))
        events.append(span("RunTask", start, dur, cpu))
        fill(start, start + dur, dur if cpu is None else cpu, 3)
    return events


@given(nests(), st.integers(0, 3000), st.integers(1, 3000), st.randoms())
def test_stages_add_up_however_spans_nest(
    events: list[Event], begin: int, length: int, order: random.Random
) -> None:
    order.shuffle(events)
    got = window(events, begin, begin + length)
    assert sum(got.stages.values()) == pytest.approx(got.cpu_ms, abs=1e-9)
    assert got.stages.keys() == set(STAGES)
    assert all(task.wall_ms <= got.duration_ms for task in got.tasks)
    for before, after in zip(got.tasks, got.tasks[1:], strict=False):
        assert before.start_ms + before.wall_ms <= after.start_ms + 1e-9


def test_an_update_in_its_slot_misses_none() -> None:
    update = only_update(
        [
            moment("RequestAnimationFrame", 2 * SLOT + 5000),
            *main_frame(3, 3 * SLOT + 500, 3 * SLOT + 9000),
            *reporter(3, 3 * SLOT, 3 * SLOT + 300, 3 * SLOT + 12_000, "STATE_PRESENTED_ALL"),
        ]
    )
    assert (update.missed_by_main, update.missed_by_presentation) == (0, 0)
    assert update.requested_ms == pytest.approx((2 * SLOT + 5000) / 1000)
    assert update.committed_ms == pytest.approx((3 * SLOT + 8990) / 1000)
    assert update.presented_ms == pytest.approx((3 * SLOT + 12_000) / 1000)


@pytest.mark.parametrize("slots", range(1, 6))
def test_slots_missed_while_the_main_thread_is_busy_are_its_own(slots: int) -> None:
    busy_until = (3 + slots) * SLOT + 1000
    update = only_update(
        [
            moment("RequestAnimationFrame", 2 * SLOT + 5000),
            span("RunTask", 2 * SLOT + 4000, busy_until - 2 * SLOT - 4000),
            *main_frame(3, busy_until, busy_until + 5000),
            *reporter(3, 3 * SLOT, 3 * SLOT + 300, busy_until + 7000, "STATE_PRESENTED_ALL"),
        ]
    )
    assert (update.missed_by_main, update.missed_by_presentation) == (slots, 0)
    assert update.missed_slots == slots


@pytest.mark.parametrize("slots", range(1, 6))
def test_slots_missed_after_the_commit_are_the_presentations(slots: int) -> None:
    shown = (4 + slots) * SLOT + 1000
    update = only_update(
        [
            moment("ScheduleStyleRecalculation", 2 * SLOT + 5000),
            *main_frame(3, 3 * SLOT + 500, 3 * SLOT + 5000),
            *reporter(3, 3 * SLOT, 3 * SLOT + 300, shown, "STATE_PRESENTED_ALL"),
        ]
    )
    assert (update.missed_by_main, update.missed_by_presentation) == (0, slots)


@pytest.mark.parametrize("slots", range(1, 6))
def test_slots_missed_before_the_compositor_asks_are_the_presentations(slots: int) -> None:
    sent = (3 + slots) * SLOT + 300
    update = only_update(
        [
            moment("InvalidateLayout", 2 * SLOT + 5000),
            *main_frame(3, sent + 200, sent + 4000),
            *reporter(3, sent - 300, sent, sent + 6000, "STATE_PRESENTED_ALL"),
        ]
    )
    assert (update.missed_by_main, update.missed_by_presentation) == (0, slots)


def test_a_spinners_frames_change_nothing() -> None:
    busy_until = 6 * SLOT + 1000
    late = [
        moment("RequestAnimationFrame", 2 * SLOT + 5000),
        *main_frame(3, busy_until, busy_until + 5000),
        *reporter(3, 3 * SLOT, 3 * SLOT + 300, busy_until + 7000, "STATE_PRESENTED_ALL"),
    ]
    partial = "STATE_PRESENTED_PARTIAL"
    spinner = [
        event
        for n in (3, 4, 5)
        for event in reporter(n, n * SLOT, None, n * SLOT + 9000, partial, "FORKED")
    ]
    plain = only_update(late)
    assert plain == only_update([*late, *spinner])
    assert plain.missed_slots == 3
    assert window([*ticks(20), *late, *spinner]).frames.partial == 3


def test_a_frame_that_changed_nothing_is_no_update_and_uses_up_its_request() -> None:
    nothing = [
        span("RunTask", 3 * SLOT, 2000, 2000),
        moment("RequestAnimationFrame", 2 * SLOT + 100),
        moment("BeginMainThreadFrame", 3 * SLOT + 1, layerTreeId=TREE),
        moment("RequestAnimationFrame", 3 * SLOT + 2),  # for the next one
    ]
    late = main_frame(9, 9 * SLOT + 500, 9 * SLOT + 900)
    commit = span("Commit", 3 * SLOT + 500, 10, 10, layerTreeId=TREE, frameSeqId=3)

    committed = only_update([*nothing, commit, *late])
    assert committed.requested_ms == pytest.approx((3 * SLOT + 510) / 1000)
    aborted = only_update([*nothing, *late])
    assert aborted.requested_ms == pytest.approx((3 * SLOT + 2) / 1000)


def test_an_animation_loop_asks_for_the_next_frame_from_the_commit_on() -> None:
    events: list[Event] = []
    for n in range(2, 12, 2):  # each frame takes a slot and a quarter
        begin, end = n * SLOT + 100, n * SLOT + 1.25 * SLOT
        events += main_frame(n, begin, end)
        events.append(moment("RequestAnimationFrame", begin + 5))
        events += reporter(n, n * SLOT, n * SLOT + 50, end + 1000, "STATE_PRESENTED_ALL")
    updates = window([*ticks(20), *events]).updates
    assert [update.missed_slots for update in updates[1:]] == [1, 1, 1, 1]


def test_a_menus_own_frames_are_not_the_pages() -> None:
    page = [*main_frame(3, 3 * SLOT, 3 * SLOT + 900), *main_frame(4, 4 * SLOT, 4 * SLOT + 900)]
    menu = span("Commit", 5 * SLOT, 10, 10, layerTreeId=TREE + 1, frameSeqId=5)
    assert len(window([*ticks(9), *page, menu]).updates) == 2


def test_the_cpu_time_of_updates_is_all_that_was_spent_until_then() -> None:
    events = [
        span("RunTask", 1000, 3000, 3000),
        *main_frame(1, SLOT, SLOT + 1000),
        span("RunTask", SLOT + 2000, 500, 500),
        *main_frame(2, 2 * SLOT, 2 * SLOT + 1000),
        span("RunTask", 2 * SLOT + 2000, 7000, 7000),
    ]
    got = window([*ticks(9), *events])
    assert [update.cpu_ms for update in got.updates] == pytest.approx([4, 1.5])


def test_the_gpu_process_is_read_from_its_main_thread() -> None:
    def named(kind: str, pid: int, tid: int, name: str) -> Event:
        return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}}

    gpu = [
        {**span("RunTask", ts, 4000, 1000), "pid": 50, "tid": tid}
        for ts, tid in ((0, 50), (10_000, 50), (20_000, 51))
    ]
    names = [
        named("process_name", 50, 0, "GPU Process"),
        named("thread_name", 50, 50, "CrGpuMain"),
        named("thread_name", 50, 51, "VizCompositorThread"),
        named("thread_name", PID, MAIN, "CrRendererMain"),
    ]
    got = window([span("RunTask", 0, 10), *gpu, *names], begin=2000, end=30_000).gpu
    assert (got.busy_wall_ms, got.busy_cpu_ms, got.longest_task_ms) == (6, 1.5, 4)


def test_arrivals_are_of_streams_and_of_the_page_only() -> None:
    def network(name: str, ts: float, request: str, tid: int = MAIN, **more: Any) -> Event:
        return moment(name, ts, tid, data={"requestId": request, **more})

    other = {**network("ResourceReceivedData", 500, "x"), "pid": 99}
    got = window(
        [
            span("RunTask", 0, 10),
            network("ResourceSendRequest", 1, "image", resourceType="Image"),
            network("ResourceReceivedData", 2, "image", encodedDataLength=9),
            network("ResourceSendRequest", 3, "fetch", resourceType="Other"),
            network("ResourceReceivedData", 700, "fetch", 77, encodedDataLength=5),
            network("ResourceReceivedData", 30, "older", encodedDataLength=4),
            moment("WebSocketReceive", 800, data={"identifier": 3, "dataLength": 6}),
            network("ResourceReceiveResponse", 20, "worker.js", 77),
            network("ResourceReceivedData", 40, "worker.js", 77, encodedDataLength=7),
            other,
        ]
    )
    assert [(round(a.at_s * 1e6), a.size_bytes, a.request) for a in got.arrivals] == [
        (30, 4, "older"),
        (700, 5, "fetch"),
        (800, 6, "3"),
    ]


def test_marks_may_repeat_the_last_begin_and_the_first_end_after_it_count() -> None:
    marks = [mark("a", 100), mark("z", 200), mark("a", 300), mark("z", 450), mark("z", 900)]
    got = Trace([span("RunTask", 0, 1000), *marks]).window("a", "z")
    assert (got.begin_s, got.end_s) == (300e-6, 450e-6)
    assert got.duration_ms == pytest.approx(0.15)


ELSEWHERE = {**mark("z", 500), "pid": PID + 1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b'{"traceEvents": [{"ph"', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"{}", "no list of events"),
        (b"3", "no list of events"),
        (b'{"traceEvents": []}', 'no mark "a"'),
        (b"[]", 'no mark "a"'),
        (b'[{"ph": "X", "pid": 1}]', "an event without"),
        (b"[4]", "an event"),
        (json.dumps([mark("a", 1), mark("z", 2)]).encode(), "no tasks"),
        (json.dumps([span("RunTask", 0, 9), mark("a", 1)]).encode(), 'no mark "z"'),
        (json.dumps([span("RunTask", 0, 9), mark("a", 3), mark("z", 1)]).encode(), "follows"),
        (json.dumps([span("RunTask", 0, 9), mark("a", 3), ELSEWHERE]).encode(), "follows"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_line(content: bytes, said: str) -> None:
    with pytest.raises(TraceInvalid, match=said) as refused:
        Trace.parse(content).window("a", "z")
    assert "\n" not in refused.value.message
    assert refused.value.hint


def test_a_window_with_tasks_and_nothing_else_is_empty_and_no_error() -> None:
    got = window([span("RunTask", 0, 10, 10)])
    assert got.updates == got.layouts == got.restyles == got.long_frames == got.counters == ()
    assert got.arrivals_s == got.blame() == ()
    assert got.gpu.busy_wall_ms == 0
    assert 16 < got.slot_ms < 17


def test_samples_blame_the_pages_innermost_function() -> None:
    def chunk(ts: float, nodes: list[Event], samples: list[int], deltas: list[int]) -> Event:
        data = {"cpuProfile": {"nodes": nodes, "samples": samples}, "timeDeltas": deltas}
        return {**moment("ProfileChunk", ts, 99, data=data), "ph": "P", "id": "0x1"}

    def node(number: int, parent: int, function: str, url: str = "", line: int = 0) -> Event:
        frame = {"functionName": function, "url": url, "lineNumber": line, "columnNumber": 4}
        return {"id": number, "parent": parent, "callFrame": frame}

    profile = {
        **moment("Profile", 0, data={"startTime": 1000}),
        "ph": "P",
        "id": "0x1",
    }
    workers = {**profile, "id": "0x2", "tid": 33}
    nodes = [
        node(1, 0, "(root)"),
        node(2, 1, "(idle)"),
        node(3, 1, "(program)"),
        node(4, 1, "render", "http://page/app.js", 10),
        node(5, 4, "parse", "http://page/app.js", 20),
        node(6, 5, "replace"),  # the browser's own, called by parse
        node(7, 1, "(garbage collector)"),
        node(8, 1, "evaluate", "pptr:injected", 1),
    ]
    events = [
        span("RunTask", 1000, 4000, 2000),  # on the CPU for half of it
        profile,
        workers,
        chunk(1500, nodes[:5], [4, 5], [500, 500]),
        chunk(3000, nodes[5:], [6, 3, 7, 8], [1000, 300, 300, 300]),
        chunk(9000, [], [4], [6000]),  # after the task
        {**chunk(1600, nodes, [4], [1000]), "id": "0x2"},
    ]
    first, second = window(events).blame()
    assert (first.function, first.line, first.column, first.cpu_ms) == ("parse", 21, 5, 0.75)
    assert (second.function, second.line, second.cpu_ms) == ("render", 11, 0.25)
    assert len(window(events).blame(1)) == 1


def test_fifty_thousand_events_are_read_without_going_over_them_again_and_again() -> None:
    events: list[Event] = []
    for n in range(0, 4000, 4):
        begin = n * SLOT
        for i in range(40):
            events.append(span("RunTask", begin + 300 * i, 200, 150))
        events += main_frame(n, begin + 13_000, begin + 15_000)
        events += reporter(n, begin, begin + 100, begin + 16_000, "STATE_PRESENTED_ALL")
        events += [moment("UpdateCounters", begin + 1, data={"nodes": 1, "jsHeapSizeUsed": 1})] * 2
    content = json.dumps([*events, *ticks(4000), mark("a", 0), mark("z", 4e9)])
    assert len(events) >= 49_000
    before = time.process_time()
    got = Trace.parse(content).window("a", "z")
    assert len(got.updates) == 1000
    assert len(got.tasks) == 41_000
    assert time.process_time() - before < 4, "1 s where nothing else runs"


WHOLE = [
    *ticks(9),
    moment("RequestAnimationFrame", 2 * SLOT),
    *main_frame(3, 3 * SLOT, 3 * SLOT + 5000),
    *reporter(3, 3 * SLOT, 3 * SLOT - 9, 4 * SLOT, "STATE_PRESENTED_ALL"),
    moment("ResourceReceivedData", 9, data={"requestId": "1", "encodedDataLength": 3}),
    moment("UpdateCounters", 9, data={"nodes": 1, "jsHeapSizeUsed": 2}),
    span("UpdateLayoutTree", 3 * SLOT + 50, 1, 1, elementCount=4),
    span("FunctionCall", 3 * SLOT + 60, 1, 1, data={"url": "http://a/"}),
    mark("a", 0),
    mark("z", 1e6),
]


@given(
    st.integers(0, len(WHOLE) - 1),
    st.sampled_from(["args", "ts", "dur", "tdur", "name", "ph", "pid", "tid", "id2", "cat"]),
    st.sampled_from([None, "__stripped__", {}]),
)
def test_an_event_that_is_not_whole_is_read_past_or_refused(
    index: int, key: str, instead: object
) -> None:
    broken = dict(WHOLE[index])
    if instead is None:
        broken.pop(key, None)
    elif key == "args":
        broken[key] = instead
    try:
        got = Trace([*WHOLE[:index], broken, *WHOLE[index + 1 :]]).window("a", "z")
    except TraceInvalid:
        return
    assert sum(got.stages.values()) == pytest.approx(got.cpu_ms)
    assert len(got.updates) <= 1
    assert len(got.arrivals) <= 1
    assert got.blame() is not None
    assert got.frames.presented <= 1
    assert len(got.counters) <= 1
    assert len(got.restyles) <= 1


def test_an_animation_that_nobody_asks_for_again_is_due_at_the_compositors_tick() -> None:
    late = main_frame(3, 3 * SLOT + 400, 3 * SLOT + 20_000)
    at_once = reporter(3, 3 * SLOT, 3 * SLOT + 300, 3 * SLOT + 22_000, "STATE_PRESENTED_ALL")
    assert only_update([*late, *at_once]).missed_by_main == 1
    sent_late = reporter(3, 3 * SLOT, 3 * SLOT + 9000, 3 * SLOT + 32_000, "STATE_PRESENTED_ALL")
    later = main_frame(3, 3 * SLOT + 9400, 3 * SLOT + 29_000)
    assert only_update([*later, *sent_late]).missed_slots == 0


def test_spans_that_begin_together_nest_by_their_length_in_any_order() -> None:
    events = [
        span("Layout", 100, 50, 50, beginData={"dirtyObjects": 1}),
        span("FunctionCall", 100, 80, 80),
        span("RunTask", 100, 100, 100),
    ]
    got = window(events)
    assert [got.stages[s] * 1000 for s in ("layout", "script", "other")] == [50, 30, 20]


def two_updates(*between: Event) -> tuple[Update, Update]:
    """One in slot 3 and one in slot 9, and what is between them."""
    first, second = window(
        [
            *ticks(20),
            moment("RequestAnimationFrame", 3 * SLOT - 500),
            *main_frame(3, 3 * SLOT + 500, 3 * SLOT + 5000),
            *reporter(3, 3 * SLOT, 3 * SLOT + 300, 3 * SLOT + 6000, "STATE_PRESENTED_ALL"),
            *between,
            *main_frame(9, 9 * SLOT + 500, 9 * SLOT + 5000),
        ]
    ).updates
    return first, second


def requested_in_slots(update: Update) -> float:
    return update.requested_ms * 1000 / SLOT


def test_the_first_of_many_requests_counts() -> None:
    asked = [moment("RequestAnimationFrame", n * SLOT) for n in (5, 6, 7)]
    assert requested_in_slots(two_updates(*asked)[1]) == pytest.approx(5)


def test_style_that_a_frame_changes_itself_asks_for_no_other() -> None:
    in_frame = moment("ScheduleStyleRecalculation", 3 * SLOT + 700)
    asked = moment("InvalidateLayout", 7 * SLOT)
    assert requested_in_slots(two_updates(in_frame, asked)[1]) == pytest.approx(7)


def test_style_that_changes_after_a_frame_without_a_commit_asks_for_the_next() -> None:
    without = [
        span("RunTask", 5 * SLOT, 100),
        moment("BeginMainThreadFrame", 5 * SLOT + 10, layerTreeId=TREE),
        span("RunTask", 6 * SLOT, 100),
        moment("ScheduleStyleRecalculation", 6 * SLOT + 10),
    ]
    assert requested_in_slots(two_updates(*without)[1]) == pytest.approx(6, abs=0.01)


def test_a_frame_that_nobody_is_seen_to_ask_for_begins_with_itself() -> None:
    assert requested_in_slots(two_updates()[1]) == pytest.approx(9, abs=0.1)


def test_a_commit_after_an_update_is_not_one_too() -> None:
    empty = [
        span("RunTask", 5 * SLOT, 900),
        moment("BeginMainThreadFrame", 5 * SLOT + 10, layerTreeId=TREE),
        span("Commit", 5 * SLOT + 400, 10, layerTreeId=TREE, frameSeqId=5),
    ]
    assert len(two_updates(*empty)) == 2


def test_a_spinners_part_of_the_same_frame_is_not_its_presentation() -> None:
    commit = 9 * SLOT + 5000
    forked = reporter(9, 9 * SLOT, None, commit + 90_000, "STATE_PRESENTED_PARTIAL", "FORKED")
    whole = reporter(9, 9 * SLOT, None, commit + 1000, "STATE_PRESENTED_ALL")
    shown = two_updates(*forked, *whole)[1].presented_ms
    assert shown == pytest.approx((commit + 1000) / 1000)
    assert two_updates(*forked)[1].presented_ms is None


def test_a_frame_that_was_dropped_was_not_presented() -> None:
    dropped = reporter(9, 9 * SLOT, None, 11 * SLOT, "STATE_DROPPED")
    assert two_updates(*dropped)[1].presented_ms is None


def test_ids_and_numbers_of_frames_are_used_again() -> None:
    end = 9 * SLOT + 6000
    presented = "STATE_PRESENTED_ALL"
    follows = reporter(12, end, None, end + SLOT, presented)  # the id of 9, from its very end
    earlier = reporter(9, 4 * SLOT, None, 5 * SLOT, presented)
    later = reporter(9, 14 * SLOT, None, 15 * SLOT, presented)
    own = reporter(9, 9 * SLOT, None, end, presented)
    shown = two_updates(*follows, *earlier, *later, *own)[1].presented_ms
    assert shown == pytest.approx(end / 1000)


def test_updates_count_where_they_are_committed() -> None:
    frames = [main_frame(n, n * SLOT + 500, n * SLOT + 5000) for n in (2, 3, 4)]
    events = [*ticks(9), *(event for frame in frames for event in frame)]
    assert len(window(events, 2 * SLOT + 6000, 4 * SLOT + 600).updates) == 1
