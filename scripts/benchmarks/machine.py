"""What the figures were measured on, and how busy it was with other things."""

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import psutil

import vendor
import wllama

# Above it the machine does other things too, and no figure here is to be believed.
QUIET = 0.5
LOOK_S = 3.0


@dataclass(frozen=True)
class Business:
    """What the machine does while the bench does nothing."""

    load_average: float  # of the last minute, in which the bench may have worked
    busy_cores: float  # over LOOK_S


def business() -> Business:
    """Looks for LOOK_S."""
    percent = psutil.cpu_percent(LOOK_S)
    return Business(os.getloadavg()[0], percent / 100 * (os.cpu_count() or 1))


def in_words(before: Business, after: Business, is_first: bool) -> list[str]:
    """Of one subject. Only before the first is the load average the others' alone."""
    words = (
        f"load average {before.load_average:.2f} before, {after.load_average:.2f} after; "
        f"others kept {before.busy_cores:.2f} cores busy before, {after.busy_cores:.2f} after"
    )
    worst = max(before.busy_cores, after.busy_cores, before.load_average if is_first else 0)
    if worst <= QUIET:
        return [words]
    return [words, f"*** NOT A QUIET MACHINE (above {QUIET:g}): do not trust these figures ***"]


def versions(chromium: str) -> str:
    """Everything whose version moves a figure."""
    vendored = ", ".join(
        f"{entry['package'].rpartition('/')[2]} {entry['version']}" for entry in vendor.entries()
    )
    native = ", ".join(f"{name} {version(name)}" for name in ("onnxruntime", "xllamacpp"))
    peers = f"wllama {wllama.ENTRY['version']}, native {native}"
    return f"Pageside {version('pageside')}, Chromium {chromium}, {vendored}; peers: {peers}"


def hardware() -> str:
    return (
        f"{_processor()}, {os.cpu_count()} cores, {_memory_gb():.0f} GB, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
