"""The folder and the processes of one test with browsers: both must be gone when it ends."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path

import psutil
import pytest

from pageside.browser.page import Page

PATIENCE_S = 60

# `pageside`, whatever the path says.
COMMAND = (sys.executable, "-c", "from pageside.server.cli import main; raise SystemExit(main())")

OpenPage = Callable[..., AbstractAsyncContextManager[Page]]
Start = Callable[..., "subprocess.Popen[str]"]


class Scratch:
    """The folder for temporary files of one test; Chromium wants its path short."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def processes(self) -> list[psutil.Process]:
        """Whatever was started with this folder as TMPDIR: browser, driver, commands."""
        return [process for process in psutil.process_iter() if self._is_ours(process)]

    def named(self, part: str) -> list[psutil.Process]:
        """Those with `part` in their command line."""
        return [process for process in self.processes() if part in " ".join(_line(process))]

    def browser(self) -> psutil.Process:
        """Chromium's main process."""
        (main,) = [
            process
            for process in self.named("--remote-debugging-pipe")
            if not any(argument.startswith("--type=") for argument in _line(process))
        ]
        return main

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def settles(self, *names: str) -> None:
        """Waits until no process is left and only files of these names."""
        eventually(lambda: not self.processes() and self.names() == list(names), self.describe)

    def describe(self) -> str:
        return f"left behind: {self.names()}, {[_line(process) for process in self.processes()]}"

    def _is_ours(self, process: psutil.Process) -> bool:
        """Chromium's renderers write their command lines over their environment."""
        folder = str(self.folder)
        try:
            return folder in " ".join(process.cmdline()) or (
                process.environ().get("TMPDIR") == folder
                and process.status() != psutil.STATUS_ZOMBIE
            )
        except psutil.Error:
            return False


@contextmanager
def own_scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scratch]:
    """TMPDIR of the test and of all that it starts; nothing may be left of it."""
    folder = Path(tempfile.mkdtemp(prefix="ps"))
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    scratch = Scratch(folder)
    try:
        yield scratch
        scratch.settles()
    finally:
        for process in scratch.processes():
            process.kill()
        shutil.rmtree(folder)


def _line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def eventually(holds: Callable[[], bool], describe: Callable[[], str] = str) -> None:
    """Waits for another process to do something; fails only after PATIENCE_S."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, describe()
        time.sleep(0.02)
