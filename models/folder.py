"""One model folder held against its manifest."""

import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from pageside.models.disk import sha256_of, writing
from pageside.models.errors import ManifestInvalid
from pageside.models.manifest import (
    MANIFEST_NAME,
    MANIFEST_SIZE_BYTES_MAX,
    KnownAnswer,
    Manifest,
    ModelFile,
    Source,
    parse_manifest,
    revision_of,
)


@dataclass(frozen=True)
class Identity:
    """What a model says of itself, apart from its files."""

    id: str
    name: str
    licence: str
    architecture: str
    context_window: int
    source: Source
    converter: str
    known_answer: KnownAnswer | None


@dataclass(frozen=True)
class Problem:
    """One file that is not what its manifest says."""

    file: str
    kind: Literal["missing", "size", "content"]
    detail: str


def read_manifest(folder: Path) -> Manifest:
    """The folder's manifest; ManifestInvalid too if it is absent or belongs elsewhere."""
    try:
        with (folder / MANIFEST_NAME).open("rb") as file:
            manifest = parse_manifest(file.read(MANIFEST_SIZE_BYTES_MAX + 1))
    except OSError as error:
        raise ManifestInvalid(f"the manifest cannot be read ({error.strerror})") from error
    if (manifest.id, manifest.revision) != (folder.parent.name, folder.name):
        raise ManifestInvalid("the manifest is that of another model")
    return manifest


def describe(folder: Path, identity: Identity) -> Manifest:
    """The manifest that `folder` should get: reads and hashes every file in it."""
    with writing(folder):
        files = {
            path.relative_to(folder).as_posix(): ModelFile(path.stat().st_size, sha256_of(path))
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.relative_to(folder).as_posix() != MANIFEST_NAME
        }
    facts = {name: getattr(identity, name) for name in asdict(identity)}
    return Manifest(**facts, revision=revision_of(files), files=files)


def size_problems(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """What a look at the folder tells, without reading the files."""
    for name, file in manifest.files.items():
        try:
            status = (folder / name).lstat()
        except OSError:
            yield Problem(name, "missing", "the file is missing")
            continue
        if not stat.S_ISREG(status.st_mode):
            yield Problem(name, "missing", "it is no regular file")
        elif status.st_size != file.size_bytes:
            detail = f"{status.st_size} bytes instead of {file.size_bytes}"
            yield Problem(name, "size", detail)


def problems(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """What reading every byte tells."""
    bad = {problem.file: problem for problem in size_problems(folder, manifest)}
    for name, file in manifest.files.items():
        if name in bad:
            yield bad[name]
            continue
        with writing(folder / name):
            sha256 = sha256_of(folder / name)
        if sha256 != file.sha256:
            yield Problem(name, "content", f"sha256 {sha256[:12]}… instead of {file.sha256[:12]}…")
