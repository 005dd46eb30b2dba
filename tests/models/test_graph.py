"""Both graphs on small random llamas, for every type of weights we claim to convert."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from pageside.models.convert import GGUF_NAME, Converted, convert

Session = onnxruntime.InferenceSession
Forward = Callable[[list[int]], np.ndarray]
Writer = Callable[..., Path]

# So small a model, so large its random weights: the logits are some ten times those of a real one.
LOGIT_ERROR_MAX = 2e-4
PROMPT = [1, 40, 41, 250, 7, 99, 3, 3, 200, 2, 1, 17]
TYPES = [
    ("Q4_1", "Q8_0", True),
    ("Q4_0", "Q4_0", True),
    ("Q4_1", "Q4_1", True),
    ("Q8_0", "Q8_0", False),
    ("F16", "F16", True),
    ("F32", "F32", False),
    ("Q4_1", "F16", False),
]


@pytest.fixture(scope="module", params=TYPES, ids=str)
def kinds(request: pytest.FixtureRequest) -> tuple[str, str, bool]:
    matrix, embedding, tied = request.param
    return matrix, embedding, tied


@pytest.fixture(scope="module")
def folder(
    kinds: tuple[str, str, bool], tmp_path_factory: pytest.TempPathFactory, write_llama: Writer
) -> Path:
    matrix, embedding, tied = kinds
    folder = tmp_path_factory.mktemp("model")
    write_llama(folder / GGUF_NAME, matrix=matrix, embedding=embedding, tied=tied)
    converted = convert(folder, lambda done, total: None)
    assert converted == Converted("llama", 128)
    return folder


@pytest.fixture(scope="module", params=["skeleton", "four_bit"])
def session(
    request: pytest.FixtureRequest,
    folder: Path,
    open_skeleton: Callable[[Path], Session],
    open_four_bit: Callable[[Path], Session],
) -> Session:
    return {"skeleton": open_skeleton, "four_bit": open_four_bit}[request.param](folder)


@pytest.fixture(scope="module")
def reference(folder: Path, open_reference: Callable[[Path], Forward]) -> Forward:
    return open_reference(folder / GGUF_NAME)


def test_logits(
    session: Session, reference: Forward, logits_of: Callable[[Session, list[int]], np.ndarray]
) -> None:
    found, expected = logits_of(session, PROMPT), reference(PROMPT)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= LOGIT_ERROR_MAX * np.abs(expected).max()


def test_logits_behind_a_cache_at_every_split(
    session: Session,
    reference: Forward,
    continued: Callable[[Session, list[int], list[int]], np.ndarray],
) -> None:
    expected = reference(PROMPT)
    for split in range(1, len(PROMPT)):
        found = continued(session, PROMPT[:split], PROMPT[split:])
        error = np.abs(found - expected[split - 1 :]).max()
        assert error <= LOGIT_ERROR_MAX * np.abs(expected).max()


def test_tokens_one_at_a_time(
    session: Session,
    reference: Forward,
    greedy: Callable[[Session, list[int], int], list[int]],
) -> None:
    answer = greedy(session, PROMPT, 32)
    chosen = reference(PROMPT + answer[:-1])[len(PROMPT) - 1 :].argmax(-1)
    assert chosen.tolist() == answer


@pytest.mark.parametrize("name", ["model.onnx", "model_q4.onnx"])
def test_onnx_finds_nothing_wrong(folder: Path, tmp_path: Path, name: str) -> None:
    table = json.loads((folder / "onnx" / "weights.json").read_bytes())
    with (tmp_path / table["location"]).open("wb") as weights:
        weights.truncate(table["total_bytes"])
    graph = tmp_path / name
    graph.write_bytes((folder / "onnx" / name).read_bytes())
    onnx.checker.check_model(graph, full_check=True)


def test_the_weights_table_lies_within_the_file_and_apart(folder: Path) -> None:
    table = json.loads((folder / "onnx" / "weights.json").read_bytes())
    end = 0
    for tensor in table["tensors"]:
        assert tensor["offset_bytes"] % 4096 == 0
        assert tensor["offset_bytes"] >= end
        end = tensor["offset_bytes"] + tensor["rows"] * tensor["columns"] * 4
        assert tensor["source_offset_bytes"] < (folder / GGUF_NAME).stat().st_size
    assert end <= table["total_bytes"]
    heads = {tensor["name"].split(".")[-2]: tensor["heads"] for tensor in table["tensors"]}
    assert (heads["attn_q"], heads["attn_k"], heads["attn_v"]) == (4, 2, 0)


def test_batch_and_unknown_lengths_are_the_only_symbols(session: Session) -> None:
    """transformers.js takes a symbol that it does not know for 0."""
    for entry in session.get_inputs():
        if entry.name.startswith("past_key_values"):
            assert entry.shape == ["batch_size", 2, "past_sequence_length", 16]
    assert session.get_outputs()[0].name == "logits"


def test_another_process_writes_the_same_bytes(
    folder: Path, kinds: tuple[str, str, bool], tmp_path: Path
) -> None:
    (tmp_path / GGUF_NAME).write_bytes((folder / GGUF_NAME).read_bytes())
    code = (
        "import sys; from pathlib import Path; from pageside.models.convert import convert;"
        "convert(Path(sys.argv[1]), lambda done, total: None)"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True, env=environment)
    assert _hashes(tmp_path) == _hashes(folder)


def _hashes(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): sha256(p.read_bytes()).hexdigest() for p in files}
