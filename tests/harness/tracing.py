"""What a trace of Chromium says about the page's main thread."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Page

Event = dict[str, Any]

CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel"]


@asynccontextmanager
async def traced(page: Page) -> AsyncIterator[list[Event]]:
    """The list holds the events of the block once the block has ended."""
    events: list[Event] = []
    session = await page.context.new_cdp_session(page)
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    session.on("Tracing.tracingComplete", lambda params: ended.set_result(params["stream"]))
    await session.send(
        "Tracing.start",
        {
            "transferMode": "ReturnAsStream",
            "traceConfig": {"includedCategories": CATEGORIES, "excludedCategories": ["*"]},
        },
    )
    yield events
    await session.send("Tracing.end")
    stream = await ended
    text = ""
    while True:
        chunk = await session.send("IO.read", {"handle": stream})
        text += chunk["data"]
        if chunk["eof"]:
            break
    events += json.loads(text)["traceEvents"]
    await session.detach()


def dirty_objects(events: list[Event]) -> list[int]:
    """Layout objects that had to be laid out, for each layout of the main frame's process."""
    return [
        event["args"]["beginData"]["dirtyObjects"]
        for event in events
        if event["name"] == "Layout" and "beginData" in event.get("args", {})
    ]


def restyled_elements(events: list[Event]) -> list[int]:
    """Elements whose style was computed, for each style recalculation."""
    return [
        event["args"]["elementCount"]
        for event in events
        if event["name"] == "UpdateLayoutTree" and "elementCount" in event.get("args", {})
    ]
