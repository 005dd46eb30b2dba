"""`pageside models`, as a person and as a program use it."""

import argparse
import json
import os
from typing import Any

import pytest

from pageside.models.catalogue import DEFAULT_MODEL, Entry
from pageside.models.command import register
from pageside.models.errors import ModelDamaged, ModelUnknown
from pageside.models.store import ModelStore

Index = Any  # the dataclass of conftest.py


@pytest.fixture(autouse=True)
def home(store: ModelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGESIDE_HOME", str(store.root.parent))


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())
    options = parser.parse_args(["models", *arguments])
    status: int = options.run(options)
    return status


@pytest.mark.parametrize("name", ["tokenizer.json", "onnx/model.onnx", "model.gguf"])
def test_pull_mends_what_verify_finds(
    name: str, index: Index, entry: Entry, store: ModelStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """A byte flipped at the same size: what the page's hint tells people to do, helps."""
    assert run("pull", "tiny") == 0
    manifest = store.find("tiny")
    file = store.root / "tiny" / manifest.revision / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(ModelDamaged):
        run("verify", "tiny")
    sent_bytes = index.sent_bytes
    assert run("pull", "tiny") == 0
    assert run("verify", "tiny") == 0
    assert store.find("tiny") == manifest
    assert (index.sent_bytes > sent_bytes) == (name == "model.gguf"), "fetched only if it must be"


def test_a_model_from_list_to_remove(
    index: Index, entry: Entry, store: ModelStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("list") == 0
    assert "tiny                           absent  Apache-2.0  Tiny\n" in capsys.readouterr().out
    assert run("pull", "tiny") == 0
    pulled = capsys.readouterr()
    assert pulled.err.split("\n")[:3] == ["tiny: fetch", "tiny: verify", "tiny: convert"]
    assert run("where", "tiny") == 0
    assert capsys.readouterr().out == pulled.out
    assert run("verify") == 0
    assert capsys.readouterr().out == "tiny: every file is as its manifest says\n"
    assert run("remove", "tiny") == 0
    assert store.manifests() == []


def test_list_for_programs(
    index: Index, entry: Entry, store: ModelStore, capsys: pytest.CaptureFixture[str]
) -> None:
    run("pull", "tiny")
    capsys.readouterr()
    run("list", "--json")
    models = {model["id"]: model for model in json.loads(capsys.readouterr().out)["models"]}
    manifest = store.find("tiny")
    assert models["tiny"] == {
        "id": "tiny",
        "name": "Tiny",
        "licence": "Apache-2.0",
        "state": "present",
        "revision": manifest.revision,
        "size_bytes": manifest.size_bytes,
    }
    assert models[DEFAULT_MODEL]["state"] == "absent"


def test_verify_names_the_damaged_file(
    index: Index, entry: Entry, store: ModelStore, capsys: pytest.CaptureFixture[str]
) -> None:
    run("pull", "tiny")
    path = store.file("tiny", store.find("tiny").revision, "onnx/model_q4.onnx")
    os.truncate(path, 10)
    with pytest.raises(ModelDamaged, match="models remove tiny"):
        run("verify")
    run("list")
    out = capsys.readouterr().out
    assert "tiny                          damaged" in out
    assert "tiny: onnx/model_q4.onnx: 10 bytes instead of" in out


@pytest.mark.parametrize("action", ["pull", "verify", "remove", "where"])
@pytest.mark.parametrize("id", ["no-such-model", "../tiny", "", "A"])
def test_an_unknown_model_is_said(action: str, id: str) -> None:
    with pytest.raises(ModelUnknown) as raised:
        run(action, id)
    assert "\n" not in str(raised.value)


def test_where_without_an_id_is_the_store(
    store: ModelStore, capsys: pytest.CaptureFixture[str]
) -> None:
    run("where")
    assert capsys.readouterr().out == f"{store.root}\n"


@pytest.mark.parametrize("arguments", [[], ["fly"], ["remove"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        run(*arguments)
    assert raised.value.code == 2
