"""From what a take recorded to figures, a timeline and a cost."""

from bisect import bisect_left

from pageside.audit.feed import scheduled_s
from pageside.audit.metrics import arrival, cpu, lag, response, slots, throttle, work
from pageside.audit.metrics.robust import percentile
from pageside.audit.result import Cost, Sample, Timeline
from pageside.audit.take import Take
from pageside.audit.trace import Window

Values = dict[str, float | None]

# The upstream may write on until it hears of a Stop.
STOP_GRACE_S = 1.0
_LONG_TASK_MS = 50.0


def samples(take: Take) -> list[Sample]:
    """Every figure of the take that has something to measure."""
    values: Values = {}
    if not (take.held_back and take.kind != "evidence"):
        values["words_missing"] = float(words_missing(take))
    if take.kind == "evidence":
        values |= _evidence_values(take)
    else:
        values |= _cost_values(take)
    name = take.scenario.name
    return [
        Sample(metric, name, take.run, value)
        for metric, value in values.items()
        if value is not None
    ]


def words_missing(take: Take) -> int:
    """Words that were sent and are not on the page in their place; after a Stop, words out of
    order: the answer then ends anywhere."""
    if take.held_back and _shows_only_after_stop(take):
        return take.first + 1
    expected = take.last + 1
    if take.scenario.action == "stop":
        # At least what was there before, and something of what came before the click.
        expected = max(len(take.words), take.first + 1)
    in_order = 0
    for word in take.words:
        in_order += word == in_order
    # A word too many, such as one shown twice, is out of place as well.
    return max(expected, len(take.words)) - min(in_order, expected)


def _shows_only_after_stop(take: Take) -> bool:
    stopped = take.moments.get("stop")
    if stopped is None or take.evidence is None:
        return False
    return all(at > stopped for at, _ in take.evidence.paints)


def _cost_values(take: Take) -> Values:
    stream, idle = take.stream_span, take.idle_span
    if stream is None or idle is None:
        return {}
    scenario = take.scenario
    sent = take.count if scenario.is_firehose else scenario.rate * stream.duration_ms / 1000
    values: Values = {
        **(_traced_values(take, take.stream) if take.stream else {}),
        "cpu_ms_per_token": cpu.cpu_ms_per_token(stream, idle, sent),
        "cpu_ms_per_update": cpu.cpu_ms_per_update(stream, idle),
        "layouts_per_token": stream.layouts / sent,
    }
    values |= {f"busy_share_{k}x": 100 * k * stream.cpu_share for k in throttle.FACTORS}
    if take.grown is not None:
        nodes, heap_bytes = take.grown
        values["nodes_per_1000_tokens"] = 1000 * nodes / take.count
        values["heap_kb_per_1000_tokens"] = heap_bytes / take.count
    return values


def _traced_values(take: Take, window: Window) -> Values:
    tokens = round(take.scenario.rate * window.duration_ms / 1000)
    return {
        **work.of_window(window, tokens),
        **throttle.of_window(window),
        **slots.of_window(window),
    }


def _evidence_values(take: Take) -> Values:
    if take.stream is None or take.evidence is None:
        return {}
    values: Values = {}
    if "cost" not in take.scenario.kinds:  # which has them without probe and profiler
        values = {**throttle.of_window(take.stream), **slots.of_window(take.stream)}
    frames = take.evidence.long_frames
    values["long_frames"] = float(len(frames))
    values["long_frames_blocking_ms"] = sum(frame["blocking"] for frame in frames)
    action = take.scenario.action
    if action == "stop":
        return values | _stop_values(take)
    if action == "hide":
        return _shown_values(take)
    values |= lag.of_record(emitted_s(take), painted(take))
    values |= _arrival_values(take, take.stream)
    if action == "type":
        waits = [ms for name, _, ms in take.evidence.inputs if name == "keydown"]
        values["input_to_next_frame_ms"] = percentile(waits, 98)
    return values


def _stop_values(take: Take) -> Values:
    assert take.evidence is not None
    stopped = take.moments.get("stop")
    if stopped is None:
        return {}
    values: Values = {
        "stop_to_last_mutation_ms": response.stop_to_last_mutation_ms(
            stopped, [take.evidence.last_change_s]
        )
    }
    if (delivery := take.delivery) is not None:
        values["tokens_after_stop"] = float(
            sum(sent.count for sent in delivery.sent if sent.written_at > stopped + STOP_GRACE_S)
        )
        if delivery.left_at is not None:
            values["stop_to_disconnect_ms"] = max(0.0, 1000 * (delivery.left_at - stopped))
    return values


