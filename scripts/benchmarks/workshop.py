"""What every subject is given."""

from dataclasses import dataclass
from pathlib import Path

from pageside.models.catalogue import DEFAULT_MODEL
from pageside.models.manifest import Manifest
from pageside.models.store import ModelStore


@dataclass(frozen=True)
class Workshop:
    """`scratch` is a folder for files that end with the run."""

    store: ModelStore
    scratch: Path
    repeats: int

    @property
    def manifest(self) -> Manifest:
        """The default model's."""
        return self.store.find(DEFAULT_MODEL)

    @property
    def model_folder(self) -> Path:
        return self.store.root / self.manifest.id / self.manifest.revision

    @property
    def model_url(self) -> str:
        """Its path on the origin, ends with a slash."""
        return f"/models/{self.manifest.id}/{self.manifest.revision}/"
