"""The JavaScript that needs no browser, in Node: one test here for each file there."""

import subprocess
from pathlib import Path

import pytest

from harness.node import NODE

FILES = sorted(Path(__file__).parent.rglob("*.test.js"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_javascript(file: Path) -> None:
    # turn.js keeps a MessageChannel open, which alone would keep Node running.
    run = subprocess.run(
        [NODE, "--test", "--test-force-exit", "--test-reporter=spec", file],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "tests 0" not in run.stdout
