"""Law 1: no work of the token path grows with the answer or the conversation.

Counted, not timed: layout objects made dirty and elements restyled for each update,
onto a short answer, a long one, and one below a long conversation.
"""

from pathlib import Path
from statistics import median

import pytest
from playwright.async_api import BrowserContext

from harness import scripts
from harness.chatpage import ChatPage
from harness.serving import Serve
from harness.tracing import dirty_objects, restyled_elements, traced

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
