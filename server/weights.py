"""Model files over HTTP: `/models/<id>/<revision>/<file>`."""

from hashlib import sha256

from starlette.requests import Request

from pageside.models.manifest import MANIFEST_NAME, ModelFile, parse_manifest
from pageside.models.store import ModelStore
from pageside.server.assets import media_type
from pageside.server.files import Content, FileResponse

# A revision is made of its files' hashes, so what one of these URLs names never changes.
_IMMUTABLE = "public, max-age=31536000, immutable"


class ModelFiles:
    """Serves what the store holds whole, and of that only what a manifest lists."""

    def __init__(self, store: ModelStore) -> None:
        self.store = store

    def serve(self, request: Request) -> FileResponse:
        """The endpoint: `id`, `revision` and `name` are the path's parts."""
        path = request.path_params
        return FileResponse(self.content(path["id"], path["revision"], path["name"]))

    def content(self, id: str, revision: str, name: str) -> Content:
        """ModelUnknown unless the revision is here and its manifest names the file."""
        path = self.store.file(id, revision, name)
        described = self._described(id, revision, name)
        return Content(
            path=path,
            size_bytes=described.size_bytes,
            sha256=described.sha256,
            media_type=media_type(name),
            cache_control=_IMMUTABLE,
            way_out=f"`pageside models verify {id}` names every damaged file",
        )

    def _described(self, id: str, revision: str, name: str) -> ModelFile:
        manifest = self.store.file(id, revision, MANIFEST_NAME).read_bytes()
        if name == MANIFEST_NAME:
            return ModelFile(len(manifest), sha256(manifest).hexdigest())
        return parse_manifest(manifest).files[name]
