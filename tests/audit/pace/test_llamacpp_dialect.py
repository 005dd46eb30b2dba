"""llama.cpp's dialect, held field by field against a real llama.cpp server."""

import httpx
import openai
import pytest
import xllamacpp

from pageside.audit.pace import Faults
from pageside.server.script import Event

from .conftest import CHAT, LOCAL, MESSAGES, TEXT, ended, events_of, texts, wire

OWN = {"return_progress": True, "timings_per_token": True}
COMPLETION = {"prompt": "Say it.", "n_predict": 3}
CHAT_OWN = {"messages": MESSAGES, "max_tokens": 3, "timings_per_token": False}
USAGE = {"stream_options": {"include_usage": True}}

REQUESTS = {
    "completion": ("/completion", {**COMPLETION, "stream": True}),
    "completion, told more": ("/completion", {**COMPLETION, **OWN, "stream": True}),
    "completion, whole": ("/completion", COMPLETION),
    "chat": (CHAT, {**CHAT_OWN, "stream": True}),
    "chat, told more": (CHAT, {**CHAT_OWN, **OWN, **USAGE, "stream": True}),
    "chat, whole": (CHAT, CHAT_OWN),
}
WRONG = {
    "not JSON": ("/completion", b'{"prompt":'),
    "no prompt": ("/completion", b"{}"),
    "no array": (CHAT, b'{"messages": 3, "n_predict": 3}'),
}


@pytest.fixture(scope="module")
def real(default_folder):
    """A real server's address."""
    params = xllamacpp.CommonParams()
    params.model.path = str(default_folder / "model.gguf")
    params.port, params.n_ctx, params.n_parallel = 0, 256, 1
    params.n_gpu_layers, params.verbosity = 0, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


def asked(url, path, body):
    response = httpx.post(url + path, json=body, timeout=120, **LOCAL)
    assert response.status_code == 200, response.text
    if response.headers["content-type"].startswith("text/event-stream"):
        return response, events_of(response.content)
    return response, [response.text]


def shape(value, own):
    """Names and types. Lists by their first item; `own` fields are taken out."""
    if isinstance(value, dict):
        return {name: shape(item, own) for name, item in value.items() if name not in own}
    if isinstance(value, list):
        return [shape(item, own) for item in value[:1]]
    return type(value).__name__


# The settings of a sampler; those that we tell are compared below.
UNTOLD = {"generation_settings"}


@pytest.mark.parametrize(("path", "body"), REQUESTS.values(), ids=REQUESTS)
def test_field_by_field(pace, real, path, body):
    pace.play([Event("prefill", ms=4), *texts("one", " two", " three", ms=1)])
    true, theirs = asked(real, path, body)
    mine, ours = asked(pace.url, path, body)
    assert mine.headers["content-type"].split(";")[0] == true.headers["content-type"].split(";")[0]
    assert mine.headers.get("x-accel-buffering") == true.headers.get("x-accel-buffering")

    def shapes(events):
        """Runs of equal shapes are one: a long prompt has more progress, a token more or less."""
        found = [
            event if event == "[DONE]" else shape(httpx.Response(200, text=event).json(), UNTOLD)
            for event in events
        ]
        return [one for place, one in enumerate(found) if place == 0 or one != found[place - 1]]

    assert shapes(ours) == shapes(theirs)


def test_settings_and_properties_that_are_told_are_the_real_one_s(pace, real):
    def both(path, body=None):
        for url in (pace.url, real):
            yield httpx.request("POST" if body else "GET", url + path, json=body, **LOCAL).json()

    ours, theirs = (answer["generation_settings"] for answer in both("/completion", COMPLETION))
    assert is_part(shape(ours, ()), shape(theirs, ()))
    ours, theirs = both("/props")
    assert is_part(shape(ours, ()), shape(theirs, ()))
    ours, theirs = both("/health")
    assert ours == theirs
    ours, theirs = both("/v1/models")
    assert ours["object"] == theirs["object"] == "list"


def is_part(ours, theirs):
    if isinstance(ours, dict):
        return all(name in theirs and is_part(ours[name], theirs[name]) for name in ours)
    return ours == theirs


