"""The `pageside` command as a shell sees it: real processes, real signals."""

import argparse
import os
import signal
import subprocess
import sys

import pytest

from pageside.models.errors import ModelAbsent
from pageside.server import cli
from pageside.server.settings import version

ENTRY = [sys.executable, "-W", "error", "-c"]
MAIN = "import sys; from pageside.server.cli import main; sys.exit(main())"


def pageside(*arguments, **options):
    return subprocess.run(
        [*ENTRY, MAIN, *arguments], capture_output=True, text=True, timeout=60, **options
    )


def test_help_shows_every_command_and_examples():
    done = pageside("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for command in ("serve", "run", "models", "doctor"):
        assert f"\n    {command} " in done.stdout
        assert f"\n  pageside {command}" in done.stdout


@pytest.mark.parametrize("command", ["serve", "run", "models", "doctor"])
def test_every_command_shows_examples(command):
    done = pageside(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"\n  pageside {command}" in done.stdout


def probed(script):
    """What a fresh interpreter prints after building the whole parser."""
    done = subprocess.run(
        [
            *ENTRY,
            f"from pageside.server.cli import build_parser; build_parser().format_help(); {script}",
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_help_is_quick():
    """Under 0.4 s of CPU time, the interpreter's own start included."""
    assert min(float(probed("import time; print(time.process_time())")) for _ in range(3)) < 0.4


def test_help_imports_nothing_heavy():
    imported = probed("import sys; print(*sys.modules)").split()
    heavy = {"numpy", "onnx", "gguf", "playwright", "httpx", "starlette", "uvicorn", "tqdm"}
    assert "pageside.models.command" in imported
    assert heavy.isdisjoint(imported)


def test_version():
    done = pageside("--version")
    assert (done.returncode, done.stdout) == (0, f"pageside {version()}\n")


def test_no_command_is_wrong_usage():
    done = pageside()
    assert (done.returncode, done.stdout) == (2, "")
    assert "examples:" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["fly"], "fly"),
        (["serve", "--fly"], "--fly"),
        (["serve", "--port", "65536"], "65536"),
        (["serve", "--port", "-1"], "--port"),
        (["serve", "--port", "9" * 5000], "9999"),
        (["serve", "--port", "٣"], "٣"),
        (["serve", "--threads", "0"], "'0'"),
        (["serve", "--engine", "magic"], "magic"),
        (["serve", "--device", "abacus"], "abacus"),
        (["serve", "--engine", "transformers", "--script", "x"], "--script"),
    ],
)
def test_wrong_usage_names_what_is_wrong(arguments, named):
    done = pageside(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def commands(monkeypatch):
    """Makes `pageside act` do what a test says."""

    def use(action):
        class Command:
            @staticmethod
            def register(subparsers):
                subparsers.add_parser("act").set_defaults(run=action)

        monkeypatch.setattr(cli, "COMMANDS", ["act"])
        monkeypatch.setattr(cli, "import_module", lambda name: Command)

    return use


def raising(error):
    def act(options: argparse.Namespace) -> int:
        raise error

    return act


def test_the_status_is_the_commands(commands):
    commands(lambda options: 3)
    assert cli.main(["act"]) == 3


def test_a_failure_is_one_line(commands, capsys):
    commands(raising(ModelAbsent("no\nmodel", hint="pull it")))
    assert cli.main(["act"]) == 1
    assert capsys.readouterr() == ("", "pageside: error: no model; pull it\n")


def test_a_defect_is_one_line_that_says_how_to_see_more(commands, capsys):
    commands(raising(KeyError("x")))
    assert cli.main(["act"]) == 1
    assert capsys.readouterr().err == "pageside: error: KeyError: 'x'; --debug shows where\n"


@pytest.mark.parametrize("arguments", [["--debug", "act"], ["act", "--debug"]])
@pytest.mark.parametrize("error", [ModelAbsent("none"), KeyError("x")])
def test_debug_shows_the_traceback(commands, arguments, error):
    commands(raising(error))
    with pytest.raises(type(error)):
        cli.main(arguments)


def test_ctrl_c_ends_with_130(commands, capsys):
    commands(raising(KeyboardInterrupt()))
    assert cli.main(["act"]) == 130
    assert capsys.readouterr() == ("", "")


CHATTY = """
import sys
from pageside.server import cli

class Chatty:
    def register(subparsers):
        subparsers.add_parser("chat").set_defaults(run=chat)

def chat(options):
    for _ in range(LINES):
        print("x" * 1000)
    return 0

cli.COMMANDS, cli.import_module = ["chatty"], lambda name: Chatty
sys.exit(cli.main(["chat"]))
"""


@pytest.mark.parametrize("lines", [1, 10_000])
def test_a_reader_that_leaves_is_no_failure(lines, monkeypatch):
    """`pageside … | head -0`: seen when a buffer is full, or at the very end."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    with subprocess.Popen(
        [*ENTRY, CHATTY.replace("LINES", str(lines))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=30) == 141


def test_sigterm_is_handled_only_while_a_command_runs(commands):
    before = signal.getsignal(signal.SIGTERM)
    seen = []
    commands(lambda options: seen.append(signal.getsignal(signal.SIGTERM)) or 0)
    assert cli.main(["act"]) == 0
    assert seen != [before]
    assert signal.getsignal(signal.SIGTERM) == before


def test_sigterm_unwinds(commands):
    left = []

    def act(options):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            left.append("cleaned")
        return 0

    commands(act)
    with pytest.raises(SystemExit) as caught:
        cli.main(["act"])
    assert caught.value.code == 143
    assert left == ["cleaned"]
