"""Five thousand tokens a second: what is lost, how often it paints, what it keeps, how it stops."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Page

import chat
import script
from arms.inpage import opened
from origin import origin
from pageside.browser.launch import launch
from pageside.server.settings import Settings
from table import Budget, Table
from workshop import Workshop

TOKENS_PER_S = 5_000
SECONDS = 20
STOPS = 5
STOP_AFTER_S = 2.0
QUIET_AFTER_STOP_S = 1.0

NONE_LOST = Budget(most=0)
MOST_COMMITS = Budget(most=62)
MOST_STOP = Budget(most=100)
# 1,000 tokens are 5.4 kB of text: in nodes of 1 kB or more, no more than 6 of them.
MOST_HEAP = Budget(most=1.0)
MOST_NODES = Budget(most=6.0)

DEFINITIONS = [
    f"The scripted engine at {TOKENS_PER_S:,} tokens/s for {SECONDS} s onto an empty answer of the "
    "chat page.",
    "Characters lost: those sent less those on the page at the end; misplaced: places where the "
    "two texts differ.",
    "Commits/s: changes of the answer's text that a MutationObserver is told of at once; in the "
    "worst second of the run, and on average from the first to the last.",
    "Kept: what the page holds more at the end than after its first quarter, both after a "
    "collection, per 1,000 tokens: JSHeapUsedSize less the text (a byte a character, kept for the "
    "conversation), and Nodes (Performance.getMetrics).",
    f"Stop: from the click's event.timeStamp to the last change of the document in the "
    f"{QUIET_AFTER_STOP_S:g} s after; {STOPS} stops a round, each {STOP_AFTER_S:g} s into an "
    "answer at the same pace; the slowest of each round is judged.",
]


@dataclass(frozen=True)
class Held:
    """After a collection."""

    heap_bytes: float
    nodes: float
    characters: int


@dataclass(frozen=True)
class Run:
    """One answer to its end."""

    lost: int
    misplaced: int
    commits: list[float]  # ms
    early: Held
    late: Held
    tokens_between: float

    @property
    def most_commits(self) -> int:
        return max(Counter(int(at // 1000) for at in self.commits).values())

    @property
    def seconds(self) -> float:
        return (self.commits[-1] - self.commits[0]) / 1000

    @property
    def heap_kb_per_1000(self) -> float:
        text = self.late.characters - self.early.characters
        return (self.late.heap_bytes - self.early.heap_bytes - text) / self.tokens_between

    @property
    def nodes_per_1000(self) -> float:
        return (self.late.nodes - self.early.nodes) / self.tokens_between * 1000


async def measure(workshop: Workshop) -> Table:
    path = workshop.scratch / "firehose.jsonl"
    sent = _write(path)
    runs: list[Run] = []
    stops: list[list[float]] = []
    with origin(workshop.store, Settings(engine="scripted", script=path)) as server:
        async with launch() as browser:
            for _ in range(workshop.repeats):
                runs.append(await _run(browser.context, server.url, sent))
                stops.append(await _stops(browser.context, server.url))
    return _table(runs, stops)


def _write(path: Path) -> str:
    """One answer, played again for every prompt; its text."""
    pieces = script.take(script.prose(), TOKENS_PER_S * SECONDS)
    script.write(path, script.tokens(pieces, 1000 / TOKENS_PER_S))
    return "".join(pieces)


async def _run(context: BrowserContext, url: str, sent: str) -> Run:
    async with opened(context, "about:blank", "probe.js") as page:
        session = await context.new_cdp_session(page)
        await session.send("Performance.enable")
        await page.bring_to_front()
        await chat.open_chat(page, f"{url}/")
        await chat.send(page)
        await chat.reach_length(page, len(sent) // 4)
        early = await _held(page, session)
        if await chat.reach_state(page, "done", "failed") != "done":
            raise RuntimeError("the answer failed")
        late = await _held(page, session)
        painted = await chat.text(page)
        probe = await _probe(page)
    differing = sum(one != other for one, other in zip(sent, painted, strict=False))
    share = (late.characters - early.characters) / len(sent)
    return Run(
        len(sent) - len(painted),
        differing,
        probe["commits"],
        early,
        late,
        share * TOKENS_PER_S * SECONDS,
    )


async def _held(page: Page, session: CDPSession) -> Held:
    await session.send("HeapProfiler.collectGarbage")
    characters = await chat.length(page)
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    values = {metric["name"]: metric["value"] for metric in metrics}
    return Held(values["JSHeapUsedSize"], values["Nodes"], characters)


async def _stops(context: BrowserContext, url: str) -> list[float]:
    """ms from each click to the last change."""
    async with opened(context, "about:blank", "probe.js") as page:
        await page.bring_to_front()
        await chat.open_chat(page, f"{url}/")
        return [await _stop(page) for _ in range(STOPS)]


async def _stop(page: Page) -> float:
    await chat.send(page)
    await chat.reach_length(page, 1)
    await asyncio.sleep(STOP_AFTER_S)
    box = await page.get_by_test_id("stop").bounding_box()
    assert box is not None, "there is no Stop to press"
    # Playwright's own click would wait for the page's frames.
    await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    if await chat.reach_state(page, "stopped", "done", "failed") != "stopped":
        raise RuntimeError("the answer ended before Stop was pressed")
    await asyncio.sleep(QUIET_AFTER_STOP_S)
    probe = await _probe(page)
    return float(probe["lastChangeAt"] - probe["stopAt"])


async def _probe(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = await page.evaluate("() => globalThis.probe")
    return found


def _table(runs: list[Run], stops: list[list[float]]) -> Table:
    table = Table("firehose", f"{TOKENS_PER_S:,} tokens/s into the chat page", DEFINITIONS)
    table.add("characters lost", "", (abs(run.lost) for run in runs), NONE_LOST)
    table.add("characters misplaced", "", (run.misplaced for run in runs), NONE_LOST)
    table.add("commits, worst second", "1/s", (run.most_commits for run in runs), MOST_COMMITS)
    mean = [len(run.commits) / run.seconds for run in runs]
    table.add("commits, on average", "1/s", mean, MOST_COMMITS)
    kept = [run.heap_kb_per_1000 for run in runs]
    table.add("heap kept beside the text", "kB / 1,000 tokens", kept, MOST_HEAP)
    table.add("nodes", "1 / 1,000 tokens", (run.nodes_per_1000 for run in runs), MOST_NODES)
    table.add("Stop → last change, slowest", "ms", map(max, stops), MOST_STOP)
    table.add("Stop → last change, all", "ms", (ms for each in stops for ms in each))
    pace = [TOKENS_PER_S * SECONDS / run.seconds for run in runs]
    table.guards.append(f"the tokens came at {min(pace):,.0f} – {max(pace):,.0f} a second.")
    return table
