"""The UIs written in Python: a virtual environment each, from exact requirements."""

import os
import shutil
import sys
from pathlib import Path

from peers import packages
from peers.catalogue import SERVERS

SCRIPTS = packages.HERE / "uis"
_BIN = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")


def home(name: str, folder: Path) -> Path:
    """Where the environment of one UI lies, and what it writes."""
    return folder / name


def python(name: str, folder: Path) -> Path:
    return home(name, folder).joinpath("venv", *_BIN)


def script(name: str) -> Path:
    return SCRIPTS / SERVERS[name].script


def requirements(name: str) -> Path:
    return script(name).with_suffix(".txt")


def version(name: str) -> str:
    """As in "gradio 6.31.0"."""
    package = SERVERS[name].package
    for line in requirements(name).read_text(encoding="utf-8").splitlines():
        found, equal, number = line.partition("==")
        if equal and found.lower() == package:
            return f"{package} {number}"
    raise LookupError(f"{requirements(name)} does not pin {package}")


def fill(name: str, folder: Path) -> None:
    """Installs one UI; nothing to do when these requirements were installed already.

    Raises PeerUnavailable.
    """
    into = home(name, folder)
    stamp = into / "INSTALLED"
    # An environment does not outlive the Python it was made with.
    wanted = f"{sys.version}\n{requirements(name).read_text(encoding='utf-8')}"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    print(f"Installing {version(name)} in {into} …", file=sys.stderr)
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    packages.run([sys.executable, "-m", "venv", "venv"], into, name)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command = [str(python(name, folder).absolute()), *install, "-r", str(requirements(name))]
    packages.run(command, into, name)
    # Written last: an installation that was killed half-way is done again.
    stamp.write_text(wanted, encoding="utf-8")
