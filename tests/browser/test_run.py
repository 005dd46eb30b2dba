"""`pageside run`: what it prints, and what it leaves, however it ends."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import scripts
from harness.scratch import COMMAND, Scratch, Start, eventually

ENDLESS = [*scripts.words(3), {"stall_ms": 3_600_000}, {"text": "never"}]


@pytest.fixture
def run(start: Start, script: Callable[..., Path]) -> Callable[..., "subprocess.Popen[str]"]:
    """Starts `pageside run` with a script; its arguments follow."""

    def run(
        events: list[scripts.Event], *arguments: str | Path, **options: object
    ) -> "subprocess.Popen[str]":
        return start(*COMMAND, "run", "--script", script(events), *arguments, **options)

    return run


Run = Callable[..., "subprocess.Popen[str]"]


def refused(start: Start, *arguments: str | Path, **options: object) -> tuple[int, str]:
    """Exit status and last line of stderr; nothing may be on stdout."""
    process = start(*COMMAND, "run", *arguments, **options)
    out, err = process.communicate("")
    assert out == ""
    assert "Traceback" not in err
    return process.returncode, err.splitlines()[-1]


def test_text_and_figures(run: Run) -> None:
    process = run(scripts.words(100), "hello")
    out, err = process.communicate()
    assert process.returncode == 0
    assert out == scripts.words_text(100) + "\n"
    (line,) = err.splitlines()
    assert line.startswith("100 tokens (eos) · ")
    assert line.endswith(" · script · script")


def test_json(run: Run) -> None:
    process = run(scripts.words(100), "hello", "--json", "--max-tokens", "40")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    answer = json.loads(out)
    assert answer["text"] == scripts.words_text(40)
    assert (answer["reason"], answer["tokens"]) == ("length", 40)
    assert answer["ttft_ms"] > 0
    assert answer["tokens_per_s"] > 0
    assert (answer["device"], answer["threads"], answer["fallbacks"]) == ("script", 1, [])
    assert (answer["model"], answer["revision"]) == (None, None)


def test_text_comes_as_it_is_decoded_and_the_prompt_from_stdin(run: Run) -> None:
    process = run(ENDLESS, "-")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("hello")
    process.stdin.close()
    assert process.stdout.read(3) == "w0 "
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "term"]
)
class TestSignals:
    def test_while_it_answers(
        self, run: Run, scratch: Scratch, number: signal.Signals, status: int
    ) -> None:
        process = run(ENDLESS, "hello")
        assert process.stdout is not None
        assert process.stdout.read(3) == "w0 "
        os.killpg(process.pid, number)
        _, err = process.communicate()
        assert (process.returncode, err) == (status, "")
        assert scratch.names() == []
        scratch.settles()

    def test_while_the_browser_starts(
        self, run: Run, scratch: Scratch, number: signal.Signals, status: int
    ) -> None:
        process = run(ENDLESS, "hello")
        eventually(lambda: bool(scratch.named("--remote-debugging-pipe")))
        os.killpg(process.pid, number)
        _, err = process.communicate()
        assert (process.returncode, err) == (status, "")
        assert scratch.names() == []
        scratch.settles()

    def test_while_nobody_reads(
        self, run: Run, scratch: Scratch, number: signal.Signals, status: int
    ) -> None:
        """Blocked in a write to a full pipe, where the event loop cannot help."""
        answer = scripts.tokens(["x" * 60_000] * 5)
        read, write = os.pipe()
        process = run(answer, "hello", stdout=write)
        os.close(write)
        try:
            eventually(lambda: _blocked_in_write(process.pid))
            os.killpg(process.pid, number)
            assert process.wait() == status
        finally:
            os.close(read)
        scratch.settles()


def _blocked_in_write(pid: int) -> bool:
    return "pipe_write" in Path(f"/proc/{pid}/wchan").read_text()


def test_the_reader_leaves(run: Run, scratch: Scratch) -> None:
    process = run([*scripts.words(3), {"stall_ms": 200}, *scripts.words(3)], "hello")
    assert process.stdout is not None
    assert process.stdout.read(3) == "w0 "
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate()
    assert (process.returncode, err) == (141, "")
    scratch.settles()


def test_the_browser_is_killed(run: Run, scratch: Scratch) -> None:
    process = run(ENDLESS, "hello")
    assert process.stdout is not None
    assert process.stdout.read(3) == "w0 "
    scratch.browser().kill()
    _, err = process.communicate()
    assert process.returncode == 1
    assert err.startswith("pageside: error: the browser ended while in use; ")
    assert len(err.splitlines()) == 1
    scratch.settles()


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([{"error": "out of ideas"}], "out of ideas"),
        ([{"stall_ms": 50}, {"crash": True}], "the engine's worker ended unexpectedly"),
    ],
)
def test_failures_of_the_page(run: Run, events: list[scripts.Event], message: str) -> None:
    process = run([*scripts.words(3), *events], "hello")
    out, err = process.communicate()
    assert process.returncode == 1
    assert out.startswith("w0 w1 w2 ")
    assert err.strip().splitlines()[-1].startswith(f"pageside: error: {message}")


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([""], "the prompt is empty"),
            (["-"], "the prompt is empty"),
            (["hello", "--max-tokens", "-5"], "max_tokens is -5"),
            (["hello", "--max-tokens", "many"], "invalid int value"),
            (["hello", "--temperature", "-1"], "temperature is -1"),
            (["hello", "--seed", "-1"], "seed is -1"),
            (["hello", "--threads", "0"], "--threads must be from 1 to 1024"),
            (["hello", "--device", "abacus"], "invalid choice"),
            (["hello", "--engine", "transformers", "--script", "x"], "--script is for"),
        ],
    )
    def test_wrong_usage(self, start: Start, arguments: list[str], message: str) -> None:
        status, line = refused(start, *arguments)
        assert status == 2
        assert message in line

    def test_no_browser(self, start: Start, tmp_path: Path) -> None:
        status, line = refused(
            start, "hello", "--engine", "scripted", "--browser", tmp_path / "absent"
        )
        assert status == 1
        assert line.startswith("pageside: error: there is no browser at ")

    def test_no_such_model(self, start: Start, tmp_path: Path) -> None:
        environment = {**os.environ, "PAGESIDE_HOME": str(tmp_path)}
        status, line = refused(start, "hello", "--model", "nonsense", env=environment)
        assert status == 1
        assert line.startswith("pageside: error: there is no model nonsense")

    def test_a_prompt_that_is_no_text(self, start: Start) -> None:
        process = start(*COMMAND, "run", "-", text=False)
        _, err = process.communicate(b"caf\xe9")
        assert process.returncode == 2
        assert b"byte 4 of the prompt is not UTF-8" in err.splitlines()[-1]

    def test_a_script_that_cannot_be_played(self, start: Start, tmp_path: Path) -> None:
        script = tmp_path / "script.jsonl"
        script.write_text('{"text": "a"}\nnonsense\n')
        status, line = refused(start, "hello", "--script", script)
        assert status == 1
        assert "line 2" in line
