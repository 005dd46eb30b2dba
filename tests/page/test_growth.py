"""Law 1: no work of the token path grows with the answer or the conversation.

Counted, not timed: layout objects made dirty and elements restyled for each update,
onto a short answer, a long one, and one below a long conversation. And what is kept of
an answer beside the document is its text.
"""

from pathlib import Path
from statistics import median

import pytest
from playwright.async_api import BrowserContext, CDPSession

from harness import scripts
from harness.chatpage import ChatPage
from harness.serving import Serve
from harness.tracing import dirty_objects, restyled_elements, traced
from pageside.audit import text

pytestmark = pytest.mark.anyio

MEASURED = scripts.words(60, delay_ms=30)


async def work(chat: ChatPage, before: int) -> tuple[float, float]:
    """Median dirty objects and restyled elements an update, onto `before` tokens."""
    answer = await chat.send("go")
    length = len(scripts.words_shown(before))
    while len(await chat.text(answer)) < length:
        await chat.page.wait_for_timeout(20)
    async with traced(chat.page) as events:
        assert await chat.ended(answer) == "done"
    layouts = dirty_objects(events)
    assert len(layouts) >= len(MEASURED) / 2, "each update is a layout of its own"
    return median(layouts), median(restyled_elements(events) or [0])


async def test_an_update_touches_as_little_at_the_end_as_at_the_beginning(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    lengths = [100, 20_000]
    answers = [[*scripts.words(length), {"stall_ms": 500}, *MEASURED] for length in lengths]
    chat = await ChatPage.open(
        context, serve(script=scripts.write(tmp_path, *answers)), probe=False
    )
    short, long = [await work(chat, length) for length in lengths]
    assert long[0] <= short[0] + 3, (short, long)
    print("WORK", short, long)
    assert long[1] <= short[1] + 3, (short, long)


async def test_an_update_touches_as_little_below_a_long_conversation(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    answer = [*scripts.words(100), {"stall_ms": 500}, *MEASURED]
    short_answers = [scripts.words(30)] * 60
    script = scripts.write(tmp_path, answer, *short_answers, answer)
    chat = await ChatPage.open(context, serve(script=script), probe=False)
    alone = await work(chat, 100)
    for _ in short_answers:
        assert await chat.ended(await chat.send("go")) == "done"
    below = await work(chat, 100)
    assert below[0] <= alone[0] + 3, (alone, below)
    assert below[1] <= alone[1] + 3, (alone, below)


async def heap_bytes(chat: ChatPage, session: CDPSession, last: int) -> int:
    """What scripts hold once this word is shown."""
    is_shown = "(word) => document.querySelector('#transcript').textContent.includes(word)"
    while not await chat.page.evaluate(is_shown, f"w{last}"):
        await chat.page.wait_for_timeout(50)
    for _ in range(2):  # what the first lets go of, the second collects
        await session.send("HeapProfiler.collectGarbage")
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return next(int(each["value"]) for each in metrics if each["name"] == "JSHeapUsedSize")


@pytest.mark.parametrize(("block", "most"), [("prose", 15), ("lists", 15), ("tables", 45)])
async def test_of_finished_blocks_nothing_is_kept_beside_the_document(
    context: BrowserContext, serve: Serve, tmp_path: Path, block: text.Block, most: int
) -> None:
    """Bytes a token beyond the text. The first half is for the code that is compiled: 400 kB,
    whatever the length. Of a table's cells V8 keeps the wrappers, about 30 bytes each."""
    half = 15_000
    pieces = text.tokens(2 * half, block)
    pause: scripts.Event = {"stall_ms": 10_000}
    script = [*scripts.tokens(pieces[:half]), pause, *scripts.tokens(pieces[half:]), pause]
    chat = await ChatPage.open(context, serve(script=scripts.write(tmp_path, script)), probe=False)
    session = await context.new_cdp_session(chat.page)
    await session.send("Performance.enable")
    await chat.send("go")
    before, after = [await heap_bytes(chat, session, last) for last in (half - 1, 2 * half - 1)]
    length = len("".join(pieces[half:]))
    grown = (after - before - length) / half
    print("HEAP", block, f"{grown:.1f} bytes a token beyond the text")
    assert grown < most
