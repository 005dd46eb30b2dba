"""The two ways to attend. Both take one layer's q, k and v and keep the KV cache.

q: [batch, sequence, heads · head size]; k and v the same with the KV heads. The cache is
`past_key_values.N.key|value` in and `present.N.key|value` out: [batch, KV heads, length,
head size]. The result has q's shape. RoPE turns the two halves of a head.
"""

from functools import cached_property

import numpy as np
from onnx import TensorProto

from pageside.models.llama import LlamaShape
from pageside.models.nodes import Nodes

MASKED = -1e9  # not -inf: a row of only -inf would make Softmax answer NaN


class GroupedQueryAttention:
    """ONNX Runtime's fused operator: the fastest on Wasm.

    On WebGPU's software adapter it gave wrong logits, so it is not used there.
    """

    def __init__(self, nodes: Nodes, shape: LlamaShape) -> None:
        self._nodes = nodes
        self._shape = shape
        self._rope = rope_tables(nodes, shape)

    def attend(self, layer: int, q: str, k: str, v: str) -> str:
        outputs = [f"attention_{layer}", f"present.{layer}.key", f"present.{layer}.value"]
        return self._nodes.microsoft_many(
            "GroupQueryAttention",
            *(q, k, v),
            *(f"past_key_values.{layer}.key", f"past_key_values.{layer}.value"),
            *(self._last_position, self._length),
            *self._rope,
            outputs=outputs,
            num_heads=self._shape.heads,
            kv_num_heads=self._shape.kv_heads,
            do_rotary=1,
            rotary_interleaved=0,
        )[0]

    @cached_property
    def _last_position(self) -> str:
        """int32 [batch, 1]: how many tokens each sequence has, less one."""
        nodes = self._nodes
        lengths = nodes.add("ReduceSum", "attention_mask", nodes.integers(1), keepdims=1)
        return nodes.add("Cast", nodes.add("Sub", lengths, nodes.integers(1)), to=TensorProto.INT32)

    @cached_property
    def _length(self) -> str:
        return self._nodes.add("Cast", size(self._nodes, "attention_mask"), to=TensorProto.INT32)


class PrimitiveAttention:
    """Attention from plain operators, for a batch of one sequence without padding."""

    def __init__(self, nodes: Nodes, shape: LlamaShape) -> None:
        self._nodes = nodes
        self._shape = shape
        self._rope = rope_tables(nodes, shape)

    def attend(self, layer: int, q: str, k: str, v: str) -> str:
        keys = self._extended(f"{layer}.key", self._rotated(k, self._shape.kv_heads))
        values = self._extended(f"{layer}.value", v)
        add = self._nodes.add
        scores = add("MatMul", self._queries(q), add("Transpose", keys, perm=[0, 1, 3, 2]))
        weights = add("Softmax", add("Add", scores, self._mask), axis=-1)
        return self._joined(add("MatMul", weights, values))

    def _rotated(self, x: str, heads: int) -> str:
        return self._nodes.microsoft(
            "RotaryEmbedding", x, self._positions, *self._rope, num_heads=heads, interleaved=0
        )

    def _extended(self, name: str, x: str) -> str:
        """The cache with the new tokens' keys or values behind the past ones."""
        past, new = f"past_key_values.{name}", self._split(x, self._shape.kv_heads)
        return self._nodes.add("Concat", past, new, output=f"present.{name}", axis=2)

    def _queries(self, q: str) -> str:
        """Heads that share keys become more rows: [batch, KV heads, group · sequence, size]."""
        scale = np.array(self._shape.head_size**-0.5, np.float32)
        scaled = self._nodes.add("Mul", q, self._nodes.constant("attention_scale", scale))
        by_head = self._split(self._rotated(scaled, self._shape.heads), self._shape.heads)
        grouped = self._nodes.integers(0, self._shape.kv_heads, -1, self._shape.head_size)
        return self._nodes.add("Reshape", by_head, grouped)

    def _split(self, x: str, heads: int) -> str:
        """[batch, sequence, heads · size] → [batch, heads, sequence, size]."""
        sizes = self._nodes.integers(0, 0, heads, self._shape.head_size)
        return self._nodes.add("Transpose", self._nodes.add("Reshape", x, sizes), perm=[0, 2, 1, 3])

    def _joined(self, mixed: str) -> str:
        """[batch, KV heads, group · sequence, size] → [batch, sequence, heads · size]."""
        add, integers, shape = self._nodes.add, self._nodes.integers, self._shape
        by_head = add("Reshape", mixed, integers(0, shape.heads, -1, shape.head_size))
        by_token = add("Transpose", by_head, perm=[0, 2, 1, 3])
        return add("Reshape", by_token, integers(0, 0, shape.heads * shape.head_size))

    @cached_property
    def _new_positions(self) -> str:
        """int64 [sequence]: where in the conversation the new tokens stand."""
        add, length = self._nodes.add, size(self._nodes, "attention_mask")
        first = add("Sub", length, size(self._nodes, "input_ids"))
        return add("Range", first, length, self._nodes.integer(1))

    @cached_property
    def _positions(self) -> str:
        return self._nodes.add("Unsqueeze", self._new_positions, self._nodes.integers(0))

    @cached_property
    def _mask(self) -> str:
        """[group · sequence, length]: 0 where a token may look, `MASKED` at later ones."""
        add, nodes = self._nodes.add, self._nodes
        length = size(nodes, "attention_mask")
        columns = add("Range", nodes.integer(0), length, nodes.integer(1))
        rows = add("Unsqueeze", self._new_positions, nodes.integers(-1))
        allowed = nodes.constant("allowed", np.array(0, np.float32))
        masked = nodes.constant("masked", np.array(MASKED, np.float32))
        mask = add("Where", add("LessOrEqual", columns, rows), allowed, masked)
        group = self._shape.heads // self._shape.kv_heads
        return add("Tile", mask, nodes.integers(group, 1))


def size(nodes: Nodes, value: str) -> str:
    """An int64 scalar: how long `value` [batch, …] is along its second axis."""
    return nodes.add("Gather", nodes.add("Shape", value), nodes.integer(1), axis=0)


def rope_tables(nodes: Nodes, shape: LlamaShape) -> tuple[str, str]:
    """cos and sin of every position's angles: [context window, head size / 2]."""
    exponents = np.arange(0, shape.head_size, 2, dtype=np.float64) / shape.head_size
    angles = np.outer(np.arange(shape.context_window), shape.rope_base**-exponents)
    cosines = nodes.constant("rope_cos", np.cos(angles).astype(np.float32))
    sines = nodes.constant("rope_sin", np.sin(angles).astype(np.float32))
    return cosines, sines
