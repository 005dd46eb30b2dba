"""Names that would mean another file on some system."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pageside.models.errors import NameInvalid
from pageside.models.names import checked_file_name, checked_model_id, checked_revision

HOSTILE_FILES = [
    "", ".", "..", "/", "/etc/passwd", "a/", "a//b", "a/../b", "a/./b", "..\\x", "a\\b", "C:x",
    "C:/x", "a:stream", "nul", "NUL", "Con.txt", "com1", "lpt9.onnx", "aux .json", "onnx/prn",
    "a\x00b", "a\nb", "a\x7fb", "a?", "a*", "<a>", 'a"b', "a|b", "a.", "a ", "a./b", ".hidden",
    "onnx/.x", "x" * 256, "é" * 128, "/".join("a" * 9), "\ud800", "%2e%2e\\..",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_hostile_file_names(name: str) -> None:
    with pytest.raises(NameInvalid):
        checked_file_name(name)


@pytest.mark.parametrize(
    "name", ["config.json", "onnx/model.onnx", "a b.txt", "é.json", "x" * 255, "%2e%2e", "console"]
)
def test_plain_file_names(name: str) -> None:
    assert checked_file_name(name) == name


@given(st.text(max_size=40))
def test_what_passes_stays_inside_and_reads_the_same_everywhere(name: str) -> None:
    try:
        checked_file_name(name)
    except NameInvalid:
        return
    segments = name.split("/")
    assert all(segments) and not {".", ".."} & set(segments)
    assert not set(name) & set('\\:\x00<>"|?*')


@pytest.mark.parametrize(
    "id", ["", ".", "..", "A", "a/b", "a\\b", "-a", ".a", "a" * 65, "nul", "com1.x", "a\n", "a."]
)
def test_hostile_ids(id: str) -> None:
    with pytest.raises(NameInvalid):
        checked_model_id(id)


@pytest.mark.parametrize(
    "revision", ["", "0" * 15, "0" * 17, "A" * 16, "../../../../../.", "g" * 16]
)
def test_hostile_revisions(revision: str) -> None:
    with pytest.raises(NameInvalid):
        checked_revision(revision)
