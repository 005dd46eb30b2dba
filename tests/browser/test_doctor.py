"""`pageside doctor`: each check sees what is wrong and says what to do."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.scratch import COMMAND, Start
from pageside.browser.checks import (
    KERNELS,
    VENDORED,
    disk_check,
    gpu_check,
    kernels_check,
    model_checks,
    thread_check,
    vendored_checks,
)
from pageside.models.store import ModelStore
from pageside.server.assets import PACKAGE

GPU = {
    "description": "a real one",
    "isFallbackAdapter": False,
    "shaderF16": True,
    "maxBufferBytes": 2**31,
    "maxStorageBufferBindingBytes": 2**27,
}

Doctor = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def doctor(start: Start, tmp_path: Path) -> Doctor:
    """Starts the command on an empty store."""
    environment = {**os.environ, "PAGESIDE_HOME": str(tmp_path)}
    return lambda *arguments: start(*COMMAND, "doctor", *arguments, env=environment)


def test_a_machine_that_will_do(doctor: Doctor) -> None:
    process = doctor("--json")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    report = json.loads(out)
    assert report["usable"]
    checks = {check["name"]: check for check in report["checks"]}
    assert list(checks) == ["browser", "webgpu", "threads", "disk", "model", "vendored", "kernels"]
    assert checks["browser"]["state"] == "ok"
    assert checks["browser"]["detail"].startswith("Chromium ")
    assert checks["threads"]["detail"] == f"{os.cpu_count()} cores, shared memory allowed"
    assert (checks["model"]["state"], checks["model"]["detail"]) == ("warning", "none here yet")
    for check in report["checks"]:
        assert bool(check["remedy"]) == (check["state"] != "ok")


def test_without_a_browser_it_says_how_to_get_one(doctor: Doctor, tmp_path: Path) -> None:
    process = doctor("--browser", tmp_path / "absent")
    out, err = process.communicate()
    assert (process.returncode, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == f"missing  browser   there is no browser at {tmp_path / 'absent'}"
    assert lines[1].strip().startswith("→ install Chromium")
    assert lines[-1] == "Pageside cannot be used here yet."


def test_adapters() -> None:
    assert gpu_check(GPU).state == "ok"
    assert "shader-f16 yes, buffers up to 2.1 GB, bound up to 134 MB" in gpu_check(GPU).detail
    assert gpu_check(None).state == "warning"
    software = gpu_check({**GPU, "isFallbackAdapter": True, "description": ""})
    assert software.state == "warning"
    assert software.detail.startswith("software only: an adapter without a name")


def test_a_page_without_shared_memory() -> None:
    check = thread_check({"crossOriginIsolated": False, "hardwareConcurrency": 8})
    assert check.state == "warning"
    assert "one thread" in check.detail


class TestStore:
    def test_the_default_model(self, default_store: ModelStore) -> None:
        (check,) = model_checks(default_store)
        assert check.state == "ok"
        assert check.detail.startswith("smollm2-135m-instruct ")
        assert disk_check(default_store).state == "ok"

    def test_a_model_cut_short(
        self, default_store: ModelStore, default_folder: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / default_folder.parent.name / default_folder.name
        shutil.copytree(default_folder, folder, copy_function=os.link)
        (folder / "model.gguf").unlink()
        (folder / "model.gguf").write_bytes(b"GGUF")
        (check,) = model_checks(ModelStore(tmp_path))
        assert check.state == "missing"
        assert "pageside models pull" in check.remedy

    def test_a_disk_that_is_full(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        usage = shutil.disk_usage(tmp_path)._replace(free=1_000_000)
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
        check = disk_check(ModelStore(tmp_path / "not" / "yet"))
        assert check.state == "missing"
        assert check.detail.startswith("1 MB free at ")
        assert "takes 319 MB" in check.detail


class TestVendored:
    @pytest.fixture
    def vendor(self, tmp_path: Path) -> Path:
        """What a build puts in place, without its bulk."""
        for package, names in VENDORED.items():
            (tmp_path / package).mkdir(parents=True)
            for name in (*names, "INTEGRITY"):
                (tmp_path / package / name).write_text("sha512-abc")
        return tmp_path

    def test_what_this_checkout_has(self) -> None:
        assert [check.state for check in vendored_checks(PACKAGE)] == ["ok"] * len(VENDORED)

    def test_the_list_is_that_of_the_build(self) -> None:
        import tomllib

        config = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))
        for entry in config["tool"]["pageside"]["vendor"]:
            names = {Path(path).name for path in entry["files"]}
            code = {name for name in names if name.endswith((".js", ".mjs", ".wasm"))}
            assert set(VENDORED[entry["into"]]) == code

    @pytest.mark.parametrize("name", ["transformers/transformers.min.js", "transformers/INTEGRITY"])
    @pytest.mark.parametrize("fault", ["absent", "empty"])
    def test_a_file_that_is_not_there(self, vendor: Path, name: str, fault: str) -> None:
        path = vendor / "worker" / "vendor" / name
        path.unlink() if fault == "absent" else path.write_text("")
        *others, transformers, runtime = vendored_checks(vendor)
        assert [check.state for check in (*others, runtime)] == ["ok"] * (len(VENDORED) - 1)
        assert transformers.state == "missing"
        assert Path(name).name in transformers.detail
        assert "scripts/vendor.py" in transformers.remedy


def test_kernels_that_are_not_there(tmp_path: Path) -> None:
    assert kernels_check(PACKAGE).state == "ok"
    absent = kernels_check(tmp_path)
    assert absent.state == "missing"
    assert str(tmp_path / KERNELS) in absent.detail
    assert "scripts/kernels.py" in absent.remedy
