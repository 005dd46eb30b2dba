"""What the page asks the server: models, settings, script, health."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pageside.models.errors import ModelAbsent, ModelDamaged, ModelUnknown
from pageside.models.manifest import Manifest
from pageside.models.store import ModelStore
from pageside.server.assets import WORKER, media_type
from pageside.server.script import read_script
from pageside.server.settings import Settings, version

DEMO_SCRIPT = WORKER / "engines" / "demo.jsonl"

# The files that only one device reads; the rest is for both.
_WASM_ONLY = {"model.gguf", "onnx/model.onnx", "onnx/weights.json"}
_WEBGPU_ONLY = {"onnx/model_q4.onnx"}

_FRESH = {"cache-control": "no-store"}


class Api:
    """Endpoints that read the disk at each request, so a pulled model appears at once."""

    def __init__(self, store: ModelStore, settings: Settings) -> None:
        self.store = store
        self.settings = settings

    def models(self, request: Request) -> Response:
        """`GET /api/models`: the complete models, and which one is the default."""
        models = [described(manifest) for manifest in self.store.manifests()]
        return JSONResponse({"default": self.settings.model, "models": models}, headers=_FRESH)

    def settings_in_force(self, request: Request) -> Response:
        """`GET /api/settings`: what the page loads unless it is told otherwise.

        A model that is not here whole is an error, which says what to do about it.
        """
        scripted = self.settings.engine == "scripted"
        body = {
            "engine": self.settings.engine,
            "device": self.settings.device,
            "threads": self.settings.threads,
            "model": None if scripted else self._model(),
            "script": "/api/script" if scripted else None,
            "version": version(),
        }
        return JSONResponse(body, headers=_FRESH)

    def script(self, request: Request) -> Response:
        """`GET /api/script`: the script, checked again, for it may have been edited."""
        path = self.settings.script or DEMO_SCRIPT
        content, _ = read_script(path, name=path.name)
        return Response(content, media_type=media_type("script.jsonl"), headers=_FRESH)

    def health(self, request: Request) -> Response:
        """`GET /api/health`: that the server answers, and with which model."""
        body = {"status": "ok", "version": version(), "model": self._model_id()}
        return JSONResponse(body, headers=_FRESH)

    def _model(self) -> dict[str, Any]:
        manifest = self.store.find(self.settings.model)
        fields = ("id", "revision", "name", "context_window")
        return {field: getattr(manifest, field) for field in fields}

    def _model_id(self) -> str | None:
        """The model the page would load; None when it needs none, or none is here whole."""
        if self.settings.engine == "scripted":
            return None
        try:
            return self.store.find(self.settings.model).id
        except (ModelAbsent, ModelDamaged, ModelUnknown):
            return None


def described(manifest: Manifest) -> dict[str, Any]:
    """One model of `/api/models`, with the bytes that each device has to fetch."""
    fields = ("id", "name", "revision", "licence", "architecture", "context_window", "size_bytes")
    return {
        **{field: getattr(manifest, field) for field in fields},
        "download_bytes": {
            "wasm": _size_without(manifest, _WEBGPU_ONLY),
            "webgpu": _size_without(manifest, _WASM_ONLY),
        },
    }


def _size_without(manifest: Manifest, names: set[str]) -> int:
    return sum(file.size_bytes for name, file in manifest.files.items() if name not in names)
