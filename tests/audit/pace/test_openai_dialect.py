"""OpenAI's dialect, asked by OpenAI's own client."""

import json

import httpx
import openai
import pytest

from harness.scripts import per_character, random_pieces
from pageside.audit.pace import Faults
from pageside.server.script import Event

from .conftest import CHAT, LOCAL, MESSAGES, TEXT, ended, texts, wire

CUTS = {
    "whole": [TEXT],
    "per character": per_character(TEXT),
    **{f"random {seed}": random_pieces(TEXT * 5, seed) for seed in range(3)},
}
# What each fault makes of the stream for OpenAI's client: nothing, or this exception.
HARMLESS = {
    "split": Faults(split=True),
    "split 2": Faults(split=True, seed=2),
    "split_codepoints": Faults(split_codepoints=True),
    "byte_by_byte": Faults(byte_by_byte=True),
    "comments": Faults(comments=True),
    "heartbeats": Faults(heartbeats=True),
    "crlf": Faults(crlf=True),
    "no_space": Faults(no_space=True),
    "long_line": Faults(long_line=200_000),
    "empty_choices": Faults(empty_choices=True),
    "no_done": Faults(no_done=True),
    "buffered to the end": Faults(buffer_s=float("inf")),
    "buffered for a while": Faults(buffer_s=0.01),
    "all at once": Faults(
        split=True, comments=True, heartbeats=True, crlf=True, no_space=True, long_line=9000
    ),
}


@pytest.fixture(params=["chat", "legacy"])
def ask(request, asked_openai):
    """Streams one answer: what arrived, and the exception that ended it."""

    def streamed():
        if request.param == "chat":
            return asked_openai.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        return asked_openai.completions.create(model="m", prompt="Say it.", stream=True)

    def ask():
        pieces = []
        try:
            for chunk in streamed():
                for choice in chunk.choices:
                    piece = choice.delta.content if request.param == "chat" else choice.text
                    pieces += [piece] if piece else []
        except (openai.APIError, json.JSONDecodeError) as error:
            return pieces, error
        return pieces, None

    return ask


@pytest.mark.parametrize("pieces", CUTS.values(), ids=CUTS)
def test_a_stream_of_any_cut(pace, ask, pieces):
    pace.play(texts(*pieces))
    assert ask() == (pieces, None)
    delivery = ended(pace)
    assert (delivery.end, delivery.left_at, delivery.tokens) == ("done", None, len(pieces))
    assert delivery.text == "".join(pieces)
    assert (delivery.dialect, delivery.prompt) == ("openai", "Say it.")


@pytest.mark.parametrize("faults", HARMLESS.values(), ids=HARMLESS)
def test_faults_that_the_client_bears(pace, ask, faults):
    pace.play(texts(*TEXT, ms=1), faults=faults)
    assert ask() == (list(TEXT), None)
    assert ended(pace).end == "done"
    assert ended(pace).text == TEXT


@pytest.mark.parametrize("tokens", [0, 3, len(TEXT), 10_000])
def test_an_error_in_the_middle(pace, ask, tokens):
    pace.play(texts(*TEXT), faults=Faults(error_after=tokens))
    pieces, error = ask()
    assert pieces == list(TEXT)[:tokens]
    assert type(error) is openai.APIError and "middle of its answer" in error.message
    assert (ended(pace).end, ended(pace).tokens) == ("error", len(pieces))
    next_prompt_works(pace, ask)


def test_the_script_s_own_error(pace, ask):
    pace.play([*texts("a"), Event("error", text="no memory left"), *texts("b")])
    pieces, error = ask()
    assert pieces == ["a"] and error.message == "no memory left"
    assert error.body["type"] == "server_error"


@pytest.mark.parametrize("tokens", [0, 3, len(TEXT)])
def test_a_cut_connection(pace, ask, tokens):
    pace.play(texts(*TEXT), faults=Faults(cut_after=tokens))
    pieces, error = ask()
    assert pieces == list(TEXT)[:tokens]
    assert type(error) is openai.APIConnectionError
    assert type(error.__cause__).__name__ == "RemoteProtocolError"
    assert "incomplete chunked read" in str(error.__cause__)
    assert (ended(pace).end, ended(pace).tokens) == ("cut", tokens)
    next_prompt_works(pace, ask)


