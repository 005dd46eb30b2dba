"""Runs a command until it ends or this process' input closes; then nothing of it is left.

    python keeper.py COMMAND [ARGUMENT…]

The input is a pipe from whoever started it, which the system closes even when that is killed.
It leads a session of its own: on POSIX that is how orphans of the command are found.
"""

import os
import subprocess
import sys
import threading

import psutil

GRACE_S = 5.0


def keep(command: list[str]) -> int:
    """The command's exit status."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    threading.Thread(target=_end_with_input, daemon=True).start()
    status = process.wait()
    _end_all()
    return status


def _end_with_input() -> None:
    while os.read(0, 1024):
        pass
    _end_all()


def _end_all() -> None:
    """Asks, then kills; looks again, for what was started meanwhile."""
    while processes := _started():
        for process in processes:
            _signal(process, is_last=False)
        _, alive = psutil.wait_procs(processes, GRACE_S)
        for process in alive:
            _signal(process, is_last=True)
        psutil.wait_procs(alive, GRACE_S)


def _started() -> list[psutil.Process]:
    """The command and all that it started, and its orphans where there are sessions."""
    if os.name == "nt":
        children: list[psutil.Process] = psutil.Process().children(recursive=True)
        return children
    return [process for process in psutil.process_iter() if _is_of_session(process)]


def _is_of_session(process: psutil.Process) -> bool:
    try:
        is_ours = os.getsid(process.pid) == os.getsid(0) and process.pid != os.getpid()
        return is_ours and process.status() != psutil.STATUS_ZOMBIE
    except (ProcessLookupError, psutil.NoSuchProcess):
        return False


def _signal(process: psutil.Process, is_last: bool) -> None:
    try:
        if is_last:
            process.kill()
        else:
            process.terminate()
    except psutil.NoSuchProcess:
        return  # gone by itself


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1:]))
