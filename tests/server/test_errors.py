"""One JSON shape for every error; nothing of our insides in any of them."""

import logging

import pytest
from starlette.routing import Route

from pageside.models.errors import ModelAbsent, StoreUnusable
from pageside.models.store import ModelStore
from pageside.server.app import create_app
from pageside.server.live import LiveServer
from pageside.server.settings import Settings

from .conftest import asking


@pytest.mark.parametrize(
    ("path", "options", "status", "code"),
    [
        ("/nothing", {}, 404, "not_found"),
        ("/web", {}, 404, "not_found"),
        ("/api/health/", {}, 404, "not_found"),
        ("/web/nothing.js", {}, 404, "file_unknown"),
        ("/web/", {}, 404, "file_unknown"),
        ("/models/tiny/0000000000000000/config.json", {}, 404, "model_unknown"),
        ("/", {"method": "POST"}, 405, "method_not_allowed"),
        ("/api/models", {"method": "DELETE"}, 405, "method_not_allowed"),
        ("/worker/protocol.js", {"method": "OPTIONS"}, 405, "method_not_allowed"),
        ("*", {"method": "OPTIONS"}, 400, "target_invalid"),
        ("http://evil.example/", {}, 400, "target_invalid"),
        ("127.0.0.1:80", {"method": "CONNECT"}, 400, "target_invalid"),
        ("/", {"headers": {"Bad Name": "x"}}, 400, "request_invalid"),
        ("/", {"headers": {"Content-Length": "x"}}, 400, "request_invalid"),
    ],
)
def test_shape(ask, path, options, status, code):
    reply = ask(path, **options)
    assert (reply.status, reply.error["code"]) == (status, code)


def test_method_not_allowed_says_what_is(ask):
    reply = ask("/api/health", method="PUT")
    assert set(reply["allow"].split(", ")) == {"GET", "HEAD"}
    assert "GET" in reply.error["hint"]


@pytest.mark.parametrize("path", ["/nothing", "/web/nothing.js", "/models/a/b/c"])
def test_head_has_the_headers_and_no_body(ask, path):
    got, head = ask(path), ask(path, method="HEAD")
    assert head.status == got.status == 404
    assert head.body == b""
    assert head["content-type"] == "application/json"


def test_html_is_never_what_a_missing_file_becomes(ask):
    reply = ask("/nothing", {"Accept": "text/html"})
    assert reply.status == 404
    assert "<" not in reply.body.decode()
    assert reply.error["code"] == "not_found"


@pytest.fixture
def failing(tmp_path):
    def app_that_raises(error):
        def fail(request):
            raise error

        app = create_app(ModelStore(tmp_path), Settings())
        app.router.routes.append(Route("/fail", fail))
        return app

    return app_that_raises


def test_a_fault_tells_the_log_and_not_the_page(failing, caplog):
    with caplog.at_level(logging.ERROR), LiveServer(failing(KeyError("secret"))) as server:
        reply = asking(server)("/fail")
        head = asking(server)("/fail", method="HEAD")
        alive = asking(server)("/api/health")
    assert (reply.status, reply.error["code"]) == (500, "internal")
    assert b"secret" not in reply.body and b"KeyError" not in reply.body
    assert "secret" in caplog.text
    assert (head.status, head.body) == (500, b"")
    assert alive.status == 200


@pytest.mark.parametrize(
    ("error", "status"),
    [(ModelAbsent("not here", hint="pull it"), 404), (StoreUnusable("broken", hint="mend"), 500)],
)
def test_errors_of_the_models_keep_code_message_and_hint(failing, error, status):
    with LiveServer(failing(error)) as server:
        reply = asking(server)("/fail")
    assert reply.status == status
    assert reply.error == {"code": error.code, "message": error.message, "hint": error.hint}
