"""One scenario, played once on a fresh tab.

    open │ earlier messages │ fill │ settle │ idle control │ part 1 │ all painted │ part 2
    cost                                      counters       counters               trace
    evidence                                  –              probe, profiler

A "cost" take has nothing of ours in the page: its CPU figures come from the browser's counters,
and the shape of the work from a trace without a probe.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from playwright.async_api import BrowserContext

from pageside.audit import probe
from pageside.audit.clock import page_clock
from pageside.audit.counters import Counters, Span, between
from pageside.audit.errors import AnswerNotFound
from pageside.audit.feed import Feed
from pageside.audit.lateness import load_average, watching
from pageside.audit.pace import Delivery, steady
from pageside.audit.probe import Evidence
from pageside.audit.scenarios import Kind, Scenario
from pageside.audit.target import Recipe, Target
from pageside.audit.text import tokens, words_in
from pageside.audit.throttle import loop_ms, throttle
from pageside.audit.trace import Window, mark, record
from pageside.audit.waiting import until, until_asked
from pageside.server.script import Event

LOCATE_PATIENCE_S = 12.0
FILL_PATIENCE_S = 60.0
FINISH_PATIENCE_S = 10.0
SETTLE_S = 0.7
CONTROL_S = 2.0
# What an evidence take's window has before the first token is known to be there.
LEAD_S = 0.25
# From the first measured token of a part to its window: the start after a pause is over.
RAMP_S = 0.4
HIDDEN_S = 4.0
SHOW_S = 1.5
CLOSE_PATIENCE_S = 5.0
STOP_AFTER_S = 1.5
STOP_PATIENCE_S = 2.0

_FILL_TOKENS = 250
_EARLIER_TOKENS = 60

_MARK = "pageside-audit"

# What each answer begins with: a word that no page has by chance, and that is in no prompt.
ANSWER = "qzreplyqz"


@dataclass
class Take:
    """What one take recorded; times in monotonic seconds, words by their numbers.

    `idle_span` and `stream_span` are by the counters: nothing arriving, text arriving; `own_ms`
    is what the audit itself adds to a span. `stream` and `shown` are windows of the trace: text
    arriving, and the time after a hidden page was shown. `moments` are what the audit did:
    "stop", "hide", "show". `grown` are live nodes and heap bytes more than before. `words` are
    those of the answer on the page at the end. `loop_ms` is a fixed piece of JavaScript,
    `throttled` how many times longer it took under a throttle. `held_back`: what the upstream had
    written before the measured parts did not reach the page by itself.
    """

    scenario: Scenario
    kind: Kind
    run: int
    idle_span: Span | None = None
    stream_span: Span | None = None
    stream: Window | None = None
    shown: Window | None = None
    emitted_s: list[float] = field(default_factory=list)
    parts: list[list[Event]] = field(default_factory=list)
    evidence: Evidence | None = None
    moments: dict[str, float] = field(default_factory=dict)
    words: list[int] = field(default_factory=list)
    held_back: bool = False
    filled: bool = False
    finished: bool = False
    delivery: Delivery | None = None
    own_ms: float = 0.0
    grown: tuple[int, int] | None = None
    trace_json: bytes = b""
    lateness_p95_ms: float = 0.0
    load_average: float | None = None
    loop_ms: float = 0.0
    asked_throttle: float = 1.0
    throttled: float | None = None
    title: str = ""
    notes: list[str] = field(default_factory=list)
    clock_uncertainty_s: float = 0.0

    @property
    def first(self) -> int:
        """The number of the first measured word."""
        return self.scenario.before

    @property
    def count(self) -> int:
        return self.scenario.count(self.kind)

    def words_before(self, part: int) -> int:
        """The number of the part's first word."""
        parts = self.parts[:part] if part >= 0 else self.parts[:-1]
        return self.first + sum(map(_texts, parts))

    @property
    def last(self) -> int:
        return self.first + self.count - 1


@dataclass(frozen=True)
class Stage:
    """What every take of an audit is played on. `marker` is a word in each prompt, by which the
    feed knows it. `throttle` is how many times slower evidence takes run the page's thread.
    """

    context: BrowserContext
    url: str
    recipe: Recipe
    feed: Feed
    marker: str
    throttle: float = 1.0


async def play(stage: Stage, scenario: Scenario, kind: Kind, run: int) -> Take:
    """AuditError if the page cannot be used; a page that is merely slow gives a take that says
    so (`filled`, `finished`)."""
    take = Take(scenario, kind, run)
    texts = tokens(scenario.before + take.count, scenario.block)
    take.parts = _parts(take, texts[scenario.before :])
    answer = _answer(stage, take, texts[: scenario.before])
    await stage.feed.play(answer, _earlier(scenario))
    async with _opened(stage, kind) as target:
        await _say_earlier(stage, target, scenario)
        await target.send(_prompt(stage))
        take.held_back = not await _locate(stage, target)
        if take.held_back and kind != "evidence":
            return take
        if not take.held_back:
            take.filled = await target.wait_for_word(scenario.before - 1, FILL_PATIENCE_S)
        if take.filled or take.held_back:
            await asyncio.sleep(SETTLE_S)
            await _measure(stage, target, take)
        if not take.held_back or await _locate(stage, target):
            take.words = words_in(await target.answer_text())
        take.title = await target.page.title()
        take.notes += target.notes
        take.delivery = stage.feed.delivery()
        take.emitted_s = stage.feed.emitted_s(take.count) or []
    return take


