"""The peers that come from npm, as package-lock.json pins them by version and integrity."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from peers.errors import PeerUnavailable

HERE = Path(__file__).resolve().parent
LOCK = HERE / "package-lock.json"
_MANIFESTS = (HERE / "package.json", LOCK, HERE / ".npmrc")


def home(folder: Path) -> Path:
    """Where node_modules lies."""
    return folder / "npm"


def versions() -> dict[str, str]:
    """Of the packages that package.json names."""
    manifest = json.loads((HERE / "package.json").read_text(encoding="utf-8"))
    named: dict[str, str] = manifest["dependencies"]
    return named


def fill(folder: Path) -> None:
    """Installs them; nothing to do when this lock was installed already. No script of a
    package runs. Raises PeerUnavailable."""
    into = home(folder)
    stamp = into / "INSTALLED"
    lock = LOCK.read_text(encoding="utf-8")
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == lock:
        return
    print(f"Installing the peers' npm packages in {into} …", file=sys.stderr)
    into.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    for manifest in _MANIFESTS:
        shutil.copy2(manifest, into)
    run([tool("npm"), "ci", "--ignore-scripts", "--silent"], into, "the npm packages")
    # Written last: an installation that was killed half-way is done again.
    stamp.write_text(lock, encoding="utf-8")


def tool(name: str) -> str:
    """The path of `npm` or `node`."""
    path = shutil.which(name)
    if path is None:
        raise PeerUnavailable(
            f"{name} is needed for the peers and is not on the path",
            hint="run the benchmarks by scripts/bench, or install Node.js",
        )
    return path


def run(command: list[str], folder: Path, what: str) -> None:
    """Raises PeerUnavailable with what a failed command had to say."""
    environment = os.environ | {"npm_config_update_notifier": "false"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise PeerUnavailable(
            f"{what} could not be prepared: {Path(command[0]).name} ended with "
            f"{done.returncode}: {said}",
            hint="check the network and the free space, then try again",
        )
