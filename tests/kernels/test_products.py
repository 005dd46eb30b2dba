"""Every type of weights: repacked where it lies, read back, and multiplied, beside numpy."""

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from . import made
from .conftest import Kernels, Room
from .reference import BLOCKS, FLOATS, Bytes, Product, Singles, product, weights

# Of the input: a block of 32 (activation.h).
BLOCK_BYTES = 80
TYPES = pytest.mark.parametrize("type_", BLOCKS, ids=lambda type_: type_.name)
KINDS = pytest.mark.parametrize("kind", made.KINDS)
# One to three rows of a tail, none, and both.
ROWS = (1, 2, 3, 4, 5, 8, 11, 64)


class Matrix:
    """Weights as a model's file has them, and as the kernels repacked them."""

    def __init__(self, compiled: Kernels, type_: Type, blocks: Bytes, columns: int) -> None:
        self.compiled, self.type, self.columns = compiled, type_, columns
        self.rows, row_bytes = blocks.shape
        self._group_bytes = 4 * row_bytes
        self.tiles, self.tail, _ = compiled.call(
            "test_repack",
            *(type_, blocks, self.rows, columns),
            *(Room(self._group_bytes), Room(self._group_bytes)),
        )

    def row(self, row: int) -> Singles:
        group = row // 4 * self._group_bytes
        tiles = self.tail if row // 4 == self.rows // 4 else self.tiles[group:]
        out = Room(4 * self.columns)
        _, values = self.compiled.call(
            "test_row", self.type, tiles[: self._group_bytes], row % 4, self.columns, out
        )
        return values.view(np.float32)

    def times(self, x: Singles, *, first: int = 0, last: int = 0, add_to: Singles) -> Singles:
        """Rows `first` to `last - 1`, 0 for all, added to `add_to`. [inputs, rows]"""
        *_, out = self.compiled.call(
            "test_product",
            *(self.type, self.tiles, self.tail, self.rows, self.columns),
            *(x, len(x), first, last or self.rows),
            *(Room(x.size // 32 * BLOCK_BYTES), add_to, 1),
        )
        return out.view(np.float32).reshape(add_to.shape)


def columns_of(type_: Type, blocks: int) -> int:
    return BLOCKS[type_][0] * blocks


def assert_close(got: Singles, want: Product) -> None:
    np.testing.assert_array_less(np.abs(got - want.value), 1e-6 * want.size + 1e-37)
    np.testing.assert_array_less(np.abs(got - want.exact), want.bound + 1e-37)


@TYPES
@KINDS
@pytest.mark.parametrize("rows", ROWS)
def test_the_product_is_numpys(compiled: Kernels, type_: Type, kind: str, rows: int) -> None:
    rng = np.random.default_rng([type_, len(kind), rows])
    # f32 sums of many equal terms drift beyond 1e-6: few of them here.
    columns = columns_of(type_, int(rng.integers(1, 3 if BLOCKS[type_][0] > 32 else 6)))
    blocks = made.blocks(rng, type_, rows, columns, kind)
    x = made.inputs(rng, int(rng.integers(1, 10)), columns, kind)
    got = Matrix(compiled, type_, blocks, columns).times(
        x, add_to=np.zeros((len(x), rows), np.float32)
    )
    assert_close(got, product(type_, blocks, x))


@TYPES
@KINDS
def test_a_row_is_as_it_was_in_the_file(compiled: Kernels, type_: Type, kind: str) -> None:
    rng = np.random.default_rng([type_, len(kind)])
    columns = columns_of(type_, 3)
    blocks = made.blocks(rng, type_, 7, columns, kind)
    matrix = Matrix(compiled, type_, blocks, columns)
    for row, want in enumerate(weights(type_, blocks, columns)):
        # A K type's value is a difference of two products, each rounded.
        np.testing.assert_allclose(matrix.row(row), want, rtol=1e-6, atol=1e-7 * np.abs(want).max())


@TYPES
def test_repacking_takes_no_bytes_and_loses_none(compiled: Kernels, type_: Type) -> None:
    rng = np.random.default_rng(type_)
    blocks = made.blocks(rng, type_, 8, columns_of(type_, 2), "random")
    tiles = Matrix(compiled, type_, blocks, columns_of(type_, 2)).tiles
    assert tiles.size == blocks.size
    if type_ in FLOATS or type_ == Type.Q8_0:
        assert sorted(tiles) == sorted(blocks.reshape(-1))


@TYPES
def test_any_part_of_the_rows_is_the_same_as_all_of_them(compiled: Kernels, type_: Type) -> None:
    """So that threads may share them out in any way."""
    rng = np.random.default_rng(type_)
    columns, rows = columns_of(type_, 2), 23
    matrix = Matrix(compiled, type_, made.blocks(rng, type_, rows, columns, "random"), columns)
    x = made.inputs(rng, 5, columns, "random")
    before = rng.normal(size=(5, rows)).astype(np.float32)
    whole = matrix.times(x, add_to=before)
    for cut in range(4, rows, 4):
        left = matrix.times(x, last=cut, add_to=before)
        np.testing.assert_array_equal(left[:, cut:], before[:, cut:])
        np.testing.assert_array_equal(matrix.times(x, first=cut, add_to=left), whole)


@TYPES
def test_a_token_alone_gives_what_it_gives_in_a_batch(compiled: Kernels, type_: Type) -> None:
    """Decode and prefill agree to the last bit: what the cache holds tells nothing of either."""
    rng = np.random.default_rng(type_)
    columns = columns_of(type_, 2)
    matrix = Matrix(compiled, type_, made.blocks(rng, type_, 12, columns, "random"), columns)
    x = made.inputs(rng, 6, columns, "random")
    zeros = np.zeros((6, 12), np.float32)
    together = matrix.times(x, add_to=zeros)
    for row, one in enumerate(together):
        alone = matrix.times(x[row : row + 1], add_to=zeros[:1])
        np.testing.assert_array_equal(alone[0], one)
