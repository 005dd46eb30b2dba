"""What stands between the products: attention over each kind of cache, norms, gates, turns."""

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from .conftest import Kernels, Room
from .reference import Doubles, Singles

SILU, GELU = 0, 1
ADJACENT, APART = 0, 1
HEADS = (4, 12, 32, 64, 80, 96, 128, 256)


def stored(type_: Type, rows: Singles) -> Doubles:
    """As the cache keeps them."""
    if type_ == Type.F32:
        return rows.astype(np.float64)
    if type_ == Type.F16:
        return np.clip(rows, -65504, 65504).astype(np.float16).astype(np.float64)
    largest = np.abs(rows).max(-1, keepdims=True)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        factors = np.where(largest < 2.0**-100, np.float32(0), np.float32(127) / largest)
    scales = (largest / np.float32(127)).astype(np.float64)
    return np.asarray(np.rint(rows * factors.astype(np.float32)) * scales, np.float64)


def attended(query: Singles, keys: Doubles, values: Doubles, scale: float, cap: float) -> Doubles:
    scores = keys @ query.astype(np.float64) * scale
    if cap:
        scores = cap * np.tanh(scores / cap)
    shares = np.exp(scores - scores.max())
    return np.asarray(shares / shares.sum() @ values)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("value_type", [Type.F32, Type.F16, Type.Q8_0], ids=lambda t: t.name)
@pytest.mark.parametrize("key_type", [Type.F32, Type.F16, Type.Q8_0], ids=lambda t: t.name)
@pytest.mark.parametrize(("first", "last"), [(0, 1), (0, 2), (3, 7), (0, 33), (100, 612)])
@pytest.mark.parametrize("cap", [0, 30])
def test_attention_is_numpys(
    compiled: Kernels,
    key_type: Type,
    value_type: Type,
    head: int,
    first: int,
    last: int,
    cap: float,
) -> None:
    rng = np.random.default_rng([key_type, value_type, head, last])
    query, keys, values = (
        rng.normal(size=shape).astype(np.float32) for shape in (head, (last, head), (last, head))
    )
    # One that all look at, and sizes beyond an f16's.
    keys[last - 1] *= 8
    values[first] *= 1e-6
    scale = head**-0.5
    *_, out = compiled.call(
        "test_attend",
        *(query, keys, values, key_type, value_type, head, first, last, scale, cap),
        *(Room(4 * last * head + 4 * last), Room(4 * last * head + 4 * last)),
        *(Room(4 * (last - first + 3)), Room(4 * head)),
    )
    want = attended(
        query, stored(key_type, keys)[first:], stored(value_type, values)[first:], scale, cap
    )
    np.testing.assert_allclose(out.view(np.float32), want, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("type_", [Type.F16, Type.Q8_0], ids=lambda type_: type_.name)
def test_extreme_rows_are_kept_as_near_as_the_cache_can(compiled: Kernels, type_: Type) -> None:
    """One position's share is 1, so what comes out is the row that went in."""
    rows = np.zeros((5, 8), np.float32)
    rows[1] = [65504, -65520, 1e9, 5.96e-8, -2.9e-8, 3e-8, 6.1e-5, 1]
    rows[2] = 1e-40
    rows[3] = [1, -1, 2049, 2051, 0.333333, 1e-5, -0.0, 65503]
    rows[4] = np.float32(2.0) ** np.arange(-20, -12)
    for row in rows:
        *_, out = compiled.call(
            "test_attend",
            *(np.zeros(8, np.float32), np.zeros(8, np.float32), row, Type.F32, type_),
            *(8, 0, 1, 1.0, 0.0, Room(32), Room(32), Room(16), Room(32)),
        )
        want = stored(type_, row[None])[0]
        np.testing.assert_allclose(out.view(np.float32), want, rtol=1e-6, atol=1e-38)


@pytest.mark.parametrize("count", [4, 8, 576, 2048])
@pytest.mark.parametrize("size", [1e-6, 1, 1e4])
def test_the_norm_is_numpys(compiled: Kernels, count: int, size: float) -> None:
    rng = np.random.default_rng(count)
    values = (rng.normal(size=count) * size).astype(np.float32)
    weight = rng.normal(size=count).astype(np.float32)
    *_, out = compiled.call("test_norm", values, weight, count, 1e-5, Room(4 * count))
    exact = values.astype(np.float64)
    want = exact / np.sqrt(np.mean(exact**2) + np.float32(1e-5)) * weight
    np.testing.assert_allclose(out.view(np.float32), want, rtol=2e-6)


@pytest.mark.parametrize("gate", [SILU, GELU])
def test_the_gates_are_numpys(compiled: Kernels, gate: int) -> None:
    values = np.concatenate(
        [np.linspace(-12, 12, 4096), [0, -0.0, 1e-20, -1e-20, 90, -90, 1e30, -1e30]]
    )
    values = values.astype(np.float32)
    up = np.linspace(-2, 3, len(values)).astype(np.float32)
    _, out = compiled.call("test_gate", gate, values, up, len(values))
    v = values.astype(np.float64)
    with np.errstate(over="ignore"):
        silu = v / (1 + np.exp(-v))
        gelu = v / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)))
    want = (silu if gate == SILU else gelu) * up
    np.testing.assert_allclose(out.view(np.float32), want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("pairs", [ADJACENT, APART])
@pytest.mark.parametrize("turned", [64, 32])
def test_the_turn_is_numpys(compiled: Kernels, pairs: int, turned: int) -> None:
    rng = np.random.default_rng(turned)
    head = rng.normal(size=64).astype(np.float32)
    angles = rng.uniform(-100, 100, turned // 2)
    turns = np.stack([np.cos(angles), np.sin(angles)], -1).astype(np.float32)
    out, _ = compiled.call("test_turn", head, turns, turned, pairs)
    part = head[:turned].astype(np.float64)
    if pairs == ADJACENT:
        first, second = part[0::2], part[1::2]
    else:
        first, second = part[: turned // 2], part[turned // 2 :]
    cosines, sines = turns[:, 0].astype(np.float64), turns[:, 1].astype(np.float64)
    ends = (first * cosines - second * sines, first * sines + second * cosines)
    want = np.stack(ends, -1).reshape(-1) if pairs == ADJACENT else np.concatenate(ends)
    np.testing.assert_allclose(out.view(np.float32)[:turned], want, atol=1e-6)
    np.testing.assert_array_equal(out.view(np.float32)[turned:], head[turned:])