def test_empty_data_breaks_the_client(pace, ask):
    """It reads every event as JSON: a finding about the client, kept so that a change shows."""
    pace.play(texts(*TEXT), faults=Faults(empty_data=True))
    pieces, error = ask()
    assert pieces == [] and isinstance(error, json.JSONDecodeError)
    next_prompt_works(pace, ask)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
        (503, openai.InternalServerError),
    ],
)
def test_a_status_at_the_start(pace, ask, status, kind):
    pace.play(texts(*TEXT), faults=Faults(status=status))
    pieces, error = ask()
    assert pieces == [] and type(error) is kind and error.status_code == status
    assert "fault" in error.body["message"]
    assert (ended(pace).end, ended(pace).tokens) == ("error", 0)
    next_prompt_works(pace, ask)


def next_prompt_works(pace, ask):
    pace.play(texts("fine"), faults=Faults())
    assert ask() == (["fine"], None)
    assert ended(pace).end == "done"


def test_usage_where_it_is_asked_for(pace, asked_openai):
    chunks = list(
        asked_openai.chat.completions.create(
            model="m", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
    )
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.usage for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
    assert [chunk.choices[0].finish_reason for chunk in chunks[:-1]][-2:] == [None, "stop"]
    assert chunks[-1].choices == []
    usage = chunks[-1].usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (4, len(TEXT))
    assert usage.total_tokens == 4 + len(TEXT)


def test_usage_where_it_is_not(pace):
    assert all("usage" not in payload for payload in wire(pace, CHAT).payloads()[:-1])
    pace.play(texts("a"), faults=Faults(empty_choices=True))
    *_, last, done = wire(pace, CHAT).payloads()
    assert (last["choices"], last["usage"]["completion_tokens"], done) == ([], 1, "[DONE]")


def test_not_streamed(pace, asked_openai):
    answer = asked_openai.chat.completions.create(model="m", messages=MESSAGES)
    assert answer.choices[0].message.content == TEXT
    assert answer.choices[0].finish_reason == "stop"
    assert (answer.object, answer.usage.completion_tokens) == ("chat.completion", len(TEXT))
    assert asked_openai.completions.create(model="m", prompt="x").choices[0].text == TEXT
    assert [delivery.text for delivery in pace.deliveries] == [TEXT, TEXT]
    assert [len(delivery.sent) for delivery in pace.deliveries] == [1, 1]


@pytest.mark.parametrize(
    ("faults", "kind"),
    [
        (Faults(error_after=2), openai.InternalServerError),
        (Faults(cut_after=2), openai.APIConnectionError),
        (Faults(status=429), openai.RateLimitError),
    ],
)
def test_not_streamed_and_failing(pace, asked_openai, faults, kind):
    pace.play(texts("a", "b", "c"), faults=faults)
    with pytest.raises(kind):
        asked_openai.chat.completions.create(model="m", messages=MESSAGES)
    assert ended(pace).end == ("cut" if faults.cut_after else "error")
    assert ended(pace).tokens == 0
    pace.play(texts("fine"), faults=Faults())
    answer = asked_openai.chat.completions.create(model="m", messages=MESSAGES)
    assert answer.choices[0].message.content == "fine"


def test_models(pace, asked_openai):
    assert [model.id for model in asked_openai.models.list()] == [pace.model]


def test_parts_of_a_message_and_the_last_user_s_words(pace, asked_openai):
    parts = [
        {"type": "text", "text": "What is"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        {"type": "text", "text": "this?"},
    ]
    messages = [
        {"role": "user", "content": "first"},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": "a picture"},
    ]
    asked_openai.chat.completions.create(model="m", messages=messages)
    assert pace.deliveries[-1].prompt == "What is\nthis?"


def test_the_role_comes_first_and_the_mark_last(pace):
    payloads = wire(pace, CHAT).payloads()
    assert payloads[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert payloads[-2]["choices"][0] == {
        "index": 0,
        "delta": {},
        "logprobs": None,
        "finish_reason": "stop",
    }
    assert payloads[-1] == "[DONE]"
    assert len({payload["id"] for payload in payloads[:-1]}) == 1
    pace.play(texts("a"), faults=Faults(no_done=True))
    assert wire(pace, CHAT).payloads()[-1]["choices"][0]["finish_reason"] == "stop"


def test_headers_come_before_the_prompt_is_read(pace):
    pace.play([Event("prefill", ms=3_600_000)])
    with httpx.stream(
        "POST", pace.url + CHAT, json={"messages": MESSAGES, "stream": True}, **LOCAL
    ) as got:
        assert got.headers["content-type"] == "text/event-stream"
        assert got.headers["cache-control"] == "no-cache"
    assert ended(pace).end == "left"
