"""A llama GGUF as ONNX graphs that transformers.js can run.

The decoder is written once; how it multiplies and how it attends differ by device:

    Wasm     `skeleton`   float32 matrices outside the graph    GroupQueryAttention
    WebGPU   `four_bit`   quantised matrices inside the graph   attention from primitives

Ten times faster on Wasm than a 4-bit graph, whose operator dequantises a whole matrix at
each call there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import onnx
from onnx import TensorProto, helper

from pageside.models.attention import GroupedQueryAttention, PrimitiveAttention
from pageside.models.blocks import vector
from pageside.models.gguf import Gguf
from pageside.models.linear import BlockWeights, ExternalWeights
from pageside.models.llama import LlamaShape
from pageside.models.nodes import Nodes


class Weights(Protocol):
    def embedding(self, ids: str) -> str: ...

    def linear(self, x: str, name: str, output: str = "") -> str: ...


class Attention(Protocol):
    def attend(self, layer: int, q: str, k: str, v: str) -> str: ...


def skeleton(file: Gguf, shape: LlamaShape) -> tuple[bytes, dict[str, object]]:
    """The graph for Wasm, and where in the GGUF the worker finds its weights."""
    nodes = Nodes()
    weights = ExternalWeights(nodes, file, shape)
    decoder = _Decoder(nodes, file, shape, weights, GroupedQueryAttention(nodes, shape))
    return decoder.model(), weights.table()


def four_bit(file: Gguf, shape: LlamaShape) -> bytes:
    """The graph for WebGPU: weights included, float32 activations, a batch of one."""
    nodes = Nodes()
    weights = BlockWeights(nodes, file, shape)
    return _Decoder(nodes, file, shape, weights, PrimitiveAttention(nodes, shape)).model()


@dataclass
class _Decoder:
    nodes: Nodes
    file: Gguf
    shape: LlamaShape
    weights: Weights
    attention: Attention

    def model(self) -> bytes:
        hidden = self.weights.embedding("input_ids")
        normed = self._norm(hidden, "blk.0.attn_norm.weight")
        for layer in range(self.shape.layers):
            normed, hidden = self._layer(layer, normed, hidden)
        self.weights.linear(self._kept(normed), self.shape.head_tensor, output="logits")
        return self.nodes.model(self._inputs(), self._outputs())

    def _layer(self, layer: int, normed: str, hidden: str) -> tuple[str, str]:
        """One transformer block; `normed` is `hidden` after the norm that comes next."""
        block = f"blk.{layer}"
        q, k, v = (self._linear(normed, f"{block}.attn_{part}") for part in "qkv")
        attended = self.attention.attend(layer, q, k, v)
        mixed = self._linear(attended, f"{block}.attn_output")
        normed, hidden = self._add_and_norm(mixed, hidden, f"{block}.ffn_norm.weight")
        is_last = layer + 1 == self.shape.layers
        next_norm = "output_norm.weight" if is_last else f"blk.{layer + 1}.attn_norm.weight"
        return self._add_and_norm(self._feed_forward(block, normed), hidden, next_norm)

    def _feed_forward(self, block: str, x: str) -> str:
        add = self.nodes.add
        gate = self._linear(x, f"{block}.ffn_gate")
        silu = add("Mul", gate, add("Sigmoid", gate))
        gated = add("Mul", silu, self._linear(x, f"{block}.ffn_up"))
        return self._linear(gated, f"{block}.ffn_down")

    def _linear(self, x: str, name: str) -> str:
        return self.weights.linear(x, f"{name}.weight")

    def _norm(self, x: str, name: str) -> str:
        """RMS norm from plain operators: the fused one is in no domain that onnx checks."""
        add, constant = self.nodes.add, self.nodes.constant
        mean = add("ReduceMean", add("Mul", x, x), self.nodes.integers(-1), keepdims=1)
        epsilon = constant("norm_epsilon", np.array(self.shape.norm_epsilon, np.float32))
        root = add("Sqrt", add("Add", mean, epsilon))
        return add("Mul", add("Div", x, root), self._norm_weights(name))

    def _add_and_norm(self, x: str, hidden: str, name: str) -> tuple[str, str]:
        """hidden + x, as (its RMS norm, itself)."""
        outputs = [f"normed_by_{name}", "", "", f"hidden_before_{name}"]
        self.nodes.microsoft_many(
            "SkipSimplifiedLayerNormalization",
            *(x, hidden, self._norm_weights(name)),
            outputs=outputs,
            epsilon=self.shape.norm_epsilon,
        )
        return outputs[0], outputs[3]

    def _norm_weights(self, name: str) -> str:
        return self.nodes.constant(name, vector(self.file, self.file.tensors[name]))

    def _kept(self, x: str) -> str:
        """The last `num_logits_to_keep` positions; 0 keeps all, for −0 is the first one."""
        integers = self.nodes.integers
        count = self.nodes.add("Reshape", "num_logits_to_keep", integers(-1))
        start = self.nodes.add("Neg", count)
        return self.nodes.add("Slice", x, start, integers(2**31 - 1), integers(1))

    def _inputs(self) -> list[onnx.ValueInfoProto]:
        """transformers.js takes heads and head size from here: they must be numbers."""
        return [
            _integers("input_ids", ["batch_size", "sequence_length"]),
            _integers("attention_mask", ["batch_size", "total_sequence_length"]),
            _integers("num_logits_to_keep", []),
            *self._cache("past_key_values", "past_sequence_length"),
        ]

    def _outputs(self) -> list[onnx.ValueInfoProto]:
        logits = ["batch_size", "num_logits", self.shape.vocabulary]
        cache = self._cache("present", "total_sequence_length")
        return [_floats("logits", logits), *cache]

    def _cache(self, prefix: str, length: str) -> list[onnx.ValueInfoProto]:
        size = ["batch_size", self.shape.kv_heads, length, self.shape.head_size]
        return [
            _floats(f"{prefix}.{layer}.{part}", size)
            for layer in range(self.shape.layers)
            for part in ("key", "value")
        ]


def _integers(name: str, shape: Sequence[Any]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.INT64, shape)


def _floats(name: str, shape: Sequence[Any]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
