"""Real browsers, each in a folder of its own that must be empty when the test ends."""

import subprocess
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from harness import scripts
from harness.scratch import OpenPage, Scratch, Start, own_scratch
from pageside.browser import Page


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scratch]:
    """TMPDIR of the test and all it starts; every test must leave it without a trace.

    tmp_path is only asked for so that it is made before TMPDIR changes.
    """
    with own_scratch(monkeypatch) as scratch:
        yield scratch


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Path]:
    """Writes a script that plays the given answers, each a list of events."""
    return lambda *answers: scripts.write(tmp_path, *answers)


@pytest.fixture
def open_page(script: Callable[..., Path]) -> OpenPage:
    """Opens a page that plays the given answers."""

    @asynccontextmanager
    async def open_page(*answers: Iterable[scripts.Event], **options: Any) -> AsyncIterator[Page]:
        async with Page.open(engine="scripted", script=script(*answers), **options) as page:
            yield page

    return open_page


@pytest.fixture
def start(scratch: Scratch) -> Iterator[Start]:
    """Starts a program in a session of its own, as a terminal would."""
    started: list[subprocess.Popen[str]] = []

    def start(*command: str | Path, **options: Any) -> "subprocess.Popen[str]":
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = subprocess.Popen(
            [str(part) for part in command],
            **{"text": True, "start_new_session": True, **streams, **options},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with process:  # closes its streams
            process.kill()
