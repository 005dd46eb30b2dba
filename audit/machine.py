"""What was measured on, and how busy it was with other things.

Two audits are compared only if their fingerprints are equal.
"""

import hashlib
import os
import platform
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from pageside.server.settings import version

LOOK_S = 1.0

_CPUINFO = Path("/proc/cpuinfo")
_HASH_LENGTH = 12


@dataclass(frozen=True)
class Business:
    """What the machine does beside us.

    `load_average` is of the last minute, ourselves included; None where the system has none.
    `others_share` is the share of all cores' time, from 0 to 1, that went to processes other than
    this one and its children, the browser among them, or that a host took away (steal).
    """

    load_average: float | None
    others_share: float
    look_s: float


@dataclass(frozen=True)
class _Times:
    """Seconds of CPU time since the machine and we began, and when that was read."""

    busy_s: float
    own_s: float
    at_s: float


def fingerprint(chromium: str) -> Mapping[str, str]:
    """All whose change moves a figure; `chromium` is its version as the browser tells it."""
    return {
        "CPU": _cpu_model(),
        "cores": str(_cores()),
        # Of one kind of machine each has some pages more or less.
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "OS": _system(),
        "kernel": platform.release(),
        "Python": platform.python_version(),
        "Chromium": chromium,
        "Pageside": version(),
    }


# The keys above: a report's table of the machine may have more, such as its load.
_KEYS = ("CPU", "cores", "memory", "OS", "kernel", "Python", "Chromium", "Pageside")


def fingerprint_hash(machine: Mapping[str, str]) -> str:
    """12 hexadecimal digits, the same for the same fingerprint; other keys do not matter."""
    text = "\n".join(f"{key}={machine.get(key, '')}" for key in _KEYS)
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_LENGTH]


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """The keys in which two fingerprints differ."""
    return [key for key in _KEYS if one.get(key, "") != other.get(key, "")]


def business(look_s: float = LOOK_S) -> Business:
    """Looks for `look_s`, asleep itself."""
    before = _times()
    time.sleep(look_s)
    after = _times()
    load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return Business(load_average, _others_share(before, after), after.at_s - before.at_s)


def _others_share(before: _Times, after: _Times) -> float:
    others_s = (after.busy_s - before.busy_s) - (after.own_s - before.own_s)
    all_s = (psutil.cpu_count() or 1) * (after.at_s - before.at_s)
    # The two clocks tick in hundredths, so a quiet look may come out below nothing.
    return min(1.0, max(0.0, others_s / all_s))


def _times() -> _Times:
    times = psutil.cpu_times()._asdict()
    # `guest` is in `user` already, `guest_nice` in `nice`.
    resting = ("idle", "iowait", "guest", "guest_nice")
    busy_s = sum(value for name, value in times.items() if name not in resting)
    return _Times(busy_s, _own_s(), time.monotonic())


def _own_s() -> float:
    """CPU time of this process and of all that it started, also of those that have ended."""
    own = psutil.Process()
    total_s = 0.0
    for process in [own, *own.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue  # it has just ended, and its parent has its time when it was waited for
        total_s += times.user + times.system + times.children_user + times.children_system
    return total_s


def _cpu_model() -> str:
    system = platform.system()
    found = ""
    if system == "Linux":
        found = _from_cpuinfo(_CPUINFO.read_text(encoding="utf-8", errors="replace"))
    elif system == "Darwin":
        asked = subprocess.run(
            ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True
        )
        found = asked.stdout.strip()
    return found or platform.processor() or platform.machine()


def _from_cpuinfo(text: str) -> str:
    """The first processor's name; ARM's kernels give no name, but numbers of maker and part."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    if "model name" in fields:
        return " ".join(fields["model name"].split())
    arm = [fields[name] for name in ("CPU implementer", "CPU part") if name in fields]
    return " ".join([platform.machine(), *arm])


def _cores() -> int:
    """Those that we may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _system() -> str:
    if platform.system() != "Linux":
        return f"{platform.system()} {platform.version()}"
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:  # it is not written anywhere
        return "Linux"
