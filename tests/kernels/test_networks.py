"""Whole networks: a file of every family and of every type of weights, beside numpy's f64."""

import base64
import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

import kernels
from harness.node import NODE

from . import networks
from .networks import Made, Spoiled
from .reference import BLOCKS, FLOATS, Singles

HERE = Path(__file__).resolve().parent
FAMILIES = ("llama", "qwen2", "qwen3", "phi3", "gemma3")
IDS = [int(i) for i in np.random.default_rng(1).integers(0, 99, 40)]


@dataclass(frozen=True)
class Answer:
    rows: list[Singles]  # the logits after each step
    reused: list[int]
    sha256: str
    error: dict[str, Any] | None


Run = Callable[..., Answer]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs a file in the engine's session, in one Node for all."""
    module = tmp_path_factory.mktemp("module") / "kernels.wasm"
    kernels.compile_kernels(module)
    node = subprocess.Popen(
        [NODE, HERE / "logits.mjs", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert node.stdin is not None
    assert node.stdout is not None

    def ask(
        file: Path,
        *prompts: list[int],
        chunks: list[int],
        threads: int = 1,
        cache: str = "f32",
        context: int = 64,
        piece_bytes: int = 65_536,
    ) -> Answer:
        request = {"file": str(file), "ids": prompts, "chunks": chunks, "pieceBytes": piece_bytes}
        request |= {"threads": threads, "cache": cache, "context": context}
        node.stdin.write(json.dumps(request) + "\n")
        node.stdin.flush()
        told: dict[str, Any] = json.loads(node.stdout.readline())
        rows = [np.frombuffer(base64.b64decode(row), np.float32) for row in told.get("logits", [])]
        return Answer(rows, told.get("reused", []), told.get("sha256", ""), told.get("error"))

    yield ask
    node.communicate()


def written(made: Made, folder: Path) -> Path:
    path = folder / "model.gguf"
    networks.write(made, path)
    return path


def assert_near(got: Singles, want: Any, made: Made) -> None:
    """Of the logits' own spread: f32 alone gives 1e-6, an input rounded to 16 bits some more."""
    spread = float(np.std(want))
    most = 2e-5 if made.type in FLOATS else 1e-3
    assert np.abs(got - want).max() / spread < most, made


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("type_", BLOCKS, ids=lambda type_: type_.name)
def test_logits_are_numpys(run: Run, tmp_path: Path, family: str, type_: Type) -> None:
    made = Made(family, type_, seed=int(type_))
    answer = run(written(made, tmp_path), IDS, chunks=[40])
    assert answer.error is None
    assert_near(answer.rows[0], networks.logits(made, IDS)[-1], made)


SHAPES = {
    "untied": Made("llama", Type.Q8_0, tied=False),
    "one head": Made("llama", Type.Q4_0, heads=1, key_heads=1, head=256),
    "heads of 80 columns": Made("qwen3", Type.Q4_1, width=320, heads=4, key_heads=4, head=80),
    "heads of 96 columns": Made("llama", Type.Q5_1, width=192, heads=2, key_heads=1, head=96),
    "heads wider than the model": Made("qwen3", Type.Q8_0, width=128, heads=4, head=64),
    "part of a head turns": Made("llama", Type.Q8_0, turned=32),
    "factors of RoPE": Made("llama", Type.Q8_0, rope_factors=True, rope_base=500_000.0),
    "linear RoPE": Made("gemma3", Type.Q8_0, layers=7, rope_scale=0.125, rope_base=1e6),
    "a layer that sees all": Made("gemma3", Type.Q4_0, layers=7),
    "capped": Made("llama", Type.Q8_0, score_cap=2.0, logit_cap=3.0),
    "a vocabulary of 96": Made("llama", Type.Q6_K, vocabulary=96 + 4),
}


@pytest.mark.parametrize("made", SHAPES.values(), ids=SHAPES)
def test_any_shape(run: Run, tmp_path: Path, made: Made) -> None:
    answer = run(written(made, tmp_path), IDS, chunks=[40])
    assert answer.error is None
    assert_near(answer.rows[0], networks.logits(made, IDS)[-1], made)


@pytest.mark.parametrize("chunks", [[1] * 40, [3, 1, 7, 29], [39, 1]])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_prefill_and_decode_agree_to_the_bit(
    run: Run, tmp_path: Path, chunks: list[int], threads: int
) -> None:
    """At any number of threads: what a conversation says does not depend on how it was computed."""
    made = Made("gemma3", Type.Q4_K, layers=7)
    path = written(made, tmp_path)
    whole = run(path, IDS, chunks=[40])
    parts = run(path, IDS, chunks=chunks, threads=threads)
    np.testing.assert_array_equal(parts.rows[-1], whole.rows[-1])
    exact = networks.logits(made, IDS)
    for end, row in zip(np.cumsum(chunks), parts.rows, strict=True):
        assert_near(row, exact[end - 1], made)


def test_a_cropped_cache_is_as_good_as_a_new_one(run: Run, tmp_path: Path) -> None:
    made = Made("qwen2", Type.Q4_1)
    path = written(made, tmp_path)
    other = [*IDS[:20], 5, 6, 7]
    answer = run(path, IDS, other, other, IDS[:9], chunks=[40, 40])
    assert answer.reused == [0, 20, 22, 8]
    for ids, row in zip((IDS, other, other, IDS[:9]), answer.rows, strict=True):
        np.testing.assert_array_equal(row, run(path, ids, chunks=[40]).rows[-1])


@pytest.mark.parametrize(("cache", "most"), [("f16", 5e-3), ("q8", 0.1)])
def test_a_smaller_cache_stays_near(run: Run, tmp_path: Path, cache: str, most: float) -> None:
    made = Made("llama", Type.Q8_0)
    answer = run(written(made, tmp_path), IDS, chunks=[40], cache=cache)
    want = networks.logits(made, IDS)[-1]
    error = np.abs(answer.rows[0] - want).max() / np.std(want)
    assert 1e-7 < error < most


@pytest.mark.parametrize("piece_bytes", [1009, 262_143, 262_144, 1 << 30])
def test_a_file_poured_in_any_pieces_is_the_same(
    run: Run, tmp_path: Path, piece_bytes: int
) -> None:
    made = Made("llama", Type.Q8_0, vocabulary=2003)
    path = written(made, tmp_path)
    answer = run(path, IDS, chunks=[40], piece_bytes=piece_bytes)
    assert answer.error is None
    assert answer.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert_near(answer.rows[0], networks.logits(made, IDS)[-1], made)


def test_a_file_that_is_not_covered_is_not_fetched_to_its_end(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    networks.write(Made("llama", Type.Q8_0, vocabulary=20_003), path, Spoiled(family="mamba"))
    error = run(path, IDS, chunks=[40]).error
    assert error is not None
    assert "mamba" in error["message"]
    assert error["pouredBytes"] < 300_000 < path.stat().st_size / 10


UNSUPPORTED = {
    "another family": (Spoiled(family="mamba"), "its family, mamba, is not one of llama"),
    "a family that every object has": (Spoiled(family="constructor"), "its family, constructor"),
    "a tensor too many": (
        Spoiled(shapes={"blk.0.attn_q.bias": (256,)}),
        "a tensor blk.0.attn_q.bias, which its family lacks",
    ),
    "a tensor too few": (Spoiled(shapes={"blk.1.ffn_up.weight": None}), "no tensor blk.1.ffn_up"),
    "more layers than tensors": (Spoiled({"block_count": 3}), "no tensor blk.2.attn_norm"),
    "fewer layers than tensors": (Spoiled({"block_count": 1}), "blk.1.attn_norm.weight, which"),
    "a billion layers": (Spoiled({"block_count": 10**9}), "its llama.block_count is 1000000000"),
    "another width": (Spoiled({"embedding_length": 512}), "256, not"),
    "no context": (Spoiled({"context_length": 0}), "llama.context_length is 0"),
    "no length of the context": (Spoiled({"context_length": None}), "no llama.context_length"),
    "heads that do not divide": (Spoiled({"attention.head_count_kv": 3}), "do not share 3"),
    "a head of 0": (Spoiled({"attention.key_length": 0}), "key_length is 0"),
    "a head of 62": (
        Spoiled({"attention.key_length": 62, "rope.dimension_count": 62}),
        "heads have 62 columns",
    ),
    "more turned than there is": (Spoiled({"rope.dimension_count": 128}), "dimension_count is 128"),
    "other values than keys": (Spoiled({"attention.value_length": 32}), "not as wide"),
    "YaRN": (Spoiled({"rope.scaling.type": "yarn"}), "RoPE is scaled by yarn"),
    "a factor that is a text": (
        Spoiled({"rope.scaling.type": "linear", "rope.scaling.factor": "two"}),
        "a wrong llama.rope.scaling.factor",
    ),
    "norms of f16": (Spoiled(vector_type=np.float16), "is not of the type F32"),
    "a vocabulary of another width": (
        Spoiled(shapes={"output.weight": (99, 128)}),
        "output.weight is 99 × 128, not 99 × 256",
    ),
}


@pytest.mark.parametrize(("spoiled", "said"), UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_what_is_not_covered_is_named(
    run: Run, tmp_path: Path, spoiled: Spoiled, said: str
) -> None:
    path = tmp_path / "model.gguf"
    networks.write(Made("llama", Type.Q8_0), path, spoiled)
    error = run(path, IDS, chunks=[40]).error
    assert error is not None
    assert error["code"] == "model_unsupported"
    assert said in error["message"]
    assert "\n" not in error["message"]


def test_columns_that_are_no_multiple_of_32_are_named(run: Run, tmp_path: Path) -> None:
    made = Made("llama", Type.F32, width=80, heads=1, key_heads=1, feed_width=96)
    error = run(written(made, tmp_path), IDS, chunks=[40]).error
    assert error is not None
    assert "token_embd.weight has 80 columns, no multiple of 32" in error["message"]


@pytest.mark.parametrize("kept_bytes", [0, 3, 100, 5000])
def test_a_file_that_is_cut_or_none_at_all_is_named(
    run: Run, tmp_path: Path, kept_bytes: int
) -> None:
    path = written(Made("llama", Type.Q8_0), tmp_path)
    path.write_bytes(path.read_bytes()[:kept_bytes] or b"<!doctype html><title>404</title>")
    error = run(path, IDS, chunks=[40]).error
    assert error is not None
    assert error["code"] == "model_invalid"
    assert "\n" not in error["message"]


def test_a_token_that_the_model_does_not_know_is_named(run: Run, tmp_path: Path) -> None:
    """It would be looked up behind the table's end."""
    path = written(Made("llama", Type.Q8_0), tmp_path)
    error = run(path, [*IDS[:5], 99], chunks=[40]).error
    assert error is not None
    assert error["message"] == "the tokenizer has a token 99; the model knows 99"
