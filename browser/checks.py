"""What Pageside needs on a machine: each check says what is here and what to do about it."""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pageside.browser.errors import BrowserError
from pageside.browser.launch import Browser, launch, wants_sandbox
from pageside.browser.probes import GPU, ISOLATION
from pageside.browser.serving import served
from pageside.browser.tab import Event, Tab
from pageside.models.catalogue import CATALOGUE, DEFAULT_MODEL
from pageside.models.errors import ModelAbsent, ModelDamaged, PagesideError
from pageside.models.pull import CONVERTED_PER_GGUF_BYTE
from pageside.models.store import ModelStore
from pageside.server.assets import PACKAGE
from pageside.server.settings import Settings

State = Literal["ok", "warning", "missing"]

KERNELS = "worker/engines/gguf/kernels.wasm"

# What the page and the worker load from each vendored package, below the package's own folder.
VENDORED = {
    "web/vendor/character-entities": ("index.js",),
    "web/vendor/legacy-modes": (
        "clike.js",
        "clojure.js",
        "cmake.js",
        "css.js",
        "diff.js",
        "dockerfile.js",
        "go.js",
        "haskell.js",
        "javascript.js",
        "julia.js",
        "lua.js",
        "nginx.js",
        "octave.js",
        "perl.js",
        "powershell.js",
        "properties.js",
        "protobuf.js",
        "python.js",
        "r.js",
        "ruby.js",
        "rust.js",
        "shell.js",
        "simple-mode.js",
        "sql.js",
        "stex.js",
        "swift.js",
        "toml.js",
        "xml.js",
        "yaml.js",
    ),
    "web/vendor/streamparser": ("index.js",),
    "web/vendor/temml": ("temml.mjs",),
    "worker/vendor/transformers": ("transformers.min.js",),
    "worker/vendor/onnxruntime-web": (
        "ort-wasm-simd-threaded.mjs",
        "ort-wasm-simd-threaded.wasm",
        "ort-wasm-simd-threaded.asyncify.mjs",
        "ort-wasm-simd-threaded.asyncify.wasm",
    ),
}


@dataclass(frozen=True)
class Check:
    """`missing` is what Pageside cannot do without; `remedy` is empty when all is well."""

    name: str
    state: State
    detail: str
    remedy: str = ""


async def all_checks(store: ModelStore, browser: str | Path | None = None) -> list[Check]:
    """Every check; the browser's by asking a real one on a page of our own."""
    return [
        *await browser_checks(store, browser),
        disk_check(store),
        *model_checks(store),
        *vendored_checks(PACKAGE),
        kernels_check(PACKAGE),
    ]


async def browser_checks(store: ModelStore, browser: str | Path | None = None) -> list[Check]:
    """The browser, its GPU and its threads; of the last two nothing without the first."""
    try:
        async with (
            served(Settings(engine="scripted"), store=store) as address,
            launch(browser) as running,
        ):
            tab = Tab(running.page)
            await tab.open(address, _ignore)
            found = _browser_found(running)
            return [
                found,
                gpu_check(await tab.evaluate(GPU)),
                thread_check(await tab.evaluate(ISOLATION)),
            ]
    except BrowserError as error:
        return [Check("browser", "missing", error.message, error.hint)]


def gpu_check(adapter: Mapping[str, Any] | None) -> Check:
    """From what probes.GPU gives; WebGPU is never needed, for there is Wasm."""
    if adapter is None:
        return Check(
            "webgpu", "warning", "no adapter", "models run on Wasm; check the GPU's driver for more"
        )
    detail = (
        f"{adapter['description'] or 'an adapter without a name'}, "
        f"shader-f16 {'yes' if adapter['shaderF16'] else 'no'}, "
        f"buffers up to {_size(adapter['maxBufferBytes'])}, "
        f"bound up to {_size(adapter['maxStorageBufferBindingBytes'])}"
    )
    if adapter["isFallbackAdapter"]:
        return Check("webgpu", "warning", f"software only: {detail}", "models run on Wasm")
    return Check("webgpu", "ok", detail)


