"""The renderers' pages and deep-chat's: bundled with esbuild, production builds, then served."""

import hashlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Template

from starlette.applications import Starlette
from starlette.routing import Route

from pageside.models.errors import PagesideError
from pageside.server.assets import AssetFolder
from pageside.server.errors import answer_error
from pageside.server.live import LiveServer
from peers import packages
from peers.catalogue import RENDERERS, Renderer

SOURCES = packages.HERE / "pages"
DEEP_CHAT_PAGE = "deep-chat.html"

_ESBUILD = "node_modules/esbuild/bin/esbuild"
_TAILWIND = "node_modules/@tailwindcss/cli/dist/index.mjs"
_OPTIONS = (
    "--bundle",
    "--minify",
    "--format=esm",
    "--splitting",  # what a package imports when it needs it stays apart
    # Optional peers of markstream-react, which looks for them in the page and goes on without.
    "--external:@terrastruct/d2",
    "--external:@antv/infographic",
    "--external:stream-diffs",
    "--jsx=automatic",
    '--define:process.env.NODE_ENV="production"',
    "--loader:.woff2=file",
    "--loader:.woff=file",
    "--loader:.ttf=file",
    "--log-level=warning",
)


def page_of(renderer: Renderer) -> str:
    return f"{Path(renderer.source).stem}.html"


def site(folder: Path) -> Path:
    """Where the pages lie."""
    return folder / "site"


def origin(folder: Path, port: int) -> LiveServer:
    """A server of the pages, started on entering."""
    app = Starlette(
        routes=[Route("/{name:path}", AssetFolder(site(folder)).serve)],
        exception_handlers={PagesideError: answer_error},
    )
    return LiveServer(app, port=port)


def fill(folder: Path) -> None:
    """Builds the pages from the installed packages; costs nothing when they are built."""
    into = site(folder)
    stamp = into / "BUILT"
    fingerprint = _fingerprint()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == fingerprint:
        return
    print(f"Building the peers' pages in {into} …", file=sys.stderr)
    shutil.rmtree(into, ignore_errors=True)
    _bundle(packages.home(folder), into)
    _write_pages(into)
    stamp.write_text(fingerprint, encoding="utf-8")


def _fingerprint() -> str:
    """Of all that the pages are made of."""
    digest = hashlib.sha256(packages.LOCK.read_bytes() + Path(__file__).read_bytes())
    for source in sorted(path for path in SOURCES.rglob("*") if path.is_file()):
        digest.update(f"{source.relative_to(SOURCES)}\n".encode() + source.read_bytes())
    return digest.hexdigest()


def _bundle(home: Path, into: Path) -> None:
    # Packages are looked for from the importing file upwards, so the sources move in with them.
    sources = home / "pages"
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(SOURCES, sources)
    entries = [f"pages/renderers/{renderer.source}" for renderer in RENDERERS.values()]
    command = [packages.tool("node"), _ESBUILD, *entries, "pages/deep-chat.js"]
    command += [*_OPTIONS, "--entry-names=[name]", f"--outdir={into.resolve()}"]
    packages.run(command, home, "the peers' pages")
    for styles in sorted(sources.glob("renderers/*.tailwind.css")):
        into_file = into.resolve() / f"{styles.name.partition('.')[0]}.css"
        command = [packages.tool("node"), _TAILWIND, "-i", str(styles.resolve())]
        packages.run([*command, "-o", str(into_file), "--minify"], home, f"{into_file.name}")


def _write_pages(into: Path) -> None:
    shutil.copy2(SOURCES / "chat.css", into)
    shutil.copy2(SOURCES / DEEP_CHAT_PAGE, into)
    template = Template((SOURCES / "chat.html").read_text(encoding="utf-8"))
    for name, renderer in RENDERERS.items():
        stem = Path(renderer.source).stem
        page = template.substitute(
            title=name, script=f"{stem}.js", styles="\n  ".join(_styles(into, stem))
        )
        (into / page_of(renderer)).write_text(page, encoding="utf-8")


def _styles(into: Path, stem: str) -> Iterator[str]:
    """What belongs to the script and was put beside it."""
    if (into / f"{stem}.css").is_file():
        yield f'<link rel="stylesheet" href="{stem}.css" />'
