"""The store: what is whole, what is not, and what a killed process leaves."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from pageside.models.catalogue import DEFAULT_MODEL
from pageside.models.errors import (
    DiskFull,
    ModelAbsent,
    ModelDamaged,
    ModelUnknown,
    StoreLocked,
    StoreUnusable,
)
from pageside.models.folder import Identity, problems, read_manifest
from pageside.models.manifest import Manifest, Source
from pageside.models.store import ModelStore, default_root

IDENTITY = Identity(
    id="tiny",
    name="Tiny",
    licence="Apache-2.0",
    architecture="llama",
    context_window=128,
    source=Source("pypi", "tiny", "1.0", "tiny/tiny.gguf", "c" * 64),
    converter="1",
    known_answer=None,
)
CONTENT = {"config.json": b"{}", "model.gguf": b"GGUF" * 1000, "onnx/model.onnx": b"onnx" * 500}


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


@pytest.fixture
def installed(store: ModelStore) -> Manifest:
    return install(store)


def install(store: ModelStore, **changed: bytes) -> Manifest:
    with store.locked("tiny"):
        build = store.fresh_build("tiny")
        for name, content in (CONTENT | changed).items():
            path = build / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        return store.install(build, IDENTITY)


def folder_of(store: ModelStore, manifest: Manifest) -> Path:
    return store.root / manifest.id / manifest.revision


def files_below(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_an_installed_model_is_found_whole(store: ModelStore, installed: Manifest) -> None:
    assert store.find("tiny") == installed
    assert store.manifests() == [installed]
    assert store.verify("tiny") == []
    for name, content in CONTENT.items():
        assert store.file("tiny", installed.revision, name).read_bytes() == content
    manifest = store.file("tiny", installed.revision, "manifest.json")
    assert manifest.read_bytes() == installed.to_json()


def test_a_store_that_is_not_there_is_empty(store: ModelStore) -> None:
    assert store.manifests() == []
    with pytest.raises(ModelAbsent, match=f"models pull {DEFAULT_MODEL}"):
        store.find(DEFAULT_MODEL)
    with pytest.raises(ModelUnknown, match=DEFAULT_MODEL):
        store.find("no-such-model")
    assert not store.root.exists()


def test_the_root_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PAGESIDE_HOME", str(tmp_path))
    assert default_root() == tmp_path / "models"
    monkeypatch.delenv("PAGESIDE_HOME")
    assert default_root().parts[-2:] == ("pageside", "models")


@pytest.mark.parametrize("name", list(CONTENT))
def test_a_truncated_file_is_not_whole(store: ModelStore, installed: Manifest, name: str) -> None:
    path = folder_of(store, installed) / name
    os.truncate(path, path.stat().st_size - 1)
    assert store.manifests() == []
    with pytest.raises(ModelDamaged, match="pull tiny"):
        store.find("tiny")
    assert [(problem.file, problem.kind) for problem in store.verify("tiny")] == [(name, "size")]


@pytest.mark.parametrize("name", list(CONTENT))
def test_one_flipped_bit_is_found_by_verify(
    store: ModelStore, installed: Manifest, name: str
) -> None:
    path = folder_of(store, installed) / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert [(problem.file, problem.kind) for problem in store.verify("tiny")] == [(name, "content")]


def test_a_missing_file_and_a_link_are_not_whole(store: ModelStore, installed: Manifest) -> None:
    folder = folder_of(store, installed)
    (folder / "config.json").unlink()
    (folder / "model.gguf").rename(folder / "elsewhere")
    (folder / "model.gguf").symlink_to("elsewhere")
    assert store.manifests() == []
    found = {(problem.file, problem.kind) for problem in store.verify("tiny")}
    assert found == {("config.json", "missing"), ("model.gguf", "missing")}


def test_a_damaged_manifest_hides_the_model(store: ModelStore, installed: Manifest) -> None:
    (folder_of(store, installed) / "manifest.json").write_text("{}")
    assert store.manifests() == []
    assert [problem.file for problem in store.verify("tiny")] == ["manifest.json"]
    with pytest.raises(ModelUnknown):
        store.file("tiny", installed.revision, "config.json")


def test_a_folder_moved_to_another_name_is_no_model(store: ModelStore, installed: Manifest) -> None:
    (store.root / "tiny").rename(store.root / "other")
    assert store.manifests() == []
    assert store.verify("other")[0].file == "manifest.json"


@pytest.mark.parametrize(
    "name", ["", "..", "../manifest.json", "/etc/passwd", "onnx", "onnx\\model.onnx", "x.json", "."]
)
def test_no_other_file_is_given_out(store: ModelStore, installed: Manifest, name: str) -> None:
    (folder_of(store, installed) / "x.json").write_text("not in the manifest")
    with pytest.raises(ModelUnknown):
        store.file("tiny", installed.revision, name)


@pytest.mark.parametrize(
    "id, revision", [("..", "0" * 16), ("tiny", ".."), ("tiny", "0" * 16), (".partial", "0" * 16)]
)
def test_no_other_folder_is_looked_into(
    store: ModelStore, installed: Manifest, id: str, revision: str
) -> None:
    with pytest.raises(ModelUnknown) as raised:
        store.file(id, revision, "config.json")
    assert str(store.root) not in str(raised.value)
    with pytest.raises(ModelUnknown):
        store.find("../tiny")


def test_a_new_revision_takes_the_place_of_the_old(store: ModelStore, installed: Manifest) -> None:
    newer = install(store, **{"config.json": b'{"new": 1}'})
    assert newer.revision != installed.revision
    assert store.manifests() == [newer]
    assert not folder_of(store, installed).exists()


def test_installing_the_same_again_heals_it(store: ModelStore, installed: Manifest) -> None:
    (folder_of(store, installed) / "config.json").unlink()
    assert install(store) == installed
    assert store.verify("tiny") == []


def test_remove_leaves_nothing_but_the_lock(store: ModelStore, installed: Manifest) -> None:
    (store.workshop("tiny") / "downloads").mkdir(parents=True)
    (store.workshop("tiny") / "downloads" / "x.part").write_bytes(b"half")
    store.remove("tiny")
    assert files_below(store.root) <= {".locks/tiny.lock"}
    with pytest.raises(ModelUnknown):
        store.remove("tiny")


def test_remove_does_not_wait_for_a_pull(store: ModelStore, installed: Manifest) -> None:
    with store.locked("tiny"), pytest.raises(StoreLocked, match="tiny"):
        ModelStore(store.root).remove("tiny")
    assert store.verify("tiny") == []


def test_a_root_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file is in the way")
    with (
        pytest.raises(StoreUnusable, match="PAGESIDE_HOME"),
        ModelStore(tmp_path / "models").locked("tiny"),
    ):
        pass


# Installs again and again; each line says that one more model was whole.
INSTALLER = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from test_store import ModelStore, install
store = ModelStore(Path(sys.argv[2]))
n = 0
while True:
    n += 1
    install(store, **{"config.json": b'{"n": %d}' % n, "model.gguf": bytes(8 << 20)})
    print(n, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="there is no kill -9")
def test_kill_9_at_any_moment_leaves_a_whole_model_or_none(tmp_path: Path) -> None:
    store = ModelStore(tmp_path / "models")
    for attempt in range(20):
        process = subprocess.Popen(
            [sys.executable, "-c", INSTALLER, str(Path(__file__).parent), str(store.root)],
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(attempt * 0.004)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert [manifest.id for manifest in store.manifests()] == ["tiny"]
        for folder in (store.root / "tiny").iterdir():
            assert list(problems(folder, read_manifest(folder))) == []
    whole = install(store)
    assert store.manifests() == [whole]
    store.clear_workshop("tiny")
    assert len([name for name in files_below(store.root) if name[0] != "."]) == 4


@pytest.mark.skipif(os.name != "posix", reason="there is no limit on file sizes")
def test_a_full_disk_is_said_and_leaves_the_model_as_it_was(
    store: ModelStore,
    installed: Manifest,
    limit_file_size: Callable[[int], AbstractContextManager[None]],
) -> None:
    with (
        store.locked("tiny"),
        limit_file_size(10),
        pytest.raises(DiskFull, match="the disk is full"),
    ):
        store.install(store.fresh_build("tiny"), IDENTITY)
    assert store.manifests() == [installed]
    assert store.verify("tiny") == []
