"""`pageside pace` as a shell sees it."""

import argparse
import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from harness.scratch import eventually
from pageside.audit.pace.command import _events, _Log, register
from pageside.audit.pace.delivery import Delivery
from pageside.audit.pace.faults import NAMES
from pageside.audit.pace.schedule import steady
from pageside.audit.text import tokens, words_in
from pageside.server import cli

from .conftest import CHAT, LOCAL, STREAMING, events_of, text_of

RUN = "import sys; from pageside.server import cli; sys.exit(cli.main())"
# Also where this package's own list of commands does not have it.
REGISTERED = f"""
from pageside.server.cli import COMMANDS
name = "pageside.audit.pace.command"
name in COMMANDS or COMMANDS.append(name)
{RUN}
"""
COMMAND = [sys.executable, "-W", "error", "-c", REGISTERED, "pace"]


@contextmanager
def running(*arguments):
    """The process and the address that it printed."""
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        match = re.fullmatch(r"Pace is at (http://\S+) \(Ctrl-C ends it\)\n", line)
        assert match, line + process.stderr.read()
        yield process, match[1]
    finally:
        process.kill()
        process.communicate(timeout=20)


@pytest.fixture
def run(monkeypatch, capsys):
    """The status, stdout and stderr of the command in this process."""
    monkeypatch.setattr(cli, "COMMANDS", ["pageside.audit.pace.command"])

    def run(*arguments):
        try:
            status = cli.main(["pace", *arguments])
        except SystemExit as left:
            status = left.code
        return (status, *capsys.readouterr())

    return run


def text_from(url, path=CHAT):
    response = httpx.post(url + path, json=STREAMING[path], timeout=60, **LOCAL)
    events = events_of(response.content)
    return "".join(text_of(json.loads(event)) for event in events if event != "[DONE]")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_answers_until_a_signal(tmp_path, number, status):
    log = tmp_path / "deliveries.jsonl"
    with running("--rate", "0", "--tokens", "30", "--log", str(log)) as (process, url):
        assert words_in(text_from(url)) == list(range(30))
        line = process.stderr.readline()
        assert re.fullmatch(r"openai: 30 tokens( at [\d.]+ tokens/s)?, done\n", line)
        # Flushed: it is there while the process runs.
        (record,) = map(json.loads, log.read_text().splitlines())
        assert (record["end"], record["dialect"], record["path"]) == ("done", "openai", CHAT)
        assert words_in("".join(sent["text"] for sent in record["sent"])) == list(range(30))
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (status, "", "")


def test_a_client_that_leaves_is_told_at_once(tmp_path):
    log = tmp_path / "log"
    log.write_text("before\n")
    with running("--prefill-ms", "3600000", "--log", str(log)) as (process, url):
        with httpx.stream("POST", url + CHAT, json=STREAMING[CHAT], **LOCAL):
            pass
        assert process.stderr.readline() == "openai: 0 tokens, the client left\n"
        eventually(lambda: len(log.read_text().splitlines()) == 2)
    before, line = log.read_text().splitlines()
    assert before == "before"
    assert json.loads(line)["end"] == "left" and json.loads(line)["left_at"] is not None


def test_a_signal_in_the_middle_of_an_answer():
    with running("--prefill-ms", "3600000") as (process, url):
        with httpx.stream("POST", url + CHAT, json=STREAMING[CHAT], **LOCAL) as response:
            process.send_signal(signal.SIGINT)
            with pytest.raises(httpx.RemoteProtocolError):
                response.read()
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "openai: 0 tokens, cut\n")


