"""Native onnxruntime on the same graph, with the same fp32 weights, through its own KV loop."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import onnxruntime

from arms.timing import Arrival, Timing
from question import Question, tokenizer

Array = np.ndarray[Any, np.dtype[Any]]


class NativeOnnx:
    """A session of `threads` intra-op threads; spinning as onnxruntime has it by default."""

    def __init__(self, folder: Path, weights: Array, threads: int, question: Question) -> None:
        self._question = question
        self._tokenizer = tokenizer(folder)
        self._weights = weights  # the session may read them where they are
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_external_initializers_from_files_in_memory(
            [_index(folder)["location"]], [weights], [weights.size]
        )
        graph = (folder / "onnx" / "model.onnx").read_bytes()
        self._session = onnxruntime.InferenceSession(graph, options)
        self._outputs = [output.name for output in self._session.get_outputs()]
        self._past = [name.replace("present", "past_key_values") for name in self._outputs[1:]]

    async def answer(self) -> Timing:
        return await asyncio.to_thread(self._answer)

    def _answer(self) -> Timing:
        started_ms, cpu_s = time.perf_counter() * 1000, time.process_time()
        arrivals, said = [], []
        new, length, cache = self._question.ids, len(self._question.ids), self._empty()
        for _ in range(self._question.tokens):
            id, cache = self._step(new, length, cache)
            arrivals.append(Arrival(time.perf_counter() * 1000, 1))
            said.append(id)
            new, length = [id], length + 1
        cpu_ms = (time.process_time() - cpu_s) * 1000
        return Timing(started_ms, arrivals, cpu_ms, self._tokenizer.decode(said))

    def _step(
        self, new: list[int], length: int, cache: dict[str, Array]
    ) -> tuple[int, dict[str, Array]]:
        feeds = {
            "input_ids": np.array([new], np.int64),
            "attention_mask": np.ones((1, length), np.int64),
            "num_logits_to_keep": np.array(1, np.int64),
        }
        logits, *present = self._session.run(self._outputs, feeds | cache)
        return int(logits[0, -1].argmax()), dict(zip(self._past, present, strict=True))

    def _empty(self) -> dict[str, Array]:
        caches = [entry for entry in self._session.get_inputs() if len(entry.shape) == 4]
        return {
            entry.name: np.zeros((1, entry.shape[1], 0, entry.shape[3]), np.float32)
            for entry in caches
        }


def dequantised(folder: Path) -> Array:
    """The graph's external data, bytes: what the page's worker makes of the GGUF."""
    index = _index(folder)
    content = np.zeros(index["total_bytes"], np.uint8)
    source = np.memmap(folder / "model.gguf", np.uint8, "r")
    for entry in index["tensors"]:
        rows = _rows(source, entry).reshape(-1).view(np.uint8)
        content[entry["offset_bytes"] :][: rows.size] = rows
    return content


def _rows(source: Array, entry: dict[str, Any]) -> Array:
    """[rows, columns], with llama.cpp's order of q and k rows undone."""
    kind = gguf.GGMLQuantizationType[entry["type"]]
    weights, size_bytes = gguf.GGML_QUANT_SIZES[kind]
    row_bytes = entry["columns"] // weights * size_bytes
    start = entry["source_offset_bytes"]
    blocks = source[start:][: entry["rows"] * row_bytes].reshape(entry["rows"], row_bytes)
    if kind == gguf.GGMLQuantizationType.F32:
        blocks = blocks.view(np.float32)
    rows: Array = gguf.dequantize(blocks, kind).astype(np.float32)
    if entry["heads"]:
        pairs = rows.reshape(entry["heads"], -1, 2, entry["columns"])
        rows = pairs.swapaxes(1, 2).reshape(rows.shape)
    return np.ascontiguousarray(rows)


def _index(folder: Path) -> dict[str, Any]:
    index: dict[str, Any] = json.loads((folder / "onnx" / "weights.json").read_bytes())
    return index
