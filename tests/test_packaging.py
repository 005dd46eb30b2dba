"""Wheel, sdist and editable install, each used from another directory, without Node."""

import json
import os
import shutil
import site
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
VENDORED = [
    "pageside/web/vendor/character-entities/license",
    "pageside/web/vendor/character-entities/index.js",
    "pageside/web/vendor/legacy-modes/LICENSE",
    "pageside/web/vendor/legacy-modes/python.js",
    "pageside/web/vendor/legacy-modes/simple-mode.js",
    "pageside/web/vendor/streamparser/LICENSE",
    "pageside/web/vendor/streamparser/index.js",
    "pageside/web/vendor/temml/temml.mjs",
    "pageside/worker/vendor/transformers/LICENSE",
    "pageside/worker/vendor/transformers/transformers.min.js",
    "pageside/worker/vendor/onnxruntime-web/ort-wasm-simd-threaded.wasm",
    "pageside/worker/vendor/onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs",
]

SMOKE = """
import importlib.util, json
from pageside.browser import SyncPage
import pageside.server, pageside.worker

with SyncPage.open(engine="scripted") as page:
    text = "".join(page.generate("hello"))
bare = [n for n in ("server", "models", "browser", "web", "worker") if importlib.util.find_spec(n)]
print(json.dumps({"text": text, "bare": bare, "file": pageside.server.__file__}))
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files git knows or would add, and what the build vendored; nothing else."""
    copy = tmp_path_factory.mktemp("checkout")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    vendored = [
        str(path.relative_to(ROOT))
        for part in ("web", "worker")
        for path in (ROOT / part / "vendor").rglob("*")
    ]
    for name in (*listed, *vendored):
        source = ROOT / name
        if source.is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy / name)
    return copy


@pytest.fixture(scope="module")
def built(checkout: Path) -> Path:
    """The folder with a wheel and an sdist."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--sdist", "."]
    build = subprocess.run(command, cwd=checkout, capture_output=True, text=True, env=environment())
    assert build.returncode == 0, build.stdout + build.stderr
    return checkout / "dist"


def environment() -> dict[str, str]:
    """No npm on the path, and no way to an index."""
    path = os.pathsep.join(
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not (Path(folder) / "npm").exists() or (Path(folder) / "chromium").exists()
    )
    return {**os.environ, "PATH": path, "PIP_NO_INDEX": "1", "PYTHONWARNINGS": ""}


class Environment:
    """A new virtual environment that has Pageside's dependencies and not Pageside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder, with_pip=False)
        self.bin = folder / "bin"
        # A line of a .pth is a folder to look in; the .pth files of that folder, such as
        # the one of our own editable install, are not read.
        dependencies = next(p for p in site.getsitepackages() if (Path(p) / "starlette").exists())
        here = next((folder / "lib").glob("python*")) / "site-packages"
        (here / "dependencies.pth").write_text(dependencies + "\n")
        self.site_packages = here

    def install(self, *what: str) -> None:
        command = [sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "install"]
        options = ["--quiet", "--no-deps", "--no-build-isolation"]
        run = subprocess.run(
            [*command, *options, *what], capture_output=True, text=True, env=environment()
        )
        assert run.returncode == 0, run.stdout + run.stderr

    def run(self, *command: str, cwd: Path) -> str:
        run = subprocess.run(
            [str(self.bin / command[0]), *command[1:]],
            cwd=cwd,
            capture_output=True,
            text=True,
            env=environment(),
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout


@pytest.mark.parametrize("kind", ["wheel", "sdist", "editable"])
def test_installed_it_works_from_another_directory(
    kind: str, checkout: Path, built: Path, tmp_path: Path
) -> None:
    environment = Environment(tmp_path / "venv")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if kind == "editable":
        environment.install("--editable", str(checkout))
    else:
        environment.install(str(next(built.glob("*.whl" if kind == "wheel" else "*.tar.gz"))))
    assert environment.run("pageside", "--version", cwd=elsewhere).startswith("pageside 0.")
    found = json.loads(environment.run("python", "-c", SMOKE, cwd=elsewhere))
    assert found["text"].startswith("This answer comes from a script")
    assert found["bare"] == []
    owner = checkout if kind == "editable" else environment.site_packages
    assert Path(found["file"]).is_relative_to(owner)
    names = {path.name for path in environment.site_packages.iterdir()}
    assert not names & {"server", "models", "browser", "web", "worker", "tests", "scripts"}


def test_the_wheel_carries_everything_and_no_more(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"pageside"}
    ours = ("web/index.html", "models/py.typed", "worker/engines/gguf/kernels.wasm")
    for name in (*VENDORED, *(f"pageside/{name}" for name in ours)):
        assert name in names
    licences = [name for name in names if ".dist-info/licenses/" in name]
    assert sorted(Path(name).name for name in licences) == ["LICENSE", "THIRD_PARTY.md"]
    assert not [name for name in names if "tests" in name or "tsconfig" in name]
    assert not [name for name in names if name.endswith((".c", ".h", ".source"))]


def test_the_sdist_builds_the_same_wheel(built: Path, tmp_path: Path) -> None:
    """It holds the vendored files and the kernels: a build from it fetches and compiles nothing."""
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        sdist.extractall(tmp_path, filter="data")
    unpacked = next(tmp_path.iterdir())
    assert (unpacked / "worker" / "kernels" / "forward.c").is_file()
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "."]
    build = subprocess.run(command, cwd=unpacked, capture_output=True, text=True, env=environment())
    assert build.returncode == 0, build.stdout + build.stderr
    assert contents(next((unpacked / "dist").glob("*.whl"))) == contents(next(built.glob("*.whl")))


def contents(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        infos = archive.infolist()
    return {info.filename: info.CRC for info in infos if not info.filename.endswith("RECORD")}
