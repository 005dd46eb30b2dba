"""Decoding and the wait for the first token, beside every engine that reads the same weights."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import wllama
from arms.figures import DECODE, THREADS, TTFT, add_figures, add_ratios, named
from arms.inpage import pageside, peer
from arms.native_llama import native_llama
from arms.native_onnx import NativeOnnx, dequantised
from arms.rounds import Rounds, agreement, interleaved
from arms.timing import DEFINITIONS, Arm
from origin import origin
from pageside.browser.launch import launch
from pageside.server.settings import Settings
from question import Question, question, tokenizer
from table import Budget, Table
from workshop import Workshop

KERNELS, PAGESIDE = "own kernels Q4_1", "transformers.js fp32"
ONNX, LLAMA, WLLAMA = "onnxruntime fp32", "llama.cpp Q4_1", "wllama Q4_1"

# Of two engines: decode of the first ÷ the second at least, TTFT at most.
BUDGETS = {
    (KERNELS, LLAMA): (Budget(least=1.4), None),
    (KERNELS, PAGESIDE): (Budget(least=3), None),
    (KERNELS, WLLAMA): (Budget(least=8), None),
    (PAGESIDE, ONNX): (Budget(least=0.85), None),
    (PAGESIDE, LLAMA): (None, None),
    (PAGESIDE, WLLAMA): (Budget(least=1.9), Budget(most=0.25)),
}


async def measure(workshop: Workshop) -> Table:
    asked = question(workshop.model_folder)
    table = Table(
        "decode", "Pageside's two engines on a CPU beside others, same weights", _about(asked)
    )
    rounds: Rounds = {}
    for threads in THREADS:
        async with _arms(workshop, asked, threads) as arms:
            rounds |= await interleaved(arms, asked.tokens, workshop.repeats)
    add_figures(table, rounds)
    for (ours, theirs), (decode, _) in BUDGETS.items():
        add_ratios(table, rounds, DECODE, ours, theirs, decode)
    for (ours, theirs), (_, ttft) in BUDGETS.items():
        add_ratios(table, rounds, TTFT, ours, theirs, ttft)
    exact = [named(engine, threads) for threads in THREADS for engine in (KERNELS, PAGESIDE, ONNX)]
    table.guards.append(agreement(rounds, exact))
    return table


def _about(asked: Question) -> list[str]:
    return [
        f"Prompt of {len(asked.ids)} tokens, greedy answer of {asked.tokens}; nobody keeps the "
        "prompt's KV cache. In the page: Pageside's own kernels, Pageside on transformers.js, "
        "wllama. Native: onnxruntime on the same graph "
        "and fp32 weights, called from Python; llama.cpp (xllamacpp) over its HTTP server.",
        *DEFINITIONS,
        "onnxruntime and llama.cpp get token ids; the pages get messages, and make ids of them.",
    ]


@asynccontextmanager
async def _arms(workshop: Workshop, asked: Question, threads: int) -> AsyncIterator[dict[str, Arm]]:
    """Every engine loaded."""
    folder, words = workshop.model_folder, tokenizer(workshop.model_folder)
    options: dict[str, object] = {"base": workshop.model_url, "threads": threads}
    onnx = NativeOnnx(folder, dequantised(folder), threads, asked)
    with (
        origin(workshop.store, Settings(engine="transformers"), wllama.folder()) as server,
        origin(workshop.store, Settings(engine="gguf")) as kernels,
        native_llama(folder / "model.gguf", threads, asked) as llama,
    ):
        address = f"{server.url}/bench/wllama.html"
        async with (
            launch() as browser,
            pageside(browser.context, kernels.url, threads, asked, words) as own,
            pageside(browser.context, server.url, threads, asked, words) as ours,
            peer(browser.context, address, options, asked, words) as theirs,
        ):
            arms: dict[str, Arm] = {KERNELS: own, PAGESIDE: ours, ONNX: onnx, LLAMA: llama}
            arms[WLLAMA] = theirs
            yield {named(engine, threads): arm for engine, arm in arms.items()}
