"""`pageside audit`: what it refuses, what it prints and writes, and what it leaves."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.scratch import COMMAND, Scratch, eventually, own_scratch
from pageside.audit.command import tell_log
from pageside.server import cli

# Shorter pauses between what is measured.
HASTY = (
    sys.executable,
    "-c",
    "from pageside.audit import play, windows; play.SETTLE_S = windows.CONTROL_S = 0.2;"
    "from pageside.server.cli import main; raise SystemExit(main())",
)

Process = subprocess.Popen[str]
Audit = Callable[..., Process]


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scratch]:
    """TMPDIR of all that the test starts; nothing may be left of it."""
    with own_scratch(monkeypatch) as scratch:
        yield scratch


@pytest.fixture
def audit(scratch: Scratch) -> Iterator[Audit]:
    """Starts `pageside audit` in a session of its own, as a terminal would."""
    started: list[Process] = []

    def audit(*arguments: str | Path, command: tuple[str, ...] = COMMAND) -> Process:
        line = [*command, "audit", *map(str, arguments)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            line, text=True, start_new_session=True, stdout=pipe, stderr=pipe
        )
        started.append(process)
        return process

    yield audit
    for process in started:
        with process:  # closes its streams
            process.kill()


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    """Exit status and the last line said; before a browser starts, so in this process."""
    try:
        status = cli.main(["audit", *map(str, arguments)])
    except SystemExit as left:
        assert isinstance(left.code, int)
        status = left.code
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return status, err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--runs", "0"], "--runs must be from 1 to 1000"),
        (["--runs", "many"], "invalid int value"),
        (["--compare", "http://localhost:1/"], "--compare needs two addresses"),
        (["http://localhost/", "--pace-port", "-1"], "--pace-port must be from 0 to 65535"),
        (["http://localhost/", "--pace-port", "65536"], "--pace-port must be from 0 to 65535"),
        (["--profile", "slow"], "invalid choice"),
        (["--scenario", "stop", "--scenario", "stroll"], "no scenario is called 'stroll'"),
        (["one", "two"], "unrecognized arguments: two"),
        (["--scenarios", "stop"], "unrecognized arguments"),
    ],
)
def test_wrong_usage(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    status, line = refused(capsys, *arguments)
    assert status == 2
    assert line.startswith("pageside audit: error: ") or line.startswith("pageside: error: ")
    assert message in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["localhost:3000"], "'localhost:3000' is no address of a page"),
        (["http://localhost/", "--compare", "b"], "'b' is no address of a page"),
        (["--recipe", "nonsense"], "there is no recipe 'nonsense'"),
        (["--budget", "absent.toml"], "the budgets absent.toml cannot be read"),
    ],
)
def test_what_cannot_be_audited_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    status, line = refused(capsys, *arguments)
    assert status == 1
    assert line.startswith(f"pageside: error: {message}")
    assert "; " in line, "a way out"


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        status, line = refused(capsys, "http://localhost:3000", "--pace-port", str(port))
    assert status == 1
    assert str(port) in line


def test_no_browser(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, line = refused(capsys, "--browser", tmp_path / "absent", "--out", tmp_path / "out")
    assert status == 1
    assert line.startswith("pageside: error: there is no browser at ")
    assert not (tmp_path / "out").exists()


def test_nobody_answers(audit: Audit, tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
    out = tmp_path / "out"
    process = audit(url, "--pace-port", "0", "--json", "--out", out)
    said, err = process.communicate()
    assert (process.returncode, said) == (1, "")
    *progress, line = err.splitlines()
    assert [", 1 of " in step for step in progress] == [True]
    assert line.startswith(f"pageside: error: {url} does not open (")
    assert not out.exists()


def test_a_log_has_a_line_for_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Also in the second run, which plays what the first did."""
    for step in range(3):
        tell_log("33 tokens/s (cost)", step, 3)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"pageside: 33 tokens/s (cost), {step} of 3" for step in (1, 2, 3)]


def test_pagesides_own_page(audit: Audit, scratch: Scratch, tmp_path: Path) -> None:
    out, history = tmp_path / "deep" / "out", tmp_path / "history.jsonl"
    arguments = ["--scenario", "steady-33", "--json", "--out", out, "--history", history]
    process = audit(*arguments, command=HASTY)
    printed, err = process.communicate()
    result = json.loads(printed)
    assert process.returncode == {"pass": 0, "fail": 3, "inconclusive": 4}[result["verdict"]], err
    assert (result["title"], result["recipe"]) == ("Pageside", "pageside")
    found = {finding["metric"]["name"]: finding["values"] for finding in result["findings"]}
    assert found["words_missing"] == [0, 0]
    assert found["cpu_ms_per_token"][0] > 0
    assert found["lag_p95_ms"][0] > 0
    assert {guard["name"] for guard in result["guards"]} >= {"painted", "machine", "observer"}
    steps = [line for line in err.splitlines() if line.startswith("pageside: ")]
    assert [line.rpartition(",")[2] for line in steps] == [" 1 of 2", " 2 of 2"]
    assert err.splitlines()[len(steps)].startswith(result["verdict"].upper())
    assert "history: " in err

    assert json.loads((out / "result.json").read_text()) == result
    assert {path.name for path in out.iterdir()} == {
        "report.html",
        "result.json",
        "junit.xml",
        "traces",
    }
    traces = {trace["file"]: trace["size_bytes"] for trace in result["traces"]}
    assert traces.keys() == {f"traces/steady-33-{kind}.json.gz" for kind in ("cost", "evidence")}
    assert {file: (out / file).stat().st_size for file in traces} == traces
    (record,) = map(json.loads, history.read_text().splitlines())
    assert record["url"] == "pageside"
    scratch.settles()


@pytest.mark.parametrize(
    ("number", "status", "is_under_way"),
    [
        (signal.SIGINT, 130, True),
        (signal.SIGTERM, 143, False),
    ],
    ids=["ctrl-c while it measures", "term while the browser starts"],
)
def test_signals(
    audit: Audit,
    scratch: Scratch,
    tmp_path: Path,
    number: signal.Signals,
    status: int,
    is_under_way: bool,
) -> None:
    process = audit("--scenario", "steady-33", "--out", tmp_path / "out")
    eventually(lambda: bool(scratch.named("--remote-debugging-pipe")))
    if is_under_way:
        eventually(lambda: bool(scratch.named("--type=renderer")))
        time.sleep(2)  # it measures for a quarter of a minute
    os.killpg(process.pid, number)
    out, err = process.communicate()
    assert (process.returncode, out) == (status, "")
    assert all(line.startswith("pageside: 33 tokens/s (") for line in err.splitlines())
    assert not (tmp_path / "out").exists()
    assert scratch.names() == []
    scratch.settles()
