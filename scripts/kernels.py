"""Compile the C of worker/kernels to WebAssembly.

The compiler comes from PyPI, in a wheel: clang and lld as Zig carries them. No file of a system
goes in, and no path of this one, so the bytes are the same wherever they are built.
"""

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = REPOSITORY / "worker" / "kernels"
MODULE = REPOSITORY / "worker" / "engines" / "gguf" / "kernels.wasm"
# What the module was made from; beside it, and like it not committed.
STAMP = MODULE.with_suffix(".source")
COMPILER_FROM_PYPI = "ziglang==0.17.1"

# All but a page of four gigabytes, which 32-bit addresses reach. It is shared so that threads can
# run in it; where the page is not isolated the engine keeps it to itself.
_MEMORY = ["--import-memory", "--shared-memory", f"--max-memory={2**32 - 2**16}"]
_EXPORTS = ["--no-entry", "--export=__stack_pointer", "--export=__heap_base"]
_FEATURES = "generic+simd128+atomics+bulk_memory+mutable_globals"


def stale() -> bool:
    """Whether the module is not there, or was made from other sources."""
    return not (MODULE.is_file() and STAMP.is_file() and STAMP.read_text() == _digest())


def fill() -> None:
    """Puts the module in place; one that is up to date costs nothing."""
    if not stale():
        return
    compile_kernels(MODULE)
    # Written last: a build that was killed half-way is done again.
    STAMP.write_text(_digest())


def compile_kernels(module: Path, more: Sequence[Path] = ()) -> None:
    """Writes the WebAssembly of all kernels, and of `more` C files that use them."""
    command = [
        *(sys.executable, "-m", "ziglang", "cc"),
        *("-target", "wasm32-freestanding", f"-mcpu={_FEATURES}"),
        *("-std=c17", "-O3", "-Wall", "-Wextra", "-Werror", "-s"),
        *("-ffreestanding", "-nostdlib", "-fno-strict-aliasing"),
        *(f"-Wl,{flag}" for flag in (*_MEMORY, *_EXPORTS)),
        *("-I", str(SOURCES), "-o", str(module)),
        *(str(source) for source in (*sorted(SOURCES.glob("*.c")), *more)),
    ]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode != 0:
        sys.exit(f"pageside: error: the kernels could not be compiled:\n{compiled.stderr.strip()}")


def _digest() -> str:
    """Of the sources and of how they are compiled."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for source in sorted(SOURCES.glob("*.[ch]")):
        digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    fill()