async def _locate(stage: Stage, target: Target) -> bool:
    """Whether the answer is on the page. It is not where something between the upstream and the
    page holds back what has been written; where nothing was asked for, AnswerNotFound."""
    try:
        await target.locate_answer(ANSWER, LOCATE_PATIENCE_S)
    except AnswerNotFound:
        if stage.feed.delivery() is None:
            raise
        return False
    return True


@asynccontextmanager
async def _opened(stage: Stage, kind: Kind) -> AsyncIterator[Target]:
    script = probe.SCRIPT if kind == "evidence" else None
    target = await Target.open(stage.context, stage.url, stage.recipe, init_script=script)
    try:
        # Chromium lowers the priority of tabs that are not in front.
        await target.page.bring_to_front()
        await target.new_chat()
        yield target
    finally:
        # A page that has crashed never answers; its tab ends with the browser.
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_PATIENCE_S):
                await target.close()


def _prompt(stage: Stage) -> str:
    return f"Audit {stage.marker}: go on."


def _answer(stage: Stage, take: Take, before: list[str]) -> list[Event]:
    """The text that is there before, and the measured parts, each behind a gate."""
    fill = [
        Event("text", text="".join(before[i : i + _FILL_TOKENS]), ms=5)
        for i in range(0, len(before), _FILL_TOKENS)
    ]
    expected_ms = (SETTLE_S + CONTROL_S + 1.5) * 1000 + len(before) / 10
    events = [Event("text", text=f"{ANSWER}\n\n"), *fill]
    for part in take.parts:
        events += [stage.feed.gate(expected_ms), *part]
    return events


def _parts(take: Take, texts: list[str]) -> list[list[Event]]:
    scenario = take.scenario
    count = scenario.part_count
    return [
        steady(
            texts[i : i + count],
            scenario.rate,
            burst=scenario.burst,
            stall_every=scenario.stall_every,
            stall_ms=scenario.stall_ms,
        )
        for i in range(0, len(texts), count)
    ]


def _earlier(scenario: Scenario) -> list[list[Event]]:
    """Answers of earlier turns; their words do not count as words (audit/text.py)."""
    text = "".join(tokens(_EARLIER_TOKENS)).replace("w", "h")
    answer = [Event("text", text=f"{ANSWER}\n\n{text}")]
    return [answer] * (scenario.history // 2)


async def _say_earlier(stage: Stage, target: Target, scenario: Scenario) -> None:
    for _ in range(scenario.history // 2):
        await target.send(_prompt(stage))
        await target.locate_answer(ANSWER)
        await _answered(target)


async def _answered(target: Target) -> None:
    """An earlier answer, which comes at once, is on the page whole."""
    last = f"h{_EARLIER_TOKENS - 1}"

    async def is_there() -> bool:
        return last in await target.answer_text()

    if not await until_asked(is_there, FILL_PATIENCE_S):
        raise AnswerNotFound(
            "an earlier message's answer did not appear whole",
            hint="name the answer's element in a recipe",
        )


async def _measure(stage: Stage, target: Target, take: Take) -> None:
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
        await _act(target, take)
        await asyncio.sleep(max(0.0, first_at + scenario.seconds - time.monotonic()))
        if scenario.action != "stop":
            take.finished = await _finish(stage, target, take, part=0)
        ended = time.monotonic()
    take.evidence = await probe.end(page, clock)
    take.trace_json = recording.content
    take.stream = recording.trace.between(_MARK, began, ended)
    if (shown := take.moments.get("show")) is not None:
        take.shown = recording.trace.between(_MARK, shown, shown + SHOW_S)


async def _act(target: Target, take: Take) -> None:
    """What the person does in this scenario."""
    match take.scenario.action:
        case "type":
            if not await target.type_slowly("the user goes on typing", 100):
                take.notes.append("The prompt box takes no text while an answer streams.")
        case "scroll":
            await _scroll(target, take.scenario.seconds)
        case "stop":
            await asyncio.sleep(STOP_AFTER_S)
            await _press_stop(target, take)
        case "hide":
            await _hide(target, take)
        case "none":
            pass


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
    last = take.first + sum(map(_texts, parts)) - 1
    if delivery is not None:
        events = 1 + -(-take.first // _FILL_TOKENS) + last - take.first + 1
        await until(lambda: delivery.tokens >= events or delivery.end is not None, FILL_PATIENCE_S)
    if take.held_back and not await _locate(stage, target):
        return False
    return await target.wait_for_word(last, FINISH_PATIENCE_S)


def _texts(events: list[Event]) -> int:
    return sum(event.kind == "text" for event in events)


async def _press_stop(target: Target, take: Take) -> None:
    """A page whose thread is busy may be late to show its button."""

    async def is_there() -> bool:
        return await target.stop_box() is not None

    if await until_asked(is_there, STOP_PATIENCE_S):
        take.moments["stop"] = await target.press_stop()
    else:
        take.notes.append(
            "No Stop button was found while an answer streamed; a recipe can name it (stop = …)."
        )


async def _scroll(target: Target, seconds: float) -> None:
    ends = time.monotonic() + seconds
    dy = -400.0
    while time.monotonic() < ends:
        await target.scroll(dy)
        dy = -dy
        await asyncio.sleep(0.15)


async def _hide(target: Target, take: Take) -> None:
    await asyncio.sleep(1)
    take.moments["hide"] = time.monotonic()
    await target.hide()
    await asyncio.sleep(HIDDEN_S)
    take.moments["show"] = time.monotonic()
    await target.show()
    await asyncio.sleep(SHOW_S)
