"""The measured windows of a take: by the counters, by the trace, by the probe."""

import asyncio
import time

from pageside.audit import probe
from pageside.audit.acts import SHOW_S, act
from pageside.audit.answer import ANSWER
from pageside.audit.clock import page_clock
from pageside.audit.counters import Counters, between
from pageside.audit.errors import AnswerNotFound
from pageside.audit.lateness import load_average, watching
from pageside.audit.stage import Stage
from pageside.audit.take import Take, text_count
from pageside.audit.target import Target
from pageside.audit.throttle import loop_ms, throttle
from pageside.audit.trace import mark, record
from pageside.audit.waiting import until

LOCATE_PATIENCE_S = 12.0
FILL_PATIENCE_S = 20.0
FINISH_PATIENCE_S = 10.0
CONTROL_S = 2.0
# What an evidence take's window has before the first token is known to be there, and at its end.
LEAD_S = 0.25
# From the first measured token of a part to its window: the start after a pause is over.
RAMP_S = 0.4

_MARK = "pageside-audit"


async def measure(stage: Stage, target: Target, take: Take) -> None:
    async with watching() as lateness:
        match take.kind:
            case "cost":
                await _measure_cost(stage, target, take)
            case "counters":
                await _count(await Counters.of(target.page), stage, target, take)
            case "evidence":
                await _measure_evidence(stage, target, take)
    take.lateness_p95_ms = lateness.p95_ms
    take.load_average = load_average()


async def _measure_cost(stage: Stage, target: Target, take: Take) -> None:
    page, scenario = target.page, take.scenario
    counters = await Counters.of(page)
    before = await counters.collected()
    if scenario.is_firehose:
        await _rest(counters, take)
    else:
        await _count(counters, stage, target, take)
    async with record(page) as recording:
        await mark(page, _MARK)
        first = await counters.read()
        began = time.monotonic()
        await _begin(stage, target, take, part=-1)
        if scenario.is_firehose:
            take.finished = await _finish(stage, target, take, part=-1)
            take.stream_span = between(first, await counters.read())
        else:
            await asyncio.sleep(RAMP_S)
            began = time.monotonic()
            await asyncio.sleep(scenario.seconds)
        ended = time.monotonic()
    if not scenario.is_firehose:
        take.finished = await _finish(stage, target, take, part=-1)
    after = await counters.collected()
    take.grown = (after.nodes - before.nodes, after.heap_bytes - before.heap_bytes)
    take.trace_json = recording.content
    take.stream = recording.trace.between(_MARK, began, ended)


async def _count(counters: Counters, stage: Stage, target: Target, take: Take) -> None:
    """The first part, by the counters."""
    await _rest(counters, take)
    await _begin(stage, target, take, part=0)
    await asyncio.sleep(RAMP_S)
    first = await counters.read()
    await asyncio.sleep(take.scenario.seconds)
    take.stream_span = between(first, await counters.read())
    take.finished = await _finish(stage, target, take, part=0)


async def _rest(counters: Counters, take: Take) -> None:
    """The idle control."""
    take.own_ms = await counters.own_ms()
    first = await counters.read()
    await asyncio.sleep(CONTROL_S)
    take.idle_span = between(first, await counters.read())


async def _measure_evidence(stage: Stage, target: Target, take: Take) -> None:
    page, scenario = target.page, take.scenario
    clock = await page_clock(page)
    take.clock_uncertainty_s = clock.uncertainty_s
    take.loop_ms = await loop_ms(page)
    if stage.throttle > 1:
        take.asked_throttle = stage.throttle
        await throttle(page, stage.throttle)
        take.throttled = (await loop_ms(page)) / take.loop_ms
    await probe.begin(page)
    async with record(page, detail=True) as recording:
        await mark(page, _MARK)
        await _begin(stage, target, take, part=0)
        first_at = time.monotonic()
        began = first_at - LEAD_S
        await act(target, take)
        await asyncio.sleep(max(0.0, first_at + scenario.seconds - time.monotonic()))
        if scenario.action != "stop":
            take.finished = await _finish(stage, target, take, part=0)
        await asyncio.sleep(LEAD_S)  # the frame that shows the last change
        ended = time.monotonic()
    take.evidence = await probe.end(page, clock)
    take.trace_json = recording.content
    take.stream = recording.trace.between(_MARK, began, ended)
    if (shown := take.moments.get("show")) is not None:
        take.shown = recording.trace.between(_MARK, shown, shown + SHOW_S)


async def _begin(stage: Stage, target: Target, take: Take, part: int) -> None:
    """Opens the part's gate, and returns when its first token has been emitted."""
    delivery = stage.feed.delivery()
    if delivery is None:
        await target.wait_for_word(take.words_before(part), FILL_PATIENCE_S)
        return
    written = len(delivery.sent)
    stage.feed.proceed()
    await until(
        lambda: len(delivery.sent) > written or delivery.end is not None, FILL_PATIENCE_S, 0.005
    )


async def _finish(stage: Stage, target: Target, take: Take, part: int) -> bool:
    """Whether the page has shown the part's last word, after the upstream has written it."""
    delivery = stage.feed.delivery()
    parts = take.parts if part == -1 else take.parts[: part + 1]
    last = take.first + sum(map(text_count, parts)) - 1
    if delivery is not None:
        events = len(take.written_before) + last - take.first + 1
        await until(lambda: delivery.tokens >= events or delivery.end is not None, FILL_PATIENCE_S)
    if take.held_back and not await _is_there(target):
        return False
    return await target.wait_for_word(last, FINISH_PATIENCE_S)


async def _is_there(target: Target) -> bool:
    """Whether an answer that was held back has come by now."""
    try:
        await target.locate_answer(ANSWER, FINISH_PATIENCE_S)
    except AnswerNotFound:
        return False
    return True
