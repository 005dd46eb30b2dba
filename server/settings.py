"""What the user chose for one server."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pageside.models.catalogue import DEFAULT_MODEL

Engine = Literal["auto", "gguf", "transformers", "scripted"]
Device = Literal["auto", "webgpu", "wasm"]


@dataclass(frozen=True)
class Settings:
    """`model` is what the page loads; the scripted engine needs none. `engine` "auto" takes
    transformers.js on a GPU, and on a CPU our own kernels wherever they cover the model.

    `script` None means the demonstration that Pageside carries; `threads` None lets
    the page choose. `allowed_hosts` are names beside loopback and `host` that a
    request may address the server by.
    """

    model: str = DEFAULT_MODEL
    engine: Engine = "auto"
    script: Path | None = None
    device: Device = "auto"
    threads: int | None = None
    host: str = "127.0.0.1"
    port: int = 8765
    allowed_hosts: tuple[str, ...] = ()


def version() -> str:
    """The version of Pageside that is installed."""
    from importlib.metadata import version  # slow to import, and `--help` needs none

    return version("pageside")
