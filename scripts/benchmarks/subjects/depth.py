"""Long prompts: what a token of prefill costs, and how fast decode is behind many of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arms.figures import DECODE, THREADS, TTFT, named
from arms.inpage import pageside
from arms.native_llama import native_llama
from arms.rounds import Rounds, interleaved
from arms.timing import DEFINITIONS, Arm
from origin import origin
from pageside.browser.launch import launch
from pageside.server.settings import Settings
from question import Question, question_of, tokenizer
from table import Budget, Table, ratios
from workshop import Workshop

KERNELS, LLAMA = "own kernels Q4_1", "llama.cpp Q4_1"
PROMPTS = (64, 256, 768)
ANSWER_TOKENS = 24
PREFILL = Budget(least=1.2)
DEPTH = Budget(least=1.3)


async def measure(workshop: Workshop) -> Table:
    table = Table("depth", "Our kernels beside native llama.cpp, prompts of several lengths", ABOUT)
    for prompt_tokens in PROMPTS:
        asked = question_of(workshop.model_folder, prompt_tokens, ANSWER_TOKENS)
        for threads in THREADS:
            async with _arms(workshop, asked, threads) as arms:
                rounds = await interleaved(arms, asked.tokens, workshop.repeats)
            _add(table, rounds, prompt_tokens, threads)
    return table


ABOUT = [
    f"Prompts of {', '.join(map(str, PROMPTS))} tokens, give or take two; greedy answers of "
    f"{ANSWER_TOKENS}; nobody keeps the prompt's KV cache. llama.cpp (xllamacpp) over its own HTTP "
    "server.",
    *DEFINITIONS,
    "llama.cpp gets token ids; the page gets messages, and makes ids of them.",
]


def _add(table: Table, rounds: Rounds, prompt_tokens: int, threads: int) -> None:
    ours, theirs = (rounds[named(engine, threads)] for engine in (KERNELS, LLAMA))
    for name, timings in rounds.items():
        for figure in (TTFT, DECODE):
            values = map(figure.of, timings)
            table.add(f"{figure.label}, {prompt_tokens}, {name}", figure.unit, values)
    label = f"llama.cpp ÷ ours, {prompt_tokens}, {named('', threads).removeprefix(', ')}"
    waits = ratios(map(TTFT.of, theirs), map(TTFT.of, ours))
    table.add(f"TTFT, {label}", "×", waits, PREFILL if prompt_tokens < PROMPTS[-1] else None)
    label = label.replace("llama.cpp ÷ ours", "ours ÷ llama.cpp")
    speeds = ratios(map(DECODE.of, ours), map(DECODE.of, theirs))
    table.add(f"decode, {label}", "×", speeds, DEPTH if prompt_tokens == PROMPTS[-1] else None)


@asynccontextmanager
async def _arms(workshop: Workshop, asked: Question, threads: int) -> AsyncIterator[dict[str, Arm]]:
    """Both engines loaded."""
    folder, words = workshop.model_folder, tokenizer(workshop.model_folder)
    with (
        origin(workshop.store, Settings(engine="gguf")) as server,
        native_llama(folder / "model.gguf", threads, asked) as llama,
    ):
        async with (
            launch() as browser,
            pageside(browser.context, server.url, threads, asked, words) as ours,
        ):
            yield {named(KERNELS, threads): ours, named(LLAMA, threads): llama}