def test_scripts_faults_hosts_and_origins(tmp_path):
    script = tmp_path / "answers.jsonl"
    script.write_text('{"text": "one"}\n{"end": true}\n{"text": "two "}\n{"text": "three"}\n')
    arguments = ["--script", str(script), "--fault", "split", "--fault", "cut-after=1"]
    arguments += ["--seed", "3", "--allow-host", "pace.lan", "--allow-origin", "http://a.lan"]
    with running(*arguments) as (process, url):
        headers = {"Host": "pace.lan", "Origin": "http://a.lan"}
        for text in ("one", "two "):
            content = b""
            with (
                pytest.raises(httpx.RemoteProtocolError),
                httpx.stream(
                    "POST", url + CHAT, json=STREAMING[CHAT], headers=headers, **LOCAL
                ) as response,
            ):
                assert response.headers["access-control-allow-origin"] == "http://a.lan"
                for chunk in response.iter_raw():
                    content += chunk
            assert "".join(text_of(json.loads(event)) for event in events_of(content)) == text
            assert process.stderr.readline() == "openai: 1 tokens, cut\n"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--fault", "splits"], "there is no fault 'splits'"),
        (["--fault", "cut-after=x"], "wants a number"),
        (["--fault", "split", "--fault", "byte-by-byte"], "exclude each other"),
        (["--rate", "-1"], "'-1' is not tokens a second"),
        (["--rate", "nan"], "'nan'"),
        (["--rate", "fast"], "'fast'"),
        (["--jitter", "2"], "'2' is not a part"),
        (["--tokens", "-5"], "'-5'"),
        (["--tokens", "9" * 400], "is not a number"),
        (["--port", "00000000000070000"], "is not a number"),
        (["--burst", "0"], "'0' is not a number from 1"),
        (["--port", "65536"], "'65536'"),
        (["--stall-every", "3"], "--stall-ms"),
        (["--script", "x", "--rate", "3"], "--rate is not for a --script"),
        (["--script", "x", "--prefill-ms", "3"], "--prefill-ms is not for a --script"),
    ],
)
def test_wrong_usage(run, arguments, part):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    *_, last = err.splitlines()
    assert last.startswith("pageside pace: error: ") and part in last


def test_what_fails_is_said_in_one_line(run, tmp_path):
    script = tmp_path / "answers.jsonl"
    script.write_text('{"text": "one"}\n{"txt": "two"}\n')
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        cases = [
            (["--port", port], port),
            (["--port", "0", "--host", "192.0.2.1"], "192.0.2.1"),
            (["--script", str(script)], f"{script}, line 2"),
            (["--script", str(tmp_path / "none")], "cannot be read"),
            (["--port", "0", "--log", str(tmp_path / "no" / "log")], str(tmp_path / "no" / "log")),
        ]
        for arguments, part in cases:
            status, out, err = run(*arguments)
            assert (status, out) == (1, "")
            assert re.fullmatch(r"pageside: error: .+\n", err) and part in err


def played(*arguments):
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())
    return _events(parser.parse_args(["pace", *arguments]))


def test_what_is_played():
    assert [event.ms for event in played("--rate", "0", "--tokens", "3")] == [0, 0, 0]
    assert played() == steady(tokens(500), 33)
    figures = ("--rate", "50", "--tokens", "9", "--jitter", "0.5", "--burst", "2", "--seed", "4")
    pauses = ("--prefill-ms", "40", "--stall-every", "3", "--stall-ms", "70")
    assert played(*figures, *pauses) == steady(
        tokens(9),
        50,
        jitter=0.5,
        burst=2,
        prefill_ms=40,
        stall_every=3,
        stall_ms=70,
        seed=4,
    )


def test_help_has_examples_and_every_fault(run):
    status, out, err = run("--help")
    assert (status, err) == (0, "") and "examples:" in out
    listed = set(re.findall(r"[a-z-]+", out.split("faults (")[1]))
    assert set(NAMES) <= listed


def test_help_imports_no_server():
    code = "import argparse, sys; from pageside.audit.pace import command\n"
    code += "command.register(argparse.ArgumentParser().add_subparsers())\n"
    code += "print(*{'starlette', 'uvicorn', 'httpx', 'playwright'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done


def delivered():
    delivery = Delivery(CHAT, "openai", "Say it.", 1.0)
    delivery.log(["a", "b"], 2.0)
    delivery.log(["c", "d", "e"], 4.0)
    delivery.close("error", 3.0)
    return delivery


def test_nothing_is_kept_of_what_has_been_told(capsys):
    with ExitStack() as stack:
        log = _Log(None, stack)
        first, second = delivered(), delivered()
        log.deliveries = [first, second]
        log(second)
        assert log.deliveries == [first]
    assert capsys.readouterr().err == "openai: 5 tokens at 1.5 tokens/s, ended in an error\n"


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's full disk")
def test_a_full_disk_ends_the_log_alone():
    with running("--rate", "0", "--tokens", "3", "--log", "/dev/full") as (process, url):
        for _ in range(2):
            assert words_in(text_from(url)) == [0, 1, 2]
        lines = [process.stderr.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130, "it does not fail again at the end"
    assert [line.split(":")[0] for line in lines] == ["openai", "pageside", "openai"]
    assert "No space left" in lines[1]
