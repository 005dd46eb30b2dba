"""What a person does while an answer streams: writes, scrolls, stops it, goes to another tab."""

import asyncio
import time

from pageside.audit.errors import StopNotPressed
from pageside.audit.take import Take
from pageside.audit.target import Target
from pageside.audit.waiting import until_asked

HIDDEN_S = 4.0
SHOW_S = 1.5
STOP_AFTER_S = 1.5
STOP_PATIENCE_S = 2.0
FROZEN_S = 8.0
"""Longer than all looks and clicks take on a page that answers."""


async def act(target: Target, take: Take) -> None:
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


async def _press_stop(target: Target, take: Take) -> None:
    """What else was measured of the page holds without it."""
    began = time.monotonic()
    try:
        take.moments["stop"] = await _pressed(target)
    except StopNotPressed as error:
        looked_s = time.monotonic() - began
        take.notes.append(f"Stop was not pressed: {error.message}; {error.hint}.")
        if looked_s > FROZEN_S:
            take.notes.append(
                f"The page held up the look for Stop for {looked_s:.0f} s: its main thread was "
                "busy. The longest task says how long; a person cannot press anything either."
            )


async def _pressed(target: Target) -> float:
    """A page whose thread is busy may be late to show its button."""

    async def is_there() -> bool:
        return await target.stop_box() is not None

    if not await until_asked(is_there, STOP_PATIENCE_S):
        raise target.missing_stop()
    return await target.press_stop()


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
