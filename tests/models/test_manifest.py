"""Manifests that come from elsewhere, value by value."""

import json
from typing import Any

import pytest

from pageside.models.errors import ManifestInvalid
from pageside.models.manifest import (
    KnownAnswer,
    Manifest,
    ModelFile,
    Source,
    parse_manifest,
    revision_of,
)

FILES = {
    "config.json": ModelFile(10, "a" * 64),
    "onnx/model.onnx": ModelFile(20, "b" * 64),
}
MANIFEST = Manifest(
    id="tiny",
    name="Tiny ✓",
    revision=revision_of(FILES),
    licence="Apache-2.0",
    architecture="llama",
    context_window=128,
    source=Source("pypi", "tiny-package", "1.0", "tiny/tiny.gguf", "c" * 64),
    converter="1",
    known_answer=KnownAnswer("One two", " three"),
    files=FILES,
)


def test_what_is_written_reads_the_same() -> None:
    assert parse_manifest(MANIFEST.to_json()) == MANIFEST
    assert MANIFEST.size_bytes == 30


def test_the_revision_changes_with_any_file_and_not_with_their_order() -> None:
    backwards = dict(reversed(FILES.items()))
    assert revision_of(backwards) == MANIFEST.revision
    assert revision_of(FILES | {"config.json": ModelFile(10, "d" * 64)}) != MANIFEST.revision
    assert revision_of(FILES | {"more.json": ModelFile(10, "a" * 64)}) != MANIFEST.revision


HOSTILE: dict[str, tuple[list[str], Any]] = {
    "format 2": (["format"], 2),
    "format true": (["format"], True),
    "id as a path": (["id"], "../tiny"),
    "id upper case": (["id"], "Tiny"),
    "id a number": (["id"], 7),
    "empty name": (["name"], ""),
    "endless name": (["name"], "x" * 513),
    "name with a newline": (["name"], "a\nb"),
    "name with an escape": (["name"], "\x1b[2J"),
    "another revision": (["revision"], "0" * 16),
    "context window 0": (["context_window"], 0),
    "context window a float": (["context_window"], 128.0),
    "context window 2^53": (["context_window"], 2**53),
    "no source": (["source"], None),
    "a source's odd sha256": (["source", "sha256"], "C" * 64),
    "an unknown field": (["more"], 1),
    "an unknown field of a file": (["files", "config.json", "path"], "/etc/passwd"),
    "files as a list": (["files"], []),
    "no files": (["files"], {}),
    "negative size": (["files", "config.json", "size_bytes"], -1),
    "size as text": (["files", "config.json", "size_bytes"], "10"),
    "size true": (["files", "config.json", "size_bytes"], True),
    "short sha256": (["files", "config.json", "sha256"], "a" * 63),
    "an answer without prompt": (["known_answer"], {"next": "x"}),
}


@pytest.mark.parametrize("path, value", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_value_is_refused_and_named(path: list[str], value: Any) -> None:
    fields = json.loads(MANIFEST.to_json())
    inner = fields
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    with pytest.raises(ManifestInvalid) as raised:
        parse_manifest(json.dumps(fields).encode())
    assert "\n" not in str(raised.value)
    assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize(
    "name",
    ["../x", "/x", "a\\b", "nul", "manifest.json", "MANIFEST.json", "Config.json", "onnx", ".x"],
)
def test_a_hostile_file_name_is_refused(name: str) -> None:
    files = FILES | {name: ModelFile(1, "e" * 64)}
    fields = json.loads(MANIFEST.to_json())
    fields["files"][name] = {"size_bytes": 1, "sha256": "e" * 64}
    fields["revision"] = revision_of(files)
    with pytest.raises(ManifestInvalid):
        parse_manifest(json.dumps(fields).encode())


def test_a_field_that_occurs_twice_is_refused() -> None:
    twice = MANIFEST.to_json().replace(b'"id": "tiny"', b'"id": "tiny", "id": "tiny"')
    with pytest.raises(ManifestInvalid, match="twice"):
        parse_manifest(twice)


@pytest.mark.parametrize("name", json.loads(MANIFEST.to_json()))
def test_every_field_must_be_there(name: str) -> None:
    fields = json.loads(MANIFEST.to_json())
    del fields[name]
    with pytest.raises(ManifestInvalid, match=name):
        parse_manifest(json.dumps(fields).encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b'{"format": 1',
        b"\xff\xfe",
        b"<!doctype html><title>404</title>",
        b"[" * 200_000,
        b'{"format": ' + b"9" * 5000 + b"}",
        b" " * ((1 << 20) + 1),
        b'{"format": 1, "format": 1}',
    ],
    ids=["empty", "null", "list", "cut", "utf-16", "html", "deep", "digits", "long", "twice"],
)
def test_what_is_no_manifest_is_refused(content: bytes) -> None:
    with pytest.raises(ManifestInvalid):
        parse_manifest(content)


def test_every_truncation_is_refused() -> None:
    content = MANIFEST.to_json()
    for length in range(len(content) - 2):
        with pytest.raises(ManifestInvalid):
            parse_manifest(content[:length])
