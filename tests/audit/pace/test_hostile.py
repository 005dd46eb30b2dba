"""Requests that cannot be meant: one clear error, the right status, and the next prompt works."""

import json

import httpx
import pytest

from pageside.audit.pace.app import BODY_BYTES_MOST

from .conftest import CHAT, LOCAL, STREAMING, TEXT, post, wire

GET_ONLY = ["/", "/v1/models", "/api/tags", "/api/version", "/api/ps", "/health", "/props"]
GENERATE = "/api/generate"
COMPLETION = "/completion"

NO_JSON = {
    "empty": b"",
    "cut": b'{"prompt": "a',
    "a list": b"[1, 2]",
    "a number": b"3",
    "null": b"null",
    "not UTF-8": b'{"prompt": "\xff\xfe"}',
    "nested": b'{"prompt":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "nested objects": b'{"a":' * 100_000,
    "binary": bytes(range(256)) * 10,
    "a form": b"prompt=hello&stream=true",
}
WRONG = [
    (CHAT, {}, "'messages' is missing"),
    (CHAT, {"messages": None}, "'messages' is missing"),
    (CHAT, {"messages": []}, "'messages' is empty"),
    (CHAT, {"messages": "hello"}, "'messages' is not an array"),
    (CHAT, {"messages": ["hello"]}, "'role'"),
    (CHAT, {"messages": [{"content": "x"}]}, "'role'"),
    (CHAT, {"messages": [{"role": 3}]}, "'role'"),
    (CHAT, {"messages": [{"role": "user", "content": 3}]}, "'content'"),
    (CHAT, {"messages": [{"role": "user", "content": ["x"]}]}, "'content'"),
    (CHAT, {**STREAMING[CHAT], "stream": 1}, "'stream' is not true or false"),
    (CHAT, {**STREAMING[CHAT], "stream": "true"}, "'stream' is not true or false"),
    (CHAT, {**STREAMING[CHAT], "model": 3}, "'model' is not a string"),
    (CHAT, {**STREAMING[CHAT], "stream_options": 3}, "'stream_options' is not an object"),
    (CHAT, {**STREAMING[CHAT], "stream_options": {"include_usage": 1}}, "'include_usage'"),
    (CHAT, {**STREAMING[CHAT], "timings_per_token": "yes"}, "'timings_per_token'"),
    ("/v1/completions", {}, "'prompt' is missing"),
    ("/v1/completions", {"prompt": 3}, "'prompt' is neither"),
    ("/api/chat", {"messages": []}, "'model' is missing"),
    ("/api/chat", {"model": "m", "messages": {}}, "'messages' is not an array"),
    ("/api/chat", {"model": "m", "stream": 0}, "'stream' is not true or false"),
    (GENERATE, {"prompt": "x"}, "'model' is missing"),
    (GENERATE, {"model": "m", "prompt": ["x"]}, "'prompt' is not a string"),
    ("/api/show", {}, "'name' is missing"),
    (COMPLETION, {}, "'prompt' is missing"),
    (COMPLETION, {"prompt": {"a": 1}}, "'prompt' is neither"),
    (COMPLETION, {"prompt": "x", "return_progress": 3}, "'return_progress'"),
]


def message_of(path, response):
    """The one message, where the dialect's clients look for it."""
    assert response.headers["content-type"] == "application/json"
    error = response.json()["error"]
    if path.startswith("/api/"):
        assert isinstance(error, str)
        return error
    if path.startswith("/v1/"):
        assert set(error) == {"message", "type", "param", "code"}
    else:
        assert set(error) == {"code", "message", "type"}
        assert error["code"] == response.status_code
    return error["message"]


def check(pace, path, response, status, part):
    assert response.status_code == status
    message = message_of(path, response)
    assert part in message and len(message) < 400 and "\n" not in message
    assert pace.deliveries == []
    assert wire(pace, CHAT).text() == TEXT


@pytest.mark.parametrize("path", [*STREAMING, "/api/show"])
@pytest.mark.parametrize("content", NO_JSON.values(), ids=NO_JSON)
def test_no_json(pace, path, content):
    check(pace, path, post(pace, path, content=content), 400, "JSON")


@pytest.mark.parametrize(("path", "body", "part"), WRONG)
def test_wrong_fields(pace, path, body, part):
    check(pace, path, post(pace, path, content=json.dumps(body)), 400, part)


@pytest.mark.parametrize("path", STREAMING)
@pytest.mark.parametrize("chunked", [True, False])
def test_a_huge_body(pace, path, chunked):
    body = json.dumps({**STREAMING[path], "padding": "x" * BODY_BYTES_MOST}).encode()
    content = (body[at : at + (1 << 20)] for at in range(0, len(body), 1 << 20))
    response = post(pace, path, content=content if chunked else body)
    check(pace, path, response, 413, str(BODY_BYTES_MOST))


def test_a_large_body_is_none(pace):
    messages = [{"role": "user", "content": "word " * 200_000}]
    assert post(pace, CHAT, json={"messages": messages}).status_code == 200
    assert len(pace.deliveries[-1].prompt) == 1_000_000


@pytest.mark.parametrize("path", [*STREAMING, *GET_ONLY, "/api/show"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "BREW"])
def test_wrong_methods(pace, path, method):
    allowed = ("GET", "HEAD") if path in GET_ONLY else ("POST",)
    if method in allowed:
        return
    response = httpx.request(method, pace.url + path, **LOCAL)
    assert response.headers["allow"] == ", ".join(allowed)
    check(pace, path, response, 405, f"use {', '.join(allowed)}")


@pytest.mark.parametrize(
    "path",
    ["/v1/nowhere", "/api/nowhere", "/nowhere", "/v1/chat/completions/", "//", "/v1", "/API/chat"],
)
def test_unknown_paths(pace, path):
    check(pace, path, httpx.get(pace.url + path, **LOCAL), 404, path)


@pytest.mark.parametrize("path", STREAMING)
def test_half_a_surrogate_pair_is_no_reason_to_fail(pace, path):
    body = json.dumps({**STREAMING[path], "model": "m\ud800"}).replace("Say it.", "Say \\udfff.")
    response = post(pace, path, content=body)
    assert response.status_code == 200
    assert pace.deliveries[-1].prompt == "Say ?."


def test_fields_of_other_servers_are_taken_as_they_come(pace):
    body = {
        **STREAMING[CHAT],
        "tools": [{"type": "function"}],
        "n": 3,
        "seed": "x",
        "max_tokens": 1,
    }
    assert post(pace, CHAT, json=body).status_code == 200
    assert pace.deliveries[-1].text == TEXT  # a script is played to its end
