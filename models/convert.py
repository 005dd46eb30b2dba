"""GGUF → the folder that transformers.js loads; numpy and onnx, no torch.

What it writes beside model.gguf, whose bytes are the weights for Wasm:

    onnx/model.onnx, onnx/weights.json     the graph for Wasm and where its weights lie
    onnx/model_q4.onnx                     the graph for WebGPU, with its weights
    config.json, generation_config.json, tokenizer.json, tokenizer_config.json
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pageside.models.disk import megabytes, write_bytes
from pageside.models.errors import ConversionUnsupported
from pageside.models.gguf import Gguf, read_gguf
from pageside.models.graph import four_bit, skeleton
from pageside.models.llama import ARCHITECTURE, LlamaShape, read_shape
from pageside.models.tokenizer import generation_config, tokenizer_config, tokenizer_json

# Part of the manifest: raise it when the same GGUF gives other files.
CONVERTER = "1"

GGUF_NAME = "model.gguf"
GGUF_SIZE_BYTES_MAX = 1 << 30  # F16 doubles in the 4-bit graph, and protobuf ends at 2 GiB


@dataclass(frozen=True)
class Converted:
    """What the converted model says of itself."""

    architecture: str
    context_window: int


def convert(folder: Path, progress: Callable[[int, int], None]) -> Converted:
    """Writes every file beside `folder`'s model.gguf; the same bytes for the same GGUF.

    `progress` is told (steps done, steps in all). What cannot be converted raises
    ConversionUnsupported or GgufInvalid, a full disk DiskFull; files may then be left.
    """
    path = folder / GGUF_NAME
    if path.stat().st_size > GGUF_SIZE_BYTES_MAX:
        raise ConversionUnsupported(f"{megabytes(path.stat().st_size)} do not fit in one graph")
    file = read_gguf(path)
    shape = read_shape(file)
    steps = (_write_texts, _write_skeleton, _write_four_bit)
    for done, step in enumerate(steps):
        progress(done, len(steps))
        step(folder, file, shape)
    progress(len(steps), len(steps))
    return Converted(ARCHITECTURE, shape.context_window)


def _write_texts(folder: Path, file: Gguf, shape: LlamaShape) -> None:
    generation = generation_config(file, shape)
    _write_json(folder / "config.json", _config(shape) | generation)
    _write_json(folder / "generation_config.json", generation)
    _write_json(folder / "tokenizer.json", tokenizer_json(file, shape))
    _write_json(folder / "tokenizer_config.json", tokenizer_config(file, shape))


def _write_skeleton(folder: Path, file: Gguf, shape: LlamaShape) -> None:
    graph, table = skeleton(file, shape)
    write_bytes(folder / "onnx" / "model.onnx", graph)
    _write_json(folder / "onnx" / "weights.json", table)


def _write_four_bit(folder: Path, file: Gguf, shape: LlamaShape) -> None:
    write_bytes(folder / "onnx" / "model_q4.onnx", four_bit(file, shape))


def _config(shape: LlamaShape) -> dict[str, Any]:
    return {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_size,
        "intermediate_size": shape.feed_forward,
        "vocab_size": shape.vocabulary,
        "max_position_embeddings": shape.context_window,
        "rms_norm_eps": shape.norm_epsilon,
        "rope_theta": shape.rope_base,
        "tie_word_embeddings": shape.tied_head,
        "hidden_act": "silu",
    }


def _write_json(path: Path, content: dict[str, Any]) -> None:
    write_bytes(path, json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())
