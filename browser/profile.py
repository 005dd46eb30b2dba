"""The one folder a browser may write to: made for it, and gone after it.

    pageside-browser-XXXXXXXX/          profile, temporary files and crash reports
    pageside-browser-XXXXXXXX.lock      held by the process that started the browser

The lock is older than its folder and outlives it, so a folder whose lock is free
belongs to a process that was killed. Whoever starts a browser next removes it.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from pageside.browser.processes import end_processes

PREFIX = "pageside-browser-"

LOCK_PATIENCE_S = 30.0

# Chromium binds a socket 45 bytes below TMPDIR, and sockets end at 104 to 108 bytes.
_BASE_LENGTH_MAX = 104 - len(f"/{PREFIX}01234567") - 45


@dataclass(frozen=True)
class Profile:
    """Where a browser keeps what it writes."""

    folder: Path

    @property
    def user_data(self) -> Path:
        return self.folder / "profile"

    @property
    def artifacts(self) -> Path:
        return self.folder / "artifacts"

    @property
    def crashes(self) -> Path:
        return self.folder / "crashes"

    @property
    def marks(self) -> tuple[str, ...]:
        """Arguments that the browser's processes have and no others."""
        return (f"--user-data-dir={self.user_data}", f"--database={self.crashes}")

    def environment(self) -> Mapping[str, str]:
        """The variables that keep Chromium from writing anywhere else."""
        temporary = str(self.folder)
        return {"TMPDIR": temporary, "BREAKPAD_DUMP_LOCATION": str(self.crashes)}


@contextmanager
def temporary_profile() -> Iterator[Profile]:
    """A new profile; at the end its processes are ended and its folder is removed."""
    remove_abandoned()
    folder = _base() / f"{PREFIX}{uuid4().hex[:8]}"
    lock = _lock(folder)
    # Another process that looks for abandoned folders may hold it for a moment.
    lock.acquire(timeout=LOCK_PATIENCE_S)
    try:
        folder.mkdir(mode=0o700)
        yield Profile(folder)
    finally:
        _remove(folder, lock)


def remove_abandoned() -> None:
    """Ends the browsers, and removes the folders, of processes that were killed."""
    for path in _base().glob(f"{PREFIX}*"):
        folder = path.with_suffix("")
        lock = _lock(folder)
        if not _ours(path):
            continue
        try:
            lock.acquire()
        except Timeout:
            continue  # its owner lives
        _remove(folder, lock)


def _base() -> Path:
    base, short = Path(tempfile.gettempdir()), Path("/tmp")
    fits = len(os.fsencode(base)) <= _BASE_LENGTH_MAX
    return base if fits or not short.is_dir() else short


def _lock(folder: Path) -> FileLock:
    # Not of one thread: a profile may end on another thread than it began on.
    return FileLock(folder.with_suffix(".lock"), timeout=0, thread_local=False)


def _ours(path: Path) -> bool:
    """Whether this user made it: others share the folder for temporary files."""
    try:
        return not path.is_symlink() and path.stat().st_uid == getattr(os, "getuid", int)()
    except FileNotFoundError:
        return False


def _remove(folder: Path, lock: FileLock) -> None:
    try:
        end_processes(Profile(folder).marks)
        if folder.exists():
            shutil.rmtree(folder)
    finally:
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)