@pytest.mark.parametrize(("path", "content"), WRONG.values(), ids=WRONG)
def test_errors_at_its_own_address(pace, real, path, content):
    theirs = httpx.post(real + path, content=content, **LOCAL)
    ours = httpx.post(pace.url + path, content=content, **LOCAL)
    assert ours.status_code == theirs.status_code == 400
    assert ours.json()["error"]["type"] == theirs.json()["error"]["type"]
    if path == "/completion":
        assert shape(ours.json(), ()) == shape(theirs.json(), ())


def test_progress_while_the_prompt_is_read(pace):
    pace.play([Event("prefill", ms=40), *texts("a")])
    body = {"prompt": "one two three four", "stream": True, "return_progress": True}
    progress = [
        event["prompt_progress"]
        for event in wire(pace, "/completion", body).payloads()
        if "prompt_progress" in event
    ]
    assert [one["processed"] for one in progress] == [0, 1, 2, 3, 4]
    assert [one["time_ms"] for one in progress] == [0, 10, 20, 30, 40]
    assert {(one["total"], one["cache"]) for one in progress} == {(4, 0)}


def test_timings_are_the_script_s(pace):
    pace.play([Event("prefill", ms=40), *texts(*"abcde", ms=10)])
    body = {"prompt": "one two", "stream": True, "timings_per_token": True}
    *tokens, last = wire(pace, "/completion", body).payloads()
    assert [event["timings"]["predicted_n"] for event in tokens] == [1, 2, 3, 4, 5]
    assert [event["tokens_predicted"] for event in tokens] == [1, 2, 3, 4, 5]
    timings = last["timings"]
    assert (timings["prompt_n"], timings["prompt_ms"]) == (2, 40)
    assert timings["prompt_per_second"] == pytest.approx(50)
    assert timings["predicted_ms"] == pytest.approx(40)
    assert timings["predicted_per_second"] == pytest.approx(100)
    assert last["stop"] is True and last["content"] == ""


def test_chat_is_openai_s_unless_llamacpp_s_fields_are_asked_for(pace, asked_openai):
    def chat(**extra):
        return list(
            asked_openai.chat.completions.create(
                model="m", messages=MESSAGES, stream=True, extra_body=extra
            )
        )

    assert not hasattr(chat()[-1], "timings")
    chunks = chat(timings_per_token=False)
    assert chunks[-1].timings["predicted_n"] == len(TEXT)
    assert chunks[0].choices[0].delta.content is None
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert "".join(pieces) == TEXT
    assert [delivery.dialect for delivery in pace.deliveries] == ["openai", "llamacpp"]


@pytest.mark.parametrize("tokens", [0, 3])
def test_an_error_is_a_status_before_the_stream_and_an_event_in_it(pace, tokens):
    pace.play(texts(*TEXT), faults=Faults(error_after=tokens))
    answer = wire(pace, "/completion")
    assert answer.complete and ended(pace).end == "error"
    if tokens == 0:
        assert answer.status == 500
        assert b'"type":"server_error"' in answer.body
    else:
        *events, last = answer.payloads()
        assert "".join(event["content"] for event in events) == TEXT[:tokens]
        assert (last["error"]["code"], last["error"]["type"]) == (500, "server_error")


def test_an_error_of_its_chat_reaches_openai_s_client(pace, asked_openai):
    pace.play(texts(*TEXT), faults=Faults(error_after=2))
    stream = asked_openai.chat.completions.create(
        model="m", messages=MESSAGES, stream=True, extra_body={"cache_prompt": True}
    )
    with pytest.raises(openai.APIError, match="middle of its answer"):
        list(stream)


def test_nothing_before_the_prompt_is_read_unless_progress_is_asked_for(pace):
    pace.play([Event("prefill", ms=3_600_000)])
    body = {"prompt": "x", "stream": True}
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(
            pace.url + "/completion", json=body, timeout=httpx.Timeout(60, read=0.2), **LOCAL
        )
    with httpx.stream(
        "POST", pace.url + "/completion", json={**body, "return_progress": True}, **LOCAL
    ) as got:
        assert b'"processed":0' in next(got.iter_raw())
    assert [ended(pace, place).end for place in (0, 1)] == ["left", "left"]


def test_its_two_addresses_are_one(pace):
    assert wire(pace, "/completions", {"prompt": "x"}).payloads()[0]["content"] == TEXT
