"""Loading the model: the renderer's memory, and the time beside the parts it is made of."""

from collections import defaultdict
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from playwright.async_api import Page

from arms.inpage import opened
from memory import PSS, Collector, peak_rss_bytes, pss_bytes, sampled
from origin import origin
from pageside.browser.launch import Browser, launch
from pageside.server.settings import Settings
from renderers import renderers
from table import Budget, Table, ratios
from workshop import Workshop

THREADS = 1
GB = 1e9
MOST_AFTER = Budget(most=1.0)
MOST_PEAK = Budget(most=1.6)
MOST_LOAD = Budget(most=1.2)

# worker/engines/transformers.js names them so; the time in none of them is the rest.
STAGES = ("fetch", "verify", "dequantise", "session")
PARTS = ("fetch", "hash", "dequantise", "session")

Runs = defaultdict[str, list[float]]  # ms by name, one a repeat

_LOAD = "options => globalThis.bench.load(options)"
_OPTIONS = {"device": "wasm", "threads": THREADS}

DEFINITIONS = [
    f"Wasm, {THREADS} thread, from loopback, each time a fresh browser with an empty cache. Memory "
    "and time are measured in loads of their own: looking at memory slows a load down.",
    PSS,
    "After load: the model ready, garbage collected in the page and in its worker, one second "
    "later. Peak: the largest of samples every 20 ms while it loads; VmHWM: the kernel's "
    "own mark of the most resident memory, shared pages counted whole.",
    "Load: from the worker's receipt of `load` to the model ready, without the warm-up (a first "
    "run and its known answer). Stages are Pageside's own account of it (page.info.load_ms); the "
    "rest is importing transformers.js, the vocabulary, and what lies between.",
    "Parts: the same bytes fetched; their SHA-256; every tensor dequantised; transformers.js "
    "imported and a session made from weights in memory. Each alone, one after the other, in a "
    "worker that does nothing else, in a fresh browser of the same round.",
]


@dataclass(frozen=True)
class Held:
    """Memory of one renderer, bytes; `samples` is how often it was looked at."""

    after: int
    peak: int
    mark: int
    samples: int


async def measure(workshop: Workshop) -> Table:
    table = Table("load", "memory and time of loading the model", DEFINITIONS)
    held: list[Held] = []
    stages, parts = Runs(list), Runs(list)
    with origin(workshop.store, Settings()) as server:
        both = [(_stages, stages), (_parts, parts)]
        for _ in range(workshop.repeats):
            held.append(await _held(server.url))
            for time, into in both:
                for name, ms in (await time(server.url, workshop)).items():
                    into[name].append(ms)
            both.reverse()
    _add_memory(table, held)
    _add_times(table, stages, parts)
    return table


async def _held(url: str) -> Held:
    async with launch() as browser, _headless(browser, url) as page:
        assert browser.context.browser is not None
        collector = await Collector.of(page)
        pids = [process["id"] for process in await renderers(browser.context.browser)]
        async with sampled(pids) as samples:
            await page.evaluate(_LOAD, _OPTIONS)
        await collector.collect()
        model = max(pids, key=pss_bytes)
        after, mark = pss_bytes(model), peak_rss_bytes(model)
        return Held(after, samples.peaks[model], mark, samples.count)


async def _stages(url: str, workshop: Workshop) -> dict[str, float]:
    """Pageside's load, by its own account, ms."""
    async with launch() as browser, _headless(browser, url) as page:
        ready = await page.evaluate(_LOAD, _OPTIONS)
        return {name: float(ms) for name, ms in ready["loadMs"].items()}


async def _parts(url: str, workshop: Workshop) -> dict[str, float]:
    options = {"base": workshop.model_url, "threads": THREADS}
    async with launch() as browser, opened(browser.context, f"{url}/bench/parts.html") as page:
        parts: dict[str, float] = await page.evaluate(_LOAD, options)
        return parts


def _headless(browser: Browser, url: str) -> AbstractAsyncContextManager[Page]:
    return opened(browser.context, f"{url}/web/headless.html", "recorder.js")


def _add_memory(table: Table, held: list[Held]) -> None:
    table.add("memory after load", "GB", (run.after / GB for run in held), MOST_AFTER)
    table.add("memory at its peak", "GB", (run.peak / GB for run in held), MOST_PEAK)
    table.add("VmHWM", "GB", (run.mark / GB for run in held), MOST_PEAK)
    fewest = min(run.samples for run in held)
    table.guards.append(f"memory was looked at {fewest} times or more in each load.")


def _add_times(table: Table, stages: Runs, parts: Runs) -> None:
    loads = [
        total - warm_up for total, warm_up in zip(stages["total"], stages["warmUp"], strict=True)
    ]
    sums = [sum(run) for run in zip(*(parts[name] for name in PARTS), strict=True)]
    known = [sum(run) for run in zip(*(stages[name] for name in STAGES), strict=True)]
    table.add("load", "ms", loads)
    for name in STAGES:
        table.add(f"  stage {name}", "ms", stages[name])
    table.add("  rest", "ms", (a - b for a, b in zip(loads, known, strict=True)))
    table.add("sum of the parts alone", "ms", sums)
    for name in PARTS:
        table.add(f"  part {name}", "ms", parts[name])
    table.add("load ÷ sum of the parts", "×", ratios(loads, sums), MOST_LOAD)
    table.add("warm-up, apart", "ms", stages["warmUp"])
