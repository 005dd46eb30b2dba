"""The page's and the worker's own files, as they lie beside this package."""

import os
from pathlib import Path

from starlette.requests import Request

from pageside.models.disk import sha256_of
from pageside.models.errors import NameInvalid
from pageside.models.names import checked_file_name
from pageside.server.errors import FileUnknown
from pageside.server.files import Content, FileResponse

# web/ and worker/ are siblings of server/ in a checkout and in an installed wheel;
# importlib.resources does not find them in an editable install.
PACKAGE = Path(__file__).resolve().parent.parent
WEB = PACKAGE / "web"
WORKER = PACKAGE / "worker"

# Not from the system's table: on Windows the registry may call JavaScript text/plain.
_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/plain; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


def media_type(name: str) -> str:
    """By the name's extension; bytes when it says nothing."""
    return _MEDIA_TYPES.get(Path(name).suffix.lower(), "application/octet-stream")


class AssetFolder:
    """Serves the files below `root`, which may be edited meanwhile."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._hashes: dict[Path, tuple[tuple[int, int, int], str]] = {}

    def serve(self, request: Request) -> FileResponse:
        """The endpoint: `name` is the path's part below the folder."""
        return FileResponse(self.content(request.path_params["name"]))

    def content(self, name: str) -> Content:
        """FileUnknown unless `name` is a plain path to a file inside the folder."""
        path = self._path(name)
        stat = path.stat()
        return Content(
            path=path,
            size_bytes=stat.st_size,
            sha256=self._hash(path, stat),
            media_type=media_type(name),
            cache_control="no-cache",
            way_out="load the page again",
        )

    def _path(self, name: str) -> Path:
        try:
            path = (self.root / checked_file_name(name)).resolve()
        except NameInvalid as error:
            raise FileUnknown(f"{name[:80]!r} is no file of the page") from error
        if not path.is_relative_to(self.root) or not path.is_file():
            raise FileUnknown(f"{name[:80]!r} is no file of the page")
        return path

    def _hash(self, path: Path, stat: os.stat_result) -> str:
        """Read again only when the file has changed: the largest has 27 MB."""
        signature = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        known = self._hashes.get(path)
        if known is None or known[0] != signature:
            known = self._hashes[path] = (signature, sha256_of(path))
        return known[1]
