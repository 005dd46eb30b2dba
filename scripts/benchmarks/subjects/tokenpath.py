"""The main thread's cost of an update, and whether it grows with the answer."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import BrowserContext, Page

import chat
import script
from arms.inpage import opened
from origin import origin
from pageside.browser.launch import launch
from pageside.server.settings import Settings
from table import Budget, Table, ratios
from tracing import Window, mark, traced
from workshop import Workshop

LENGTHS = (500, 2_000, 10_000, 50_000)
STRESS_LENGTH = 10_000
DELAY_MS = 30
WINDOW_S = 8.0
SETTLE_S = 1.0

MOST_OF_PEER = Budget(most=1.1)
MOST_GROWTH = Budget(most=1.7)

DEFINITIONS = [
    f"The scripted engine at {1000 / DELAY_MS:.0f} tokens/s onto an answer that already has so "
    "many tokens; prose in paragraphs, and as a stress row all in one paragraph.",
    f"CPU per update: the renderer's main thread, Σ RunTask.tdur over {WINDOW_S:g} s of streaming "
    "less the same over as long a pause in the same answer, ÷ Layout events in the streaming "
    "window. From a trace with lean categories; CPU time, so other processes are not in it.",
    "Text node: a page that appends a new text node once a frame and does nothing else, on the "
    "same worker and the same script, with the chat page's font and column.",
    "Growth: CPU per update at the longer length ÷ at 500 tokens, in the same round.",
]


@dataclass(frozen=True)
class Cell:
    """One page at one length; both windows last as long."""

    pause: Window
    stream: Window

    @property
    def cpu_ms_per_update(self) -> float:
        return (self.stream.cpu_ms - self.pause.cpu_ms) / self.stream.layouts

    @property
    def updates_per_s(self) -> float:
        return self.stream.layouts / self.stream.seconds


Start = Callable[[Page, str], Awaitable[None]]


async def measure(workshop: Workshop) -> Table:
    texts = [(f"{length:,}", length, True) for length in LENGTHS]
    texts.append((f"{STRESS_LENGTH:,} in one paragraph", STRESS_LENGTH, False))
    cells: dict[tuple[str, str], list[Cell]] = {}
    path = workshop.scratch / "tokenpath.jsonl"
    with origin(workshop.store, Settings(engine="scripted", script=path)) as server:
        async with launch() as browser:
            for _ in range(workshop.repeats):
                for words, length, paragraphs in texts:
                    prefilled = _write(path, length, paragraphs)
                    for name, start in PAGES.items():
                        cell = await _cell(browser.context, server.url, start, prefilled)
                        cells.setdefault((name, words), []).append(cell)
    return _table(cells, [words for words, _, _ in texts])


def _write(path: Path, length: int, paragraphs: bool) -> int:
    """The answer of one cell; the characters before its pause."""
    source = script.prose(paragraphs)
    before = script.take(source, length)
    pause_s = SETTLE_S + WINDOW_S + 2
    after = script.take(source, int((WINDOW_S + 3) * 1000 / DELAY_MS))
    pause = {"stall_ms": pause_s * 1000}
    script.write(path, [*script.tokens(before, 0), pause, *script.tokens(after, DELAY_MS)])
    return sum(map(len, before))


async def _cell(context: BrowserContext, url: str, start: Start, prefilled: int) -> Cell:
    async with opened(context, "about:blank") as page:
        await page.bring_to_front()
        await start(page, url)
        await chat.reach_length(page, prefilled)
        await asyncio.sleep(SETTLE_S)
        async with traced(page) as trace:
            await _window(page, "pause")
            await chat.reach_length(page, prefilled + 1)
            await asyncio.sleep(SETTLE_S / 2)
            await _window(page, "stream")
        return Cell(
            trace.window("pause-begin", "pause-end"), trace.window("stream-begin", "stream-end")
        )


async def _window(page: Page, name: str) -> None:
    await mark(page, f"{name}-begin")
    await asyncio.sleep(WINDOW_S)
    await mark(page, f"{name}-end")


async def _start_chat(page: Page, url: str) -> None:
    await chat.open_chat(page, f"{url}/")
    await chat.send(page)


async def _start_peer(page: Page, url: str) -> None:
    await chat.open_chat(page, f"{url}/bench/textnode.html")
    await page.evaluate("() => globalThis.bench.start()")


PAGES: dict[str, Start] = {"Pageside": _start_chat, "text node": _start_peer}


def _table(cells: dict[tuple[str, str], list[Cell]], texts: list[str]) -> Table:
    table = Table("tokenpath", "main-thread CPU of an update while text streams", DEFINITIONS)

    def costs(name: str, words: str) -> list[float]:
        return [cell.cpu_ms_per_update for cell in cells[name, words]]

    for words in texts:
        for name in PAGES:
            table.add(f"CPU per update, {words}, {name}", "ms", costs(name, words))
    for words in texts:
        of_peer = ratios(costs("Pageside", words), costs("text node", words))
        is_stress = words not in texts[: len(LENGTHS)]
        table.add(f"÷ text node, {words}", "×", of_peer, None if is_stress else MOST_OF_PEER)
    for name in PAGES:
        for words, budget in ((texts[2], MOST_GROWTH), (texts[3], None)):
            growth = ratios(costs(name, words), costs(name, texts[0]))
            budget = budget if name == "Pageside" else None
            table.add(f"growth {texts[0]} → {words}, {name}", "×", growth, budget)
    table.guards += _guards(cells)
    return table


def _guards(cells: dict[tuple[str, str], list[Cell]]) -> list[str]:
    rates = [cell.updates_per_s for runs in cells.values() for cell in runs]
    pauses = [cell.pause.cpu_ms / cell.pause.seconds for runs in cells.values() for cell in runs]
    return [
        f"updates/s while streaming: {min(rates):.1f} – {max(rates):.1f} "
        f"(asked: {1000 / DELAY_MS:.1f} tokens/s).",
        f"the pause cost {min(pauses):.1f} – {max(pauses):.1f} ms of CPU a second.",
    ]
