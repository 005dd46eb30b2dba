"""Native llama.cpp (xllamacpp) on the same GGUF, asked over its own HTTP server."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import xllamacpp

from arms.timing import Arrival, Timing
from question import Question


class NativeLlama:
    """A running server."""

    def __init__(self, client: httpx.Client, question: Question) -> None:
        self._client = client
        self._asked = {
            "prompt": question.ids,
            "n_predict": question.tokens,
            "temperature": 0,
            "ignore_eos": True,
            "cache_prompt": False,
            "stream": True,
        }

    async def answer(self) -> Timing:
        return await asyncio.to_thread(self._answer)

    def _answer(self) -> Timing:
        started_ms, cpu_s = time.perf_counter() * 1000, time.process_time()
        arrivals, text = [], ""
        for event in self._events():
            if not event["stop"]:
                arrivals.append(Arrival(time.perf_counter() * 1000, len(event["tokens"])))
                text += event["content"]
        cpu_ms = (time.process_time() - cpu_s) * 1000  # the server runs in this process
        return Timing(started_ms, arrivals, cpu_ms, text)

    def _events(self) -> Iterator[dict[str, Any]]:
        with self._client.stream("POST", "/completion", json=self._asked) as response:
            response.raise_for_status()
            for line in response.iter_lines():
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))


@contextmanager
def native_llama(gguf: Path, threads: int, question: Question) -> Iterator[NativeLlama]:
    """A server of `threads` threads, for prompts and for tokens alike."""
    params = xllamacpp.CommonParams()
    params.model.path = str(gguf)
    params.port, params.n_ctx, params.n_parallel = 0, 1024, 1
    params.n_gpu_layers, params.verbosity = 0, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    with httpx.Client(base_url=server.listening_address, trust_env=False, timeout=120) as client:
        yield NativeLlama(client, question)
    del server