def _shown_values(take: Take) -> Values:
    shown = take.shown
    if shown is None:
        return {}
    return {
        "shown_longest_task_cpu_ms": throttle.longest_task_cpu_ms(shown, 1),
        "shown_tbt_4x_ms": throttle.tbt_ms(shown, 4),
    }


def _arrival_values(take: Take, window: Window) -> Values:
    """Only of what came from the network while tokens were being written."""
    emitted = take.emitted_s
    if take.delivery is None or not emitted:
        return {}
    until = emitted[-1] + 10
    chunks = [
        (a.at_s, float(a.size_bytes)) for a in window.arrivals if emitted[0] <= a.at_s < until
    ]
    written = [(at, 1.0) for at in emitted]
    return {
        "longest_producer_gap_ms": arrival.longest_gap_ms(written, emitted[0]),
        "sent_after_gap_percent": arrival.after_gap_percent(written, emitted[0]),
        "longest_arrival_gap_ms": arrival.longest_gap_ms(chunks, emitted[0]) if chunks else None,
        "arrived_after_gap_percent": arrival.after_gap_percent(chunks, emitted[0]),
    }


def emitted_s(take: Take) -> list[float]:
    """When each measured token was emitted, as the upstream tells it, else by the schedule."""
    if take.emitted_s:
        return take.emitted_s
    paints = painted(take)
    emitted = scheduled_s(take.parts[0], paints)
    if take.scenario.action == "stop":
        # The script did not go on: at least what was painted had been emitted.
        emitted = emitted[: max((count for _, count in paints), default=0)]
    return emitted


def painted(take: Take) -> list[tuple[float, int]]:
    """(when a frame showed it, measured tokens on the page): each change of the document is
    shown by the first frame committed after it."""
    if take.evidence is None or take.stream is None:
        return []
    begin_s = take.stream.begin_s
    committed = [begin_s + update.committed_ms / 1000 for update in take.stream.updates]
    shown = [
        begin_s + (u.committed_ms if u.presented_ms is None else u.presented_ms) / 1000
        for u in take.stream.updates
    ]
    paints = []
    for changed_s, word in take.evidence.paints:
        frame = bisect_left(committed, changed_s)
        if frame < len(shown):
            paints.append((shown[frame], max(0, word - take.first + 1)))
    return paints


def timeline(take: Take) -> Timeline | None:
    """Of an evidence take."""
    window = take.stream
    if window is None or take.evidence is None:
        return None

    def ms(at_s: float) -> float:
        return (at_s - window.begin_s) * 1000

    emitted = emitted_s(take)
    paints = painted(take)
    lags = lag.lags_ms(emitted, paints)
    return Timeline(
        scenario=take.scenario.name,
        duration_ms=window.duration_ms,
        emitted=tuple((ms(at), count) for count, at in enumerate(emitted, 1)),
        painted=tuple((ms(at), count) for at, count in paints),
        missed=tuple(
            update.requested_ms + (slot + 1) * window.slot_ms
            for update in window.updates
            for slot in range(update.missed_slots)
        ),
        lags=tuple(
            (ms(at), waited) for at, waited in zip(emitted, lags, strict=True) if waited is not None
        ),
        tasks=tuple(
            (task.start_ms, task.cpu_ms) for task in window.tasks if task.cpu_ms >= _LONG_TASK_MS
        ),
        events=tuple((ms(at), name) for name, at in take.moments.items()),
    )


def cost(take: Take) -> Cost | None:
    """Of a cost take. The counters tell how much; the trace, which itself costs something, how it
    is divided."""
    if take.stream_span is None or take.idle_span is None or take.stream is None:
        return None
    per_update = cpu.cpu_ms_per_update(take.stream_span, take.idle_span)
    total = sum(take.stream.stages.values())
    if per_update is None or not total:
        return None
    stages = {stage: per_update * ms / total for stage, ms in take.stream.stages.items()}
    return Cost(
        scenario=take.scenario.name,
        length_tokens=take.scenario.before,
        history_messages=take.scenario.history,
        cpu_ms_per_update=per_update,
        stages=stages,
    )
