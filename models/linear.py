"""The two ways to multiply by a model's matrices.

Both offer `embedding(ids)` and `linear(x, name)` to the decoder in `graph.py`.
"""

from dataclasses import asdict, dataclass, field

import numpy as np
from onnx import TensorProto

from pageside.models.blocks import BLOCK_LENGTH, Blocks, Floats, matrix
from pageside.models.gguf import Gguf
from pageside.models.llama import LlamaShape
from pageside.models.nodes import Nodes

EXTERNAL_LOCATION = "weights"
EXTERNAL_ALIGNMENT = 4096

# MatMulNBits may compute with int8 activations; 1 asks for float32 ones, which are exact.
ACCURACY_FLOAT32 = 1


@dataclass(frozen=True)
class ExternalTensor:
    """A float32 matrix of the skeleton, and the GGUF bytes it is dequantised from.

    `heads`: 0, or whose rows the worker has to put in order, as `blocks.row_order` says.
    """

    name: str
    offset_bytes: int
    source_offset_bytes: int
    type: str
    rows: int
    columns: int
    heads: int


@dataclass
class ExternalWeights:
    """Matrices that the worker fills in: float32 rows as in the GGUF, outside the graph."""

    nodes: Nodes
    file: Gguf
    shape: LlamaShape
    tensors: dict[str, ExternalTensor] = field(default_factory=dict)
    total_bytes: int = 0

    def embedding(self, ids: str) -> str:
        return self.nodes.add("Gather", self._external("token_embd.weight"), ids, axis=0)

    def linear(self, x: str, name: str, output: str = "") -> str:
        """x · Wᵀ, so that the rows keep the file's order and a tied head needs no copy."""
        weights = self._external(name)
        return self.nodes.microsoft("FusedMatMul", x, weights, output=output, transB=1)

    def table(self) -> dict[str, object]:
        """The content of `weights.json`."""
        tensors = [asdict(tensor) for tensor in self.tensors.values()]
        return {
            "location": EXTERNAL_LOCATION,
            "total_bytes": self.total_bytes,
            "tensors": tensors,
        }

    def _external(self, name: str) -> str:
        if name not in self.tensors:
            source, start = self.file.tensors[name], self.total_bytes
            size = (source.rows, source.columns)
            self.nodes.external(name, size, EXTERNAL_LOCATION, start)
            self.tensors[name] = ExternalTensor(
                name, start, source.offset_bytes, source.type, *size, heads_of(name, self.shape)
            )
            length = source.rows * source.columns * 4
            self.total_bytes += -(-length // EXTERNAL_ALIGNMENT) * EXTERNAL_ALIGNMENT
        return name


@dataclass
class BlockWeights:
    """Matrices inside the graph, as quantised as they are in the GGUF, and exactly so."""

    nodes: Nodes
    file: Gguf
    shape: LlamaShape
    _sums: dict[str, str] = field(default_factory=dict)

    def embedding(self, ids: str) -> str:
        weights = self._matrix("token_embd.weight")
        if isinstance(weights, Blocks):
            return self._dequantised_rows("token_embd.weight", weights, ids)
        table = self.nodes.constant("token_embd.weight", weights)
        return self.nodes.add("Gather", table, ids, axis=0)

    def linear(self, x: str, name: str, output: str = "") -> str:
        weights = self._matrix(name)
        if not isinstance(weights, Blocks):
            transposed = self.nodes.add("Transpose", self.nodes.constant(name, weights))
            return self.nodes.add("MatMul", x, transposed, output=output)
        if weights.offsets is None:
            return self._product(x, name, weights, output)
        product = self._product(x, name, weights, "")
        return self.nodes.add("Add", product, self._correction(x, name, weights), output=output)

    def _product(self, x: str, name: str, weights: Blocks, output: str) -> str:
        return self.nodes.microsoft(
            "MatMulNBits",
            x,
            self.nodes.constant(name, weights.packed()),
            self.nodes.constant(f"{name}.scales", weights.scales.reshape(-1)),
            output=output,
            K=weights.columns,
            N=weights.rows,
            bits=weights.bits,
            block_size=BLOCK_LENGTH,
            accuracy_level=ACCURACY_FLOAT32,
        )

    def _correction(self, x: str, name: str, weights: Blocks) -> str:
        """What a block's offset adds: the offset times the sum of the block's activations."""
        assert weights.offsets is not None
        offsets = self.nodes.constant(f"{name}.offsets", weights.offsets.T)
        return self.nodes.add("MatMul", self._block_sums(x, weights.columns), offsets)

    def _block_sums(self, x: str, columns: int) -> str:
        if x not in self._sums:
            blocks = self.nodes.integers(0, 0, columns // BLOCK_LENGTH, BLOCK_LENGTH)
            split = self.nodes.add("Reshape", x, blocks)
            axis = self.nodes.integers(-1)
            self._sums[x] = self.nodes.add("ReduceSum", split, axis, keepdims=0)
        return self._sums[x]

    def _dequantised_rows(self, name: str, weights: Blocks, ids: str) -> str:
        """The rows of a quantised table, from the same bytes that a tied head multiplies by."""
        add, constant = self.nodes.add, self.nodes.constant
        packed = add("Gather", constant(name, weights.packed()), ids, axis=0)
        quants = packed if weights.bits == 8 else self._unpacked(packed, weights.columns)
        floats = add("Cast", quants, to=TensorProto.FLOAT)
        zero = constant(f"zero_{weights.bits}", np.array(weights.zero, np.float32))
        scales = constant(f"{name}.row_scales", weights.scales[..., None])
        rows = add("Mul", add("Sub", floats, zero), add("Gather", scales, ids, axis=0))
        if weights.offsets is not None:
            offsets = constant(f"{name}.row_offsets", weights.offsets[..., None])
            rows = add("Add", rows, add("Gather", offsets, ids, axis=0))
        return add("Reshape", rows, self.nodes.integers(0, 0, weights.columns))

    def _unpacked(self, packed: str, columns: int) -> str:
        add, constant = self.nodes.add, self.nodes.constant
        low = add("BitwiseAnd", packed, constant("byte_15", np.array(15, np.uint8)))
        four = constant("byte_4", np.array(4, np.uint8))
        high = add("BitShift", packed, four, direction="RIGHT")
        last = self.nodes.integers(-1)
        pairs = add("Concat", add("Unsqueeze", low, last), add("Unsqueeze", high, last), axis=-1)
        blocks = self.nodes.integers(0, 0, columns // BLOCK_LENGTH, BLOCK_LENGTH)
        return add("Reshape", pairs, blocks)

    def _matrix(self, name: str) -> Blocks | Floats:
        return matrix(self.file, self.file.tensors[name], heads_of(name, self.shape))


def heads_of(name: str, shape: LlamaShape) -> int:
    """Whose heads' rows the GGUF interleaves: llama's queries and keys."""
    if name.endswith("attn_q.weight"):
        return shape.heads
    return shape.kv_heads if name.endswith("attn_k.weight") else 0
