"""Small models of every family with random weights, as GGUF files, and their logits in numpy."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type

from . import made as random_weights
from .reference import Bytes, Doubles, Singles

LOCAL_EVERY = 6
# gguf packs none of these: random bytes, with scales that make such weights as a model has.
_K_SCALES = {Type.Q4_K: 2e-4, Type.Q5_K: 1e-4, Type.Q6_K: 5e-5}


@dataclass(frozen=True)
class Made:
    """What a file is made of. `turned` 0 is all of a head; `window` is gemma3's."""

    family: str
    type: Type
    width: int = 256
    feed_width: int = 512
    layers: int = 2
    heads: int = 4
    key_heads: int = 2
    head: int = 64
    turned: int = 0
    vocabulary: int = 99  # a tail of three rows
    tied: bool = True
    rope_base: float = 10_000.0
    rope_scale: float = 1.0
    rope_factors: bool = False
    window: int = 8
    score_cap: float = 0.0
    logit_cap: float = 0.0
    epsilon: float = 1e-5
    seed: int = 0
    weights: dict[str, Doubles] = field(default_factory=dict, compare=False)

    @property
    def is_gemma(self) -> bool:
        return self.family == "gemma3"

    @property
    def turned_columns(self) -> int:
        return self.turned or self.head

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every tensor; a vector has one number."""
        query, key = self.heads * self.head, self.key_heads * self.head
        shapes: dict[str, tuple[int, ...]] = {
            "token_embd.weight": (self.vocabulary, self.width),
            "output_norm.weight": (self.width,),
        }
        if not self.tied:
            shapes["output.weight"] = (self.vocabulary, self.width)
        if self.rope_factors:
            shapes["rope_freqs.weight"] = (self.turned_columns // 2,)
        layer: dict[str, tuple[int, ...]] = {
            "attn_norm.weight": (self.width,),
            "ffn_norm.weight": (self.width,),
            "attn_q.weight": (query, self.width),
            "attn_k.weight": (key, self.width),
            "attn_v.weight": (key, self.width),
            "attn_output.weight": (self.width, query),
            "ffn_gate.weight": (self.feed_width, self.width),
            "ffn_up.weight": (self.feed_width, self.width),
            "ffn_down.weight": (self.width, self.feed_width),
        }
        if self.family == "phi3":
            stacked = {"attn_qkv.weight": (query + 2 * key, self.width)}
            stacked["ffn_up.weight"] = (2 * self.feed_width, self.width)
            for name in ("attn_q", "attn_k", "attn_v", "ffn_gate", "ffn_up"):
                del layer[f"{name}.weight"]
            layer |= stacked
        if self.family == "qwen2":
            layer |= {"attn_q.bias": (query,), "attn_k.bias": (key,), "attn_v.bias": (key,)}
        if self.family in ("qwen3", "gemma3"):
            layer |= {"attn_q_norm.weight": (self.head,), "attn_k_norm.weight": (self.head,)}
        if self.is_gemma:
            layer |= {
                "post_attention_norm.weight": (self.width,),
                "post_ffw_norm.weight": (self.width,),
            }
        for i in range(self.layers):
            shapes |= {f"blk.{i}.{name}": shape for name, shape in layer.items()}
        return shapes

    def metadata(self) -> dict[str, int | float | str]:
        told: dict[str, int | float | str] = {
            "block_count": self.layers,
            "context_length": 512,
            "embedding_length": self.width,
            "feed_forward_length": self.feed_width,
            "attention.head_count": self.heads,
            "attention.head_count_kv": self.key_heads,
            "attention.key_length": self.head,
            "attention.value_length": self.head,
            "attention.layer_norm_rms_epsilon": self.epsilon,
            "rope.dimension_count": self.turned_columns,
            "rope.freq_base": self.rope_base,
        }
        if self.is_gemma or self.family == "phi3":
            told["attention.sliding_window"] = self.window
        if self.rope_scale != 1:
            told |= {"rope.scaling.type": "linear", "rope.scaling.factor": 1 / self.rope_scale}
        if self.score_cap:
            told["attn_logit_softcapping"] = self.score_cap
        if self.logit_cap:
            told["final_logit_softcapping"] = self.logit_cap
        return told


@dataclass(frozen=True)
class Spoiled:
    """What a file says otherwise than it is: metadata by key, None for none; tensors by name."""

    metadata: dict[str, int | float | str | None] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...] | None] = field(default_factory=dict)
    family: str | None = None
    vector_type: type[np.floating[Any]] = np.float32


def write(made: Made, path: Path, spoiled: Spoiled = Spoiled()) -> None:
    """The file; what its weights are once they are dequantised goes to `made.weights`."""
    rng = np.random.default_rng(made.seed)
    writer = gguf.GGUFWriter(path, spoiled.family or made.family)
    for key, value in (made.metadata() | spoiled.metadata).items():
        if value is None:
            continue
        name = f"{made.family}.{key}"
        if isinstance(value, str):
            writer.add_string(name, value)
        elif isinstance(value, float):
            writer.add_float32(name, value)
        else:
            writer.add_uint32(name, value)
    for name, shape in (made.shapes() | spoiled.shapes).items():
        if shape is None:
            continue
        if len(shape) == 1:
            vector = _vector(rng, name, shape[0])
            made.weights[name] = vector.astype(np.float64)
            writer.add_tensor(name, vector.astype(spoiled.vector_type))
            continue
        rows, columns = shape
        content = _matrix(rng, made.type, rows, columns)
        weights = gguf.dequantize(content, made.type).reshape(shape).astype(np.float64)
        made.weights[name] = weights
        writer.add_tensor(name, content, raw_shape=content.shape, raw_dtype=made.type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _matrix(rng: np.random.Generator, type_: Type, rows: int, columns: int) -> Bytes:
    if type_ in _K_SCALES:
        return random_weights.blocks(rng, type_, rows, columns, "random", _K_SCALES[type_])
    weights = rng.normal(0, columns**-0.5, (rows, columns)).astype(np.float32)
    return gguf.quantize(weights, type_).view(np.uint8).reshape(rows, -1)


def _vector(rng: np.random.Generator, name: str, length: int) -> Singles:
    if name == "rope_freqs.weight":
        return np.linspace(1, 8, length).astype(np.float32)
    centre = 0 if name.endswith(".bias") else 1
    return (centre + 0.2 * rng.normal(size=length)).astype(np.float32)


def logits(made: Made, ids: list[int]) -> Doubles:
    """[tokens, vocabulary], in f64 throughout."""
    w = made.weights
    stream = w["token_embd.weight"][ids]
    if made.is_gemma:
        stream = stream * np.sqrt(made.width)
    for i in range(made.layers):
        layer = {name.removeprefix(f"blk.{i}."): t for name, t in w.items()}
        is_local = made.is_gemma and (i + 1) % LOCAL_EVERY != 0
        attended = _attention(made, layer, _norm(made, stream, layer["attn_norm.weight"]), is_local)
        if made.is_gemma:
            attended = _norm(made, attended, layer["post_attention_norm.weight"])
        stream = stream + attended
        fed = _feed(made, layer, _norm(made, stream, layer["ffn_norm.weight"]))
        if made.is_gemma:
            fed = _norm(made, fed, layer["post_ffw_norm.weight"])
        stream = stream + fed
    head = w["token_embd.weight" if made.tied else "output.weight"]
    out = _norm(made, stream, w["output_norm.weight"]) @ head.T
    return _capped(out, made.logit_cap)


def _norm(made: Made, x: Doubles, weight: Doubles) -> Doubles:
    return np.asarray(x / np.sqrt(np.mean(x**2, -1, keepdims=True) + made.epsilon) * weight)


def _capped(x: Doubles, cap: float) -> Doubles:
    return np.asarray(cap * np.tanh(x / cap)) if cap else x


def _feed(made: Made, layer: dict[str, Doubles], x: Doubles) -> Doubles:
    up = x @ layer["ffn_up.weight"].T
    if made.family == "phi3":
        gate, up = np.split(up, 2, -1)
    else:
        gate = x @ layer["ffn_gate.weight"].T
    if made.is_gemma:
        opened = gate / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (gate + 0.044715 * gate**3)))
    else:
        opened = gate / (1 + np.exp(-gate))
    return np.asarray(opened * up @ layer["ffn_down.weight"].T)


def _attention(made: Made, layer: dict[str, Doubles], x: Doubles, is_local: bool) -> Doubles:
    count = len(x)
    parts = []
    counts = {"q": made.heads, "k": made.key_heads, "v": made.key_heads}
    if made.family == "phi3":
        ends = np.cumsum([heads * made.head for heads in counts.values()])
        stacked = np.split(layer["attn_qkv.weight"], ends[:-1])
        layer = layer | {f"attn_{name}.weight": w for name, w in zip("qkv", stacked, strict=True)}
    for name, heads in counts.items():
        part = x @ layer[f"attn_{name}.weight"].T + layer.get(f"attn_{name}.bias", 0)
        part = part.reshape(count, heads, made.head)
        if (norm := layer.get(f"attn_{name}_norm.weight")) is not None:
            part = _norm(made, part, norm)
        parts.append(part if name == "v" else _turned(made, part, is_local))
    queries, keys, values = parts
    shared = made.heads // made.key_heads
    keys, values = np.repeat(keys, shared, 1), np.repeat(values, shared, 1)
    scores = np.einsum("qhd,khd->hqk", queries, keys) / np.sqrt(made.head)
    scores = _capped(scores, made.score_cap)
    behind = np.arange(count)[:, None] - np.arange(count)[None, :]
    is_windowed = is_local or made.family == "phi3"
    seen = (behind >= 0) & (behind < (made.window if is_windowed else count))
    scores = np.where(seen, scores, -np.inf)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    attended = np.einsum("hqk,khd->qhd", shares, values).reshape(count, -1)
    return np.asarray(attended @ layer["attn_output.weight"].T)


def _turned(made: Made, x: Doubles, is_local: bool) -> Doubles:
    columns = made.turned_columns
    base = 10_000.0 if is_local else made.rope_base
    frequencies = base ** (-np.arange(0, columns, 2) / columns)
    if not is_local:
        frequencies *= made.rope_scale
        if made.rope_factors:
            frequencies /= made.weights["rope_freqs.weight"]
    angles = np.arange(len(x))[:, None, None] * frequencies
    cosines, sines = np.cos(angles), np.sin(angles)
    part, rest = x[..., :columns], x[..., columns:]
    if made.family == "llama":
        first, second = part[..., 0::2], part[..., 1::2]
    else:
        first, second = part[..., : columns // 2], part[..., columns // 2 :]
    ends = (first * cosines - second * sines, first * sines + second * cosines)
    if made.family == "llama":
        turned = np.stack(ends, -1).reshape(part.shape)
    else:
        turned = np.concatenate(ends, -1)
    return np.concatenate([turned, rest], -1)
