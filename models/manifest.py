"""A model folder's manifest: what the model is, and size and sha256 of every file.

Manifests also come from elsewhere, so reading one believes nothing: types, names,
sizes and the revision are all checked, and unknown fields are refused.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any

from pageside.models.errors import ManifestInvalid, NameInvalid
from pageside.models.fields import Fields, read_fields
from pageside.models.names import checked_file_name, checked_model_id

FORMAT = 1
MANIFEST_NAME = "manifest.json"
MANIFEST_SIZE_BYTES_MAX = 1 << 20
FILES_MAX = 256
CONTEXT_WINDOW_MAX = 1 << 27  # tokens; more is a mistake or an attack


@dataclass(frozen=True)
class ModelFile:
    """What one file of the folder must be."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class Source:
    """Where the weights came from; `sha256` is that of the GGUF file."""

    kind: str
    package: str
    version: str
    member: str
    sha256: str


@dataclass(frozen=True)
class KnownAnswer:
    """The most likely token after `prompt`, taken as raw text, decodes to `next`."""

    prompt: str
    next: str


@dataclass(frozen=True)
class Manifest:
    """A complete model folder, `files` being all but the manifest itself."""

    id: str
    name: str
    revision: str
    licence: str
    architecture: str
    context_window: int
    source: Source
    converter: str
    known_answer: KnownAnswer | None
    files: Mapping[str, ModelFile]

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files.values())

    def to_json(self) -> bytes:
        """The bytes of `manifest.json`, the same for the same manifest."""
        fields = {"format": FORMAT, **asdict(self), "files": _sorted_files(self.files)}
        return json.dumps(fields, indent=1, ensure_ascii=False).encode() + b"\n"


def revision_of(files: Mapping[str, ModelFile]) -> str:
    """16 hexadecimal digits that change when any file does, so URLs can be immutable."""
    lines = sorted(f"{name} {file.sha256}\n" for name, file in files.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def parse_manifest(content: bytes) -> Manifest:
    """The manifest in `content`; ManifestInvalid names the first field that is wrong."""
    if len(content) > MANIFEST_SIZE_BYTES_MAX:
        raise ManifestInvalid(f"the manifest is longer than {MANIFEST_SIZE_BYTES_MAX} bytes")
    try:
        return _manifest(read_fields(content, "the manifest"))
    except NameInvalid as error:
        raise ManifestInvalid(error.message) from error


def _manifest(fields: Fields) -> Manifest:
    if fields.integer("format", 0) != FORMAT:
        raise ManifestInvalid(f"the manifest's format is not {FORMAT}", hint="upgrade pageside")
    manifest = Manifest(
        id=checked_model_id(fields.text("id")),
        name=fields.text("name"),
        revision=fields.text("revision"),
        licence=fields.text("licence"),
        architecture=fields.text("architecture"),
        context_window=fields.integer("context_window", 1, CONTEXT_WINDOW_MAX),
        source=_source(fields.fields("source")),
        converter=fields.text("converter"),
        known_answer=_known_answer(fields),
        files=_files(fields.fields("files")),
    )
    fields.nothing_else()
    if manifest.revision != revision_of(manifest.files):
        raise ManifestInvalid("the manifest's revision is not that of its files")
    return manifest


def _source(fields: Fields) -> Source:
    source = Source(
        kind=fields.text("kind"),
        package=fields.text("package"),
        version=fields.text("version"),
        member=fields.text("member"),
        sha256=fields.sha256("sha256"),
    )
    fields.nothing_else()
    return source


def _known_answer(fields: Fields) -> KnownAnswer | None:
    if fields.is_null("known_answer"):
        return None
    answer = fields.fields("known_answer")
    known = KnownAnswer(prompt=answer.text("prompt"), next=answer.text("next"))
    answer.nothing_else()
    return known


def _files(fields: Fields) -> dict[str, ModelFile]:
    names = fields.names()
    if not 0 < len(names) <= FILES_MAX:
        raise ManifestInvalid(f"the manifest names {len(names)} files, not 1 to {FILES_MAX}")
    _check_distinct(names)
    return {checked_file_name(name): _model_file(fields.fields(name)) for name in names}


def _model_file(fields: Fields) -> ModelFile:
    file = ModelFile(size_bytes=fields.integer("size_bytes", 0), sha256=fields.sha256("sha256"))
    fields.nothing_else()
    return file


def _check_distinct(names: list[str]) -> None:
    """No two names may meet in one place where letters have no case."""
    folded = [name.casefold() for name in names]
    taken = set(folded)
    parents = {str(parent) for name in folded for parent in PurePosixPath(name).parents}
    if len(taken) < len(names) or taken & parents or MANIFEST_NAME in taken:
        raise ManifestInvalid("the manifest names one file twice, or as a folder too")


def _sorted_files(files: Mapping[str, ModelFile]) -> dict[str, dict[str, Any]]:
    return {name: asdict(files[name]) for name in sorted(files)}
