"""What the kernels compute, in numpy."""

from dataclasses import dataclass

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

Bytes = npt.NDArray[np.uint8]
Singles = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

# Columns and bytes of a block.
BLOCKS = {
    Type.F32: (32, 128),
    Type.F16: (32, 64),
    Type.BF16: (32, 64),
    Type.Q4_0: (32, 18),
    Type.Q4_1: (32, 20),
    Type.Q5_0: (32, 22),
    Type.Q5_1: (32, 24),
    Type.Q8_0: (32, 34),
    Type.Q4_K: (256, 144),
    Type.Q5_K: (256, 176),
    Type.Q6_K: (256, 210),
}
FLOATS = (Type.F32, Type.F16, Type.BF16)
# Below this a block of the input counts as zeros.
SMALLEST = 2.0**-100


@dataclass(frozen=True)
class Rounded:
    """An input as activation.h says."""

    quants: npt.NDArray[np.int64]  # [inputs, blocks, 32]
    scales: Singles  # [inputs, blocks]

    @property
    def values(self) -> Doubles:
        scaled = self.quants * self.scales[..., None].astype(np.float64)
        return scaled.reshape(len(self.quants), -1)


def rounded(x: Singles) -> Rounded:
    blocks = x.reshape(len(x), -1, 32)
    largest = np.abs(blocks).max(-1)
    is_zero = largest < SMALLEST
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        factors = np.where(is_zero, np.float32(0), np.float32(32767) / largest)
        quants = np.rint(blocks * factors[..., None].astype(np.float32)).astype(np.int64)
    scales = np.where(is_zero, np.float32(0), largest / np.float32(32767))
    return Rounded(quants, scales.astype(np.float32))


def weights(type_: Type, blocks: Bytes, columns: int) -> Doubles:
    """By llama.cpp's own package. [rows, columns]"""
    return gguf.dequantize(blocks, type_).reshape(-1, columns).astype(np.float64)


def minima(type_: Type, blocks: Bytes, columns: int) -> Doubles:
    """The part of each weight that no quant multiplies. [rows, columns]"""
    rows = len(blocks)
    flat = blocks.reshape(-1, BLOCKS[type_][1])
    second = np.ascontiguousarray(flat[:, 2:4]).view(np.float16).astype(np.float64)
    if type_ in (Type.Q4_1, Type.Q5_1):
        return np.repeat(second, 32, 1).reshape(rows, columns)
    if type_ in (Type.Q4_K, Type.Q5_K):
        _, sixths = gguf.quants.Q4_K.get_scale_min(np.ascontiguousarray(flat[:, 4:16]))
        return np.repeat(-second * sixths.astype(np.float64), 32, 1).reshape(rows, columns)
    return np.zeros((rows, columns))


@dataclass(frozen=True)
class Product:
    """`value` as the kernels' arithmetic has it but without its roundings; `size` is the sum of
    all terms' sizes, which those roundings are in proportion to; `exact` is of the input as given.
    [inputs, rows]
    """

    value: Doubles
    size: Doubles
    exact: Doubles
    bound: Doubles


def product(type_: Type, blocks: Bytes, x: Singles) -> Product:
    columns = x.shape[1]
    w = weights(type_, blocks, columns)
    given = x.astype(np.float64)
    exact = given @ w.T
    if type_ in FLOATS:
        size = np.abs(given) @ np.abs(w).T
        return Product(exact, size, exact, 1e-6 * size)
    r = rounded(x)
    m = minima(type_, blocks, columns)
    size = np.abs(r.values) @ (np.abs(w - m) + np.abs(m)).T
    # Half a quant of each input, or all of a block that counts as zeros.
    away = np.repeat(r.scales / 2.0, 32, 1) * (1 + 1e-6)
    away = np.where(r.values == 0, np.maximum(away, np.minimum(np.abs(given), SMALLEST)), away)
    return Product(r.values @ w.T, size, exact, away @ np.abs(w).T + 1e-6 * size)
