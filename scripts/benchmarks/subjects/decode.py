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

PAGESIDE, ONNX, LLAMA, WLLAMA = "Pageside", "onnxruntime fp32", "llama.cpp Q4_1", "wllama Q4_1"

# Of each peer: decode at least, TTFT at most.
BUDGETS = {
    ONNX: (Budget(least=0.85), None),
    LLAMA: (None, None),
    WLLAMA: (Budget(least=1.9), Budget(most=0.25)),
}


async def measure(workshop: Workshop) -> Table:
    asked = question(workshop.model_folder)
    table = Table("decode", "Pageside on Wasm beside other engines, same weights", _about(asked))
    rounds: Rounds = {}
    for threads in THREADS:
        async with _arms(workshop, asked, threads) as arms:
            rounds |= await interleaved(arms, asked.tokens, workshop.repeats)
    add_figures(table, rounds)
    for engine, (decode, _) in BUDGETS.items():
        add_ratios(table, rounds, DECODE, PAGESIDE, engine, decode)
    for engine, (_, ttft) in BUDGETS.items():
        add_ratios(table, rounds, TTFT, PAGESIDE, engine, ttft)
    fp32 = [named(engine, threads) for threads in THREADS for engine in (PAGESIDE, ONNX)]
    table.guards.append(agreement(rounds, fp32))
    return table


def _about(asked: Question) -> list[str]:
    return [
        f"Prompt of {len(asked.ids)} tokens, greedy answer of {asked.tokens}; nobody keeps the "
        "prompt's KV cache. In the page: Pageside, wllama. Native: onnxruntime on the same graph "
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
        origin(workshop.store, Settings(), wllama.folder()) as server,
        native_llama(folder / "model.gguf", threads, asked) as llama,
    ):
        address = f"{server.url}/bench/wllama.html"
        async with (
            launch() as browser,
            pageside(browser.context, server.url, threads, asked, words) as ours,
            peer(browser.context, address, options, asked, words) as theirs,
        ):
            arms: dict[str, Arm] = {PAGESIDE: ours, ONNX: onnx, LLAMA: llama, WLLAMA: theirs}
            yield {named(engine, threads): arm for engine, arm in arms.items()}
