"""What Pageside costs on top of transformers.js."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arms.figures import CPU, DECODE, THREADS, TTFT, add_figures, add_ratios, named
from arms.inpage import pageside, peer
from arms.rounds import Rounds, agreement, interleaved
from arms.timing import DEFINITIONS, Arm
from origin import origin
from pageside.browser.launch import launch
from pageside.server.settings import Settings
from question import Question, question, tokenizer
from table import Budget, Table
from workshop import Workshop

PAGESIDE, ALONE = "Pageside", "transformers.js alone"
LEAST_TOKENS_PER_S = Budget(least=0.95)
MOST_TTFT = Budget(most=1.05)


async def measure(workshop: Workshop) -> Table:
    asked = question(workshop.model_folder)
    table = Table("overhead", "Pageside beside transformers.js alone", _about(asked))
    rounds: Rounds = {}
    for threads in THREADS:
        async with _arms(workshop, asked, threads) as arms:
            rounds |= await interleaved(arms, asked.tokens, workshop.repeats)
    add_figures(table, rounds)
    add_ratios(table, rounds, DECODE, PAGESIDE, ALONE, LEAST_TOKENS_PER_S)
    add_ratios(table, rounds, TTFT, PAGESIDE, ALONE, MOST_TTFT)
    add_ratios(table, rounds, CPU, PAGESIDE, ALONE)
    table.guards.append(agreement(rounds, list(rounds)))
    return table


def _about(asked: Question) -> list[str]:
    return [
        f"Prompt of {len(asked.ids)} tokens, greedy answer of {asked.tokens}; fp32 on Wasm.",
        "transformers.js alone: model.generate in a worker of its own, each id posted as it "
        "comes; same library, files, device and threads, in another tab of the same browser.",
        *DEFINITIONS,
    ]


@asynccontextmanager
async def _arms(workshop: Workshop, asked: Question, threads: int) -> AsyncIterator[dict[str, Arm]]:
    words = tokenizer(workshop.model_folder)
    options: dict[str, object] = {"base": workshop.model_url, "threads": threads}
    with origin(workshop.store, Settings()) as server:
        address = f"{server.url}/bench/bare.html"
        async with (
            launch() as browser,
            pageside(browser.context, server.url, threads, asked, words) as ours,
            peer(browser.context, address, options, asked, words) as alone,
        ):
            yield {named(PAGESIDE, threads): ours, named(ALONE, threads): alone}
