"""The processes of one browser, found by what they alone have on their command lines.

Chromium's helpers are not all its children: its crash handlers detach themselves,
and after a crash, or a killed parent, any of them may belong to the init process.
"""

import os
import time
from collections.abc import Collection

import psutil

PATIENCE_S = 10.0
_POLL_S = 0.02


def find_processes(marks: Collection[str]) -> list[psutil.Process]:
    """The processes that have one of `marks` as an argument; the dead have none."""
    return [
        process
        for process in psutil.process_iter()
        if process.pid != os.getpid() and not set(marks).isdisjoint(_arguments(process))
    ]


def end_processes(marks: Collection[str]) -> None:
    """Kills them until there are none: one that is being forked appears late.

    Raises TimeoutError if some are left after PATIENCE_S seconds.
    """
    deadline = time.monotonic() + PATIENCE_S
    while processes := find_processes(marks):
        for process in processes:
            _kill(process)
        if time.monotonic() > deadline:
            raise TimeoutError(f"processes that cannot be killed: {processes}")
        time.sleep(_POLL_S)


def _arguments(process: psutil.Process) -> list[str]:
    try:
        arguments: list[str] = process.cmdline()
        return arguments
    except (psutil.Error, OSError):  # gone, or another user's
        return []


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return  # gone by itself
