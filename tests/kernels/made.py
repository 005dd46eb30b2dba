"""Weights and inputs of every kind that a kernel may meet."""

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type

from .reference import BLOCKS, FLOATS, Bytes, Singles

KINDS = ("random", "zeros", "huge", "denormal", "all-max")

# Where the f16 scales lie in a block, and how many.
_SCALES = {Type.Q4_0: (0, 1), Type.Q5_0: (0, 1), Type.Q8_0: (0, 1), Type.Q6_K: (208, 1)}
_TWO_SCALES = (0, 2)


def blocks(
    rng: np.random.Generator,
    type_: Type,
    rows: int,
    columns: int,
    kind: str,
    scale: float = 0.05,
) -> Bytes:
    """GGUF's bytes of a matrix. [rows, bytes a row]"""
    if type_ in FLOATS:
        return _floats(rng, type_, rows, columns, kind)
    width, size = BLOCKS[type_]
    count = rows * columns // width
    made = rng.integers(0, 256, (count, size), dtype=np.uint8)
    if kind in ("zeros", "all-max"):
        made[:] = 0 if kind == "zeros" else 0xFF
    at, scales_count = _SCALES.get(type_, _TWO_SCALES)
    scales = rng.normal(0, scale, (count, scales_count))
    if kind == "huge":
        scales[0] = 65504
    elif kind == "denormal":
        scales *= 1e-6
    elif kind != "random":
        scales[:] = 0 if kind == "zeros" else 1
    halves = scales.astype(np.float16).view(np.uint8).reshape(count, -1)
    made[:, at : at + 2 * scales_count] = halves
    return made.reshape(rows, -1)


def _floats(rng: np.random.Generator, type_: Type, rows: int, columns: int, kind: str) -> Bytes:
    values = rng.normal(size=(rows, columns)).astype(np.float32)
    if kind == "zeros":
        values[:] = 0
    elif kind == "huge":
        values[0, 0] = 60000
    elif kind == "denormal":
        values *= np.float32(1e-6 if type_ == Type.F16 else 1e-39)
    elif kind == "all-max":
        values[:] = 65504
    return gguf.quantize(values, type_).view(np.uint8).reshape(rows, -1)


def inputs(rng: np.random.Generator, count: int, columns: int, kind: str) -> Singles:
    x = rng.normal(size=(count, columns)).astype(np.float32)
    if kind == "zeros":
        x[0] = 0
    elif kind == "huge":
        x[0, 3] = 1e6
    elif kind == "denormal":
        x[-1] *= np.float32(1e-41)
    elif kind == "all-max":
        x[:] = 1e6
    return x
