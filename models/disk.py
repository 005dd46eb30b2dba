"""Writing so that what is there is whole, and saying plainly when it cannot be.

Every foreign OSError of the store passes through `writing`.
"""

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pageside.models.errors import DiskFull, StoreUnusable

CHUNK_BYTES = 1 << 20

# EFBIG is what a quota by file size (RLIMIT_FSIZE, FAT32) answers.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Maps what the system says about `path` to DiskFull or StoreUnusable."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFull(
                f"the disk is full at {path}",
                hint="make room or set PAGESIDE_HOME to another disk, then start again",
            ) from error
        reason = error.strerror or str(error)
        raise StoreUnusable(
            f"cannot use {path} ({reason})", hint="set PAGESIDE_HOME to a folder of your own"
        ) from error


def require_free(folder: Path, size_bytes: int, purpose: str) -> None:
    """DiskFull unless the file system of `folder` has `size_bytes` left."""
    with writing(folder):
        free = shutil.disk_usage(folder).free
    if free < size_bytes:
        raise DiskFull(
            f"{purpose} needs {megabytes(size_bytes)}, {folder} has {megabytes(free)} left",
            hint="make room or set PAGESIDE_HOME to another disk",
        )


def megabytes(size_bytes: int) -> str:
    """`98362432` as `98 MB`."""
    return f"{size_bytes / 1e6:.0f} MB"


def sha256_of(path: Path) -> str:
    """The file's sha256 in hexadecimal, read in chunks."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def write_bytes(path: Path, content: bytes) -> None:
    """A whole new file, its folder made as needed."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def flush_tree(folder: Path) -> None:
    """Everything below `folder` is on the disk, not only in the system's memory."""
    for parent, _, names in os.walk(folder):
        for name in names:
            _flush(Path(parent) / name, os.O_RDWR)
        flush_folder(Path(parent))


def flush_folder(folder: Path) -> None:
    """The folder's own entries are on the disk; Windows has no such call and needs none."""
    if os.name == "posix":
        _flush(folder, os.O_RDONLY)


def _flush(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
