"""The folder of models: which are complete, and how one gets in and out.

    <root>/<id>/<revision>/…      complete models, and nothing else
    <root>/.partial/<id>/         a download and a build in progress
    <root>/.locks/<id>.lock       held by whoever changes that model

A model appears by one rename and leaves by one rename, so a process that is killed
at any moment leaves nothing that could be taken for whole.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from pageside.models.catalogue import CATALOGUE
from pageside.models.disk import flush_folder, flush_tree, sha256_of, write_bytes, writing
from pageside.models.errors import (
    ManifestInvalid,
    ModelAbsent,
    ModelDamaged,
    ModelUnknown,
    NameInvalid,
    StoreLocked,
)
from pageside.models.folder import (
    Identity,
    Problem,
    describe,
    problems,
    read_manifest,
    size_problems,
)
from pageside.models.manifest import MANIFEST_NAME, Manifest
from pageside.models.names import checked_file_name, checked_model_id, checked_revision


def default_root() -> Path:
    """`$PAGESIDE_HOME/models`, else `models` in the user's cache folder for pageside."""
    home = os.environ.get("PAGESIDE_HOME")
    return (Path(home).expanduser() if home else user_cache_path("pageside")) / "models"


class ModelStore:
    """The models below `root`, which need not exist yet."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    def manifests(self) -> list[Manifest]:
        """The complete models by id, the newest revision of each."""
        found = (self._newest(id) for id in self.ids())
        return [manifest for manifest in found if manifest]

    def ids(self) -> list[str]:
        """Every model of which there is a folder, whole or not."""
        return sorted(folder.name for folder in _folders(self.root))

    def find(self, id: str) -> Manifest:
        """The model's manifest; else ModelUnknown, ModelAbsent or ModelDamaged."""
        id = _checked_id(id)
        if manifest := self._newest(id):
            return manifest
        if _folders(self.root / id):
            raise ModelDamaged(
                f"files of the model {id} are missing or cut short",
                hint=f"`pageside models pull {id}` makes it whole",
            )
        raise _not_here(id)

    def file(self, id: str, revision: str, name: str) -> Path:
        """The path of one file of a model, or of its manifest; else ModelUnknown."""
        try:
            folder = self.root / checked_model_id(id) / checked_revision(revision)
            checked_file_name(name)
            manifest = read_manifest(folder)
        except (NameInvalid, ManifestInvalid) as error:
            raise ModelUnknown("there is no such model file", hint=error.message) from error
        if name != MANIFEST_NAME and name not in manifest.files:
            raise ModelUnknown(f"the model {id} has no file {name}")
        return folder / name

    def verify(self, id: str) -> list[Problem]:
        """Reads every byte of the model; [] if all is as its manifest says."""
        revisions = self._revisions(_checked_id(id))
        if not revisions:
            raise _not_here(id)
        try:
            return list(problems(revisions[0], read_manifest(revisions[0])))
        except ManifestInvalid as error:
            return [Problem(MANIFEST_NAME, "content", error.message)]

    def install(self, build: Path, identity: Identity) -> Manifest:
        """Moves the finished folder `build` in, in place of every other revision.

        The caller holds the model's lock, and `build` lies in its workshop.
        """
        manifest = describe(build, identity)
        write_bytes(build / MANIFEST_NAME, manifest.to_json())
        target = self.root / manifest.id / manifest.revision
        with writing(target):
            flush_tree(build)
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():
                self._withdraw(manifest.id, [target])
            build.rename(target)
            flush_folder(target.parent)
        self._withdraw(manifest.id, set(self._revisions(manifest.id)) - {target})
        return manifest

    def remove(self, id: str) -> None:
        """Takes away the model and what a pull left behind; StoreLocked while one runs."""
        revisions = self._revisions(_checked_id(id))
        if not revisions and not self.workshop(id).exists():
            raise _not_here(id)
        with self.locked(id):
            self._withdraw(id, revisions)
            self.clear_workshop(id)
            with writing(self.root / id):
                if (self.root / id).exists():
                    (self.root / id).rmdir()

    @contextmanager
    def locked(self, id: str, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        """One process at a time changes a model; the system frees a dead one's lock.

        While another has it, `waiting` is called once and the lock waited for; without
        `waiting`, StoreLocked is raised.
        """
        path = self.root / ".locks" / f"{checked_model_id(id)}.lock"
        lock = FileLock(path)
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire(timeout=0)
            except Timeout as error:
                if waiting is None:
                    raise StoreLocked(
                        f"another process is pulling {id}", hint="let it end or stop it"
                    ) from error
                waiting()
                lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def fresh_build(self, id: str) -> Path:
        """An empty folder in the model's workshop; what a killed build left is deleted."""
        build = self.workshop(id) / "build"
        with writing(build):
            if build.exists():
                shutil.rmtree(build)
            build.mkdir(parents=True)
        return build

    def salvage(self, id: str, name: str, sha256: str) -> Path | None:
        """A file with this content from any revision of the model, however damaged that is."""
        for folder in self._revisions(id):
            with writing(folder / name):
                if (folder / name).is_file() and sha256_of(folder / name) == sha256:
                    return folder / name
        return None

    def workshop(self, id: str) -> Path:
        """Where a download and a build of the model lie, for who holds its lock."""
        return self.root / ".partial" / checked_model_id(id)

    def clear_workshop(self, id: str) -> None:
        with writing(self.workshop(id)):
            if self.workshop(id).exists():
                shutil.rmtree(self.workshop(id))

    def _newest(self, id: str) -> Manifest | None:
        for folder in self._revisions(id):
            try:
                manifest = read_manifest(folder)
            except ManifestInvalid:
                continue
            if not any(size_problems(folder, manifest)):
                return manifest
        return None

    def _revisions(self, id: str) -> list[Path]:
        """The model's folders, the latest installed first."""
        return sorted(_folders(self.root / id), key=lambda folder: (-_mtime(folder), folder.name))

    def _withdraw(self, id: str, folders: Iterable[Path]) -> None:
        """Renames revisions away first: deleting file by file is no single step."""
        trash = self.workshop(id) / "removed"
        with writing(trash):
            if trash.exists():
                shutil.rmtree(trash)
            trash.mkdir(parents=True)
            for folder in folders:
                folder.rename(trash / folder.name)
            shutil.rmtree(trash)


def _checked_id(id: str) -> str:
    try:
        return checked_model_id(id)
    except NameInvalid as error:
        raise ModelUnknown(error.message, hint=error.hint) from error


def _not_here(id: str) -> ModelAbsent | ModelUnknown:
    if id in CATALOGUE:
        return ModelAbsent(f"the model {id} is not here", hint=f"`pageside models pull {id}`")
    return ModelUnknown(f"there is no model {id}", hint=f"known: {', '.join(sorted(CATALOGUE))}")


def _folders(parent: Path) -> list[Path]:
    """Folders of models or revisions; those with a dot in front are our own."""
    try:
        return [path for path in parent.iterdir() if path.is_dir() and path.name[0] != "."]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _mtime(folder: Path) -> int:
    try:
        return (folder / MANIFEST_NAME).stat().st_mtime_ns
    except OSError:
        return 0