def thread_check(isolation: Mapping[str, Any]) -> Check:
    """From what probes.ISOLATION gives."""
    cores = isolation["hardwareConcurrency"]
    if not isolation["crossOriginIsolated"]:
        return Check(
            "threads",
            "warning",
            "the page is not cross-origin isolated: one thread",
            "let no proxy or extension remove the COOP and COEP headers",
        )
    return Check("threads", "ok", f"{cores} cores, shared memory allowed")


def disk_check(store: ModelStore) -> Check:
    """Whether the default model can be pulled, if it is not here."""
    place = _nearest(store.root)
    free_bytes = shutil.disk_usage(place).free
    needed_bytes = _default_model_bytes(store)
    detail = f"{_size(free_bytes)} free at {store.root}"
    if not place.is_dir() or not os.access(place, os.W_OK):
        return Check(
            "disk", "missing", f"{store.root} cannot be written", "set PAGESIDE_HOME to a folder"
        )
    if free_bytes < needed_bytes:
        return Check(
            "disk",
            "missing",
            f"{detail}, and pulling {DEFAULT_MODEL} takes {_size(needed_bytes)}",
            "free some space, or set PAGESIDE_HOME to a folder elsewhere",
        )
    return Check("disk", "ok", detail)


def model_checks(store: ModelStore) -> Iterator[Check]:
    """The models that are here, and those whose files have not the size they must."""
    here = store.manifests()
    for manifest in here:
        detail = f"{manifest.id} {manifest.revision}, {_size(manifest.size_bytes)}, sizes right"
        yield Check("model", "ok", detail)
    damaged = [error for id in CATALOGUE if (error := _damage(store, id))]
    for error in damaged:
        yield Check("model", "missing", error.message, error.hint)
    if not here and not damaged:
        yield Check(
            "model",
            "warning",
            "none here yet",
            f"the first use pulls {DEFAULT_MODEL}, or do it now: `pageside models pull`",
        )


def vendored_checks(folder: Path) -> Iterator[Check]:
    """The npm packages that are run in the browser, and the integrity each was pinned to."""
    for place, names in VENDORED.items():
        package = Path(place).name
        stamp = folder / place / "INTEGRITY"
        absent = [name for name in names if not _has_content(folder / place / name)]
        if absent or not _has_content(stamp):
            yield Check(
                "vendored",
                "missing",
                f"{package}: no {', '.join(absent or ['INTEGRITY'])} in {folder / place}",
                "install pageside anew; in a clone, run `python scripts/vendor.py`",
            )
            continue
        integrity = stamp.read_text(encoding="utf-8").strip()
        yield Check("vendored", "ok", f"{package}, {len(names)} files, {integrity[:18]}…")


def kernels_check(folder: Path) -> Check:
    """Our own kernels, compiled; without them a CPU runs models several times as slowly."""
    module = folder / KERNELS
    if not _has_content(module):
        remedy = "install pageside anew; in a clone, run `python scripts/kernels.py`"
        return Check("kernels", "missing", f"no {module}", remedy)
    return Check("kernels", "ok", f"{module.name}, {module.stat().st_size // 1024} KiB")


async def _ignore(event: Event) -> None:
    """The probes make no events."""


def _browser_found(running: Browser) -> Check:
    detail = f"Chromium {running.version} at {running.executable}"
    return Check("browser", "ok", detail if wants_sandbox() else f"{detail}, without its sandbox")


def _damage(store: ModelStore, id: str) -> PagesideError | None:
    try:
        store.find(id)
    except ModelAbsent:
        return None
    except ModelDamaged as error:
        return error
    return None


def _default_model_bytes(store: ModelStore) -> int:
    if any(manifest.id == DEFAULT_MODEL for manifest in store.manifests()):
        return 0
    source = CATALOGUE[DEFAULT_MODEL].source
    return source.wheel_size_bytes + int(source.size_bytes * (1 + CONVERTED_PER_GGUF_BYTE))


def _nearest(path: Path) -> Path:
    """The path itself, or the parent that will hold it once it is made."""
    return next(parent for parent in (path, *path.parents) if parent.exists())


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _size(size_bytes: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} GB"
