"""The compiled module: the same wherever it is built, small, and up to date in this checkout."""

import gzip
import shutil
from pathlib import Path

import pytest

import kernels

MOST_COMPRESSED_BYTES = 60 * 1024


def test_it_is_the_same_bytes_wherever_it_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for folder in ("one", "another, with a longer name"):
        sources = tmp_path / folder / "kernels"
        shutil.copytree(kernels.SOURCES, sources)
        monkeypatch.setattr(kernels, "SOURCES", sources)
        kernels.compile_kernels(tmp_path / folder / "kernels.wasm")
        made.append((tmp_path / folder / "kernels.wasm").read_bytes())
    assert made[0] == made[1]
    assert str(tmp_path).encode() not in made[0]
    assert len(gzip.compress(made[0])) <= MOST_COMPRESSED_BYTES


def test_the_one_in_place_is_of_these_sources(tmp_path: Path) -> None:
    fresh = tmp_path / "kernels.wasm"
    kernels.compile_kernels(fresh)
    assert not kernels.stale(), "python scripts/kernels.py compiles it anew"
    assert kernels.MODULE.read_bytes() == fresh.read_bytes()


def test_a_changed_source_makes_it_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = tmp_path / "kernels"
    shutil.copytree(kernels.SOURCES, sources)
    monkeypatch.setattr(kernels, "SOURCES", sources)
    assert not kernels.stale()
    (sources / "norm.h").write_text((sources / "norm.h").read_text() + "\n")
    assert kernels.stale()


def test_what_does_not_compile_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.c"
    broken.write_text("int x = ;\n")
    with pytest.raises(SystemExit, match=r"could not be compiled:\n.*broken.c:1:9: error"):
        kernels.compile_kernels(tmp_path / "kernels.wasm", [broken])
    assert not (tmp_path / "kernels.wasm").exists()
