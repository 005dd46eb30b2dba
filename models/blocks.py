"""GGUF's quantised rows as arrays.

A block is 32 weights of one row that share a scale: w = scale · (quant − zero) + offset.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pageside.models.errors import ConversionUnsupported
from pageside.models.gguf import Gguf, Tensor

BLOCK_LENGTH = 32
FOUR = np.uint8(4)

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Blocks:
    """A quantised matrix of `rows` × `columns`; `zero` is the quant that stands for 0.

    quants: [rows, blocks, 32], each below 2**bits; scales and offsets: [rows, blocks].
    """

    bits: int
    quants: Bytes
    scales: Floats
    offsets: Floats | None

    @property
    def zero(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def rows(self) -> int:
        return int(self.quants.shape[0])

    @property
    def columns(self) -> int:
        return int(self.quants.shape[1]) * BLOCK_LENGTH

    def packed(self) -> Bytes:
        """The quants as MatMulNBits wants them: two of four bits a byte, the earlier one low."""
        if self.bits == 8:
            return self.quants
        packed: Bytes = self.quants[..., 0::2] | (self.quants[..., 1::2] << FOUR)
        return packed


def matrix(file: Gguf, tensor: Tensor, heads: int = 0) -> Blocks | Floats:
    """The tensor's weights, unquantised types as float32 [rows, columns].

    `heads`: whose q or k rows this holds; see `row_order`.
    """
    rows = file.rows(tensor)
    if heads:
        rows = rows[row_order(tensor.rows, heads)]
    match tensor.type:
        case "F32":
            return rows.view("<f4").astype(np.float32)
        case "F16":
            return rows.view("<f2").astype(np.float32)
        case "Q4_0":
            return _q4_0(rows.reshape(tensor.rows, -1, 18))
        case "Q4_1":
            return _q4_1(rows.reshape(tensor.rows, -1, 20))
        case _:
            return _q8_0(rows.reshape(tensor.rows, -1, 34))


def vector(file: Gguf, tensor: Tensor) -> Floats:
    """An unquantised tensor of one row, such as a norm's weights."""
    weights = matrix(file, tensor)
    if isinstance(weights, Blocks):
        raise ConversionUnsupported(f"the norm {tensor.name} is quantised as {tensor.type}")
    return weights.reshape(-1)


def row_order(rows: int, heads: int) -> npt.NDArray[np.intp]:
    """Undoes GGUF's order of llama's q and k rows: row i is the file's row `order[i]`.

    llama.cpp rotates neighbouring pairs, ONNX Runtime the two halves of a head, so the
    file interleaves each head's halves.
    """
    pairs = np.arange(rows).reshape(heads, rows // heads // 2, 2)
    return pairs.swapaxes(1, 2).reshape(-1)


def _q4_0(blocks: Bytes) -> Blocks:
    return Blocks(4, _nibbles(blocks[..., 2:]), _half(blocks, 0), None)


def _q4_1(blocks: Bytes) -> Blocks:
    """w = scale · quant + least, rewritten around the zero that MatMulNBits takes by default."""
    scales, least = _half(blocks, 0), _half(blocks, 2)
    return Blocks(4, _nibbles(blocks[..., 4:]), scales, least + 8 * scales)


def _q8_0(blocks: Bytes) -> Blocks:
    return Blocks(8, blocks[..., 2:] ^ np.uint8(0x80), _half(blocks, 0), None)


def _nibbles(packed: Bytes) -> Bytes:
    """GGUF keeps weights 0–15 of a block in the low halves of its bytes, 16–31 in the high."""
    return np.concatenate([packed & np.uint8(15), packed >> FOUR], axis=-1)


def _half(blocks: Bytes, offset_bytes: int) -> Floats:
    halves = np.ascontiguousarray(blocks[..., offset_bytes : offset_bytes + 2]).view("<f2")
    return halves[..., 0].astype(np.float32)
