"""Ollama's dialect, asked by Ollama's own client."""

import json

import httpx
import ollama
import pytest

from harness.scripts import per_character, random_pieces
from pageside.audit.pace import Faults
from pageside.server.script import Event

from .conftest import LOCAL, MESSAGES, TEXT, ended, post, texts, wire

CUTS = {
    "whole": [TEXT],
    "per character": per_character(TEXT),
    **{f"random {seed}": random_pieces(TEXT * 5, seed) for seed in range(3)},
}
HARMLESS = {
    "split": Faults(split=True),
    "split_codepoints": Faults(split_codepoints=True),
    "byte_by_byte": Faults(byte_by_byte=True),
    "crlf": Faults(crlf=True),
    "long_line": Faults(long_line=200_000),
    "no_done": Faults(no_done=True),
    "buffered to the end": Faults(buffer_s=float("inf")),
    "buffered for a while": Faults(buffer_s=0.01),
    "those of server-sent events": Faults(
        comments=True, heartbeats=True, no_space=True, empty_data=True, empty_choices=True
    ),
}


@pytest.fixture(params=["chat", "generate"])
def ask(request, asked_ollama):
    """Streams one answer: what arrived, and the exception that ended it."""

    def streamed():
        if request.param == "chat":
            return asked_ollama.chat("m", MESSAGES, stream=True)
        return asked_ollama.generate("m", "Say it.", stream=True)

    def ask():
        pieces = []
        try:
            for part in streamed():
                piece = part.message.content if request.param == "chat" else part.response
                pieces += [piece] if piece else []
        except (ollama.ResponseError, httpx.HTTPError) as error:
            return pieces, error
        return pieces, None

    return ask


@pytest.mark.parametrize("pieces", CUTS.values(), ids=CUTS)
def test_a_stream_of_any_cut(pace, ask, pieces):
    pace.play(texts(*pieces))
    assert ask() == (pieces, None)
    delivery = ended(pace)
    assert (delivery.end, delivery.tokens, delivery.text) == ("done", len(pieces), "".join(pieces))
    assert (delivery.dialect, delivery.prompt) == ("ollama", "Say it.")


@pytest.mark.parametrize("faults", HARMLESS.values(), ids=HARMLESS)
def test_faults_that_the_client_bears(pace, ask, faults):
    pace.play(texts(*TEXT, ms=1), faults=faults)
    assert ask() == (list(TEXT), None)
    assert (ended(pace).end, ended(pace).text) == ("done", TEXT)


@pytest.mark.parametrize("tokens", [0, 3, len(TEXT)])
def test_an_error_in_the_middle(pace, ask, tokens):
    pace.play(texts(*TEXT), faults=Faults(error_after=tokens))
    pieces, error = ask()
    assert pieces == list(TEXT)[:tokens]
    assert type(error) is ollama.ResponseError and "middle of its answer" in error.error
    # Before anything is sent it is a status; afterwards only a line can say it.
    assert error.status_code == (500 if tokens == 0 else -1)
    assert (ended(pace).end, ended(pace).tokens) == ("error", tokens)
    next_prompt_works(pace, ask)


@pytest.mark.parametrize("tokens", [0, 3, len(TEXT)])
def test_a_cut_connection(pace, ask, tokens):
    pace.play(texts(*TEXT), faults=Faults(cut_after=tokens))
    pieces, error = ask()
    assert pieces == list(TEXT)[:tokens]
    assert type(error) is httpx.RemoteProtocolError
    assert (ended(pace).end, ended(pace).tokens) == ("cut", tokens)
    next_prompt_works(pace, ask)


@pytest.mark.parametrize("status", [400, 404, 429, 500, 503])
def test_a_status_at_the_start(pace, ask, status):
    pace.play(texts(*TEXT), faults=Faults(status=status))
    pieces, error = ask()
    assert pieces == [] and error.status_code == status and "fault" in error.error
    assert ended(pace).end == "error"
    next_prompt_works(pace, ask)


def next_prompt_works(pace, ask):
    pace.play(texts("fine"), faults=Faults())
    assert ask() == (["fine"], None)
    assert ended(pace).end == "done"


def test_it_streams_unless_it_is_told_not_to(pace, asked_ollama):
    assert len(wire(pace, "/api/chat").payloads()) == len(TEXT) + 1
    whole = asked_ollama.chat("m", MESSAGES)
    assert (whole.message.content, whole.done, whole.done_reason) == (TEXT, True, "stop")
    assert asked_ollama.generate("m", "Say it.").response == TEXT


@pytest.mark.parametrize("path", ["/api/chat", "/api/generate"])
def test_the_last_line_has_the_figures(pace, path):
    script = [Event("prefill", ms=30), *texts("a", "b", "c", ms=10)]
    pace.play(script)
    *pieces, last = wire(pace, path).payloads()
    assert [piece["done"] for piece in pieces] == [False] * 3
    assert last["done"] is True and last["done_reason"] == "stop"
    assert last["prompt_eval_duration"] == 30_000_000
    assert (last["eval_count"], last["eval_duration"]) == (3, 20_000_000)
    assert last["total_duration"] == 50_000_000
    assert last["prompt_eval_count"] == (4 if path == "/api/chat" else 2)
    pace.play(script, faults=Faults(no_done=True))
    assert wire(pace, path).payloads()[-1]["done"] is False


@pytest.mark.parametrize("body", [{"model": "m"}, {"model": "m", "messages": [], "prompt": ""}])
@pytest.mark.parametrize("path", ["/api/chat", "/api/generate"])
def test_loading_a_model_is_no_prompt(pace, path, body):
    answer = post(pace, path, json=body).json()
    assert (answer["done"], answer["done_reason"]) == (True, "load")
    assert pace.deliveries == []


def test_what_its_clients_ask_before(pace, asked_ollama):
    assert [model.model for model in asked_ollama.list().models] == ["pace:latest"]
    assert [model.model for model in asked_ollama.ps().models] == ["pace:latest"]
    assert asked_ollama.show("pace").capabilities == ["completion"]
    assert httpx.get(pace.url, **LOCAL).text == "Ollama is running"
    assert httpx.head(pace.url, **LOCAL).status_code == 200
    assert httpx.get(pace.url + "/api/version", **LOCAL).json()["version"].count(".") == 2


def test_each_line_is_one_value(pace):
    answer = wire(pace, "/api/chat")
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert [json.loads(line)["model"] for line in answer.body.splitlines()] == ["m"] * (
        len(TEXT) + 1
    )
