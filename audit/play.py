"""One scenario, played once on a fresh tab.

    open │ earlier messages │ fill │ settle │ idle control │ part 1 │ all painted │ part 2
    cost                                      counters       counters               trace
    evidence                                  –              probe, profiler
    counters                                  counters       counters

A "cost" take has nothing of ours in the page: its CPU figures come from the browser's counters,
and the shape of the work from a trace without a probe. `windows` measures the right half.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from pageside.audit import probe
from pageside.audit.answer import ANSWER, EARLIER_END, before, earlier, parts
from pageside.audit.errors import AnswerNotFound, PageLost
from pageside.audit.scenarios import Kind, Scenario
from pageside.audit.stage import Stage
from pageside.audit.take import Take
from pageside.audit.target import Target
from pageside.audit.text import tokens, words_in
from pageside.audit.waiting import until_asked
from pageside.audit.windows import CONTROL_S, FILL_PATIENCE_S, LOCATE_PATIENCE_S, measure
from pageside.server.script import Event

SETTLE_S = 0.7
TAKE_PATIENCE_S = 120.0
# Beyond FILL_PATIENCE_S, a second for so many tokens that are on the page before.
FILL_RATE = 1000
CLOSE_PATIENCE_S = 5.0


async def play_within(stage: Stage, scenario: Scenario, kind: Kind, run: int) -> Take:
    """`play`, and PageLost where the page's thread is blocked for good: nothing that runs in the
    page has a time limit of its own."""
    patience_s = TAKE_PATIENCE_S + take_s(scenario)
    try:
        async with asyncio.timeout(patience_s):
            return await play(stage, scenario, kind, run)
    except TimeoutError as error:
        raise PageLost(
            f"{stage.url} did not come to an end of {scenario.name} in {patience_s:.0f} s",
            hint="its main thread may be blocked: look at it in a browser",
        ) from error


def take_s(scenario: Scenario) -> float:
    """What a take may take on a page that keeps up but slowly."""
    return 4 * scenario.seconds + scenario.before / FILL_RATE + scenario.history


async def play(stage: Stage, scenario: Scenario, kind: Kind, run: int) -> Take:
    """AuditError if the page cannot be used; a page that is merely slow gives a take that says
    so (`held_back`, `finished`)."""
    take = Take(scenario, kind, run)
    texts = tokens(scenario.before + take.count, scenario.block)
    take.parts = list(parts(scenario, texts[scenario.before :]))
    take.written_before = before(texts[: scenario.before])
    await stage.feed.play(_whole(stage, take), earlier(scenario))
    async with _opened(stage, kind) as target:
        take.title = await target.page.title()  # pages put the prompt into it
        await _say_earlier(stage, target, scenario)
        await target.send(_prompt(stage))
        take.held_back = not (await _locate(stage, target) and await _is_filled(target, take))
        if take.held_back and kind != "evidence":
            return take
        await asyncio.sleep(SETTLE_S)
        await measure(stage, target, take)
        if take.held_back and not await _locate(stage, target):
            raise _unreadable(stage)
        text = await target.answer_text()
        if await target.answer_is_visible():
            take.words = words_in(text)
        else:
            take.notes.append("The answer is on the page, and nobody can see it.")
        take.notes += target.notes
        take.delivery = stage.feed.delivery()
        take.emitted_s = stage.feed.emitted_s(len(take.written_before)) or []
    return take


async def _locate(stage: Stage, target: Target) -> bool:
    """Whether the answer is on the page. It is not where something between the upstream and the
    page holds back what has been written; where nothing was asked for, AnswerNotFound."""
    try:
        await target.locate_answer(ANSWER, LOCATE_PATIENCE_S)
    except AnswerNotFound as error:
        if stage.feed.delivery() is None:
            raise _unasked(stage) from error
        return False
    return True


async def _is_filled(target: Target, take: Take) -> bool:
    patience_s = FILL_PATIENCE_S + take.first / FILL_RATE
    return await target.wait_for_word(take.first - 1, patience_s)


def _unreadable(stage: Stage) -> AnswerNotFound:
    return AnswerNotFound(
        f"{stage.url} got the answer it asked for, and its text is in no element that can be read",
        hint="frames, closed shadow roots and canvases cannot be audited",
    )


def _unasked(stage: Stage) -> AnswerNotFound:
    where = stage.feed.address
    asked = f"nobody asked the upstream at {where}" if where else "no answer came"
    return AnswerNotFound(
        f"a prompt was sent on {stage.url}, and in {LOCATE_PATIENCE_S:.0f} s {asked}",
        hint=f"point the page's backend at {where}/v1 (OpenAI) or {where} (Ollama, llama.cpp)"
        if where
        else "see in a browser whether the page answers with the scripted engine",
    )


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


def _whole(stage: Stage, take: Take) -> list[Event]:
    """The answer: each measured part stands behind a gate."""
    expected_ms = (SETTLE_S + CONTROL_S + 1.5) * 1000 + take.first / 10
    events = list(take.written_before)
    for part in take.parts:
        events += [stage.feed.gate(expected_ms), *part]
    return events


def _prompt(stage: Stage) -> str:
    return f"Audit {stage.marker}: go on."


async def _say_earlier(stage: Stage, target: Target, scenario: Scenario) -> None:
    for _ in range(scenario.history // 2):
        await target.send(_prompt(stage))
        await target.locate_answer(ANSWER)
        await _answered(target)


async def _answered(target: Target) -> None:
    """An earlier answer, which comes at once, is on the page whole."""

    async def is_there() -> bool:
        return EARLIER_END in await target.answer_text()

    if not await until_asked(is_there, FILL_PATIENCE_S):
        raise AnswerNotFound(
            "an earlier message's answer did not appear whole",
            hint="name the answer's element in a recipe",
        )
