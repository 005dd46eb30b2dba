"""Every response carries the headers, whoever wrote it."""

import pytest
from starlette.requests import Request
from starlette.routing import Route

from pageside.models.store import ModelStore
from pageside.server.app import create_app
from pageside.server.headers import content_security_policy
from pageside.server.live import LiveServer
from pageside.server.settings import Settings

from .conftest import asking

EVERYWHERE = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


def assert_secured(reply, path):
    for name, value in EVERYWHERE.items():
        assert reply[name] == value  # Reply fails on a header sent twice
    assert reply["content-security-policy"] == content_security_policy(path)
    assert "microphone=()" in reply["permissions-policy"]
    assert "cross-origin-isolated" not in reply["permissions-policy"]
    assert not reply.has("server")
    assert not any(name.startswith("access-control-") for name, _ in reply.headers)
    assert not reply.has("content-encoding")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "path",
    ["/", "/web/index.html", "/worker/protocol.js", "/api/models", "/api/settings", "/api/health"],
)
def test_on_what_is_served(ask, path, method):
    reply = ask(path, method=method)
    assert reply.status == 200
    assert_secured(reply, path)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Range": "bytes=0-9"}, 206),
        ({"If-None-Match": "*"}, 304),
        ({"If-Match": '"x"'}, 412),
        ({"Range": "bytes=99999-"}, 416),
    ],
)
def test_on_model_files(site, headers, status):
    path = site.url_of("model.gguf")
    reply = site.ask(path, {"Accept-Encoding": "gzip, br", **headers})
    assert reply.status == status
    assert_secured(reply, path)


@pytest.mark.parametrize(
    ("path", "options", "status"),
    [
        ("/nothing", {}, 404),
        ("/web/nothing.js", {}, 404),
        ("/worker/nothing.js", {}, 404),
        ("/models/none/0000000000000000/x", {}, 404),
        ("/", {"method": "POST"}, 405),
        ("/", {"host": "evil.example"}, 421),
        ("/", {"host": "a b"}, 400),
        ("/", {"headers": {"Sec-Fetch-Site": "cross-site"}}, 403),
    ],
)
def test_on_errors(ask, path, options, status):
    reply = ask(path, **options)
    assert reply.status == status
    assert_secured(reply, path)


def test_on_what_the_application_never_sees(ask):
    reply = ask("/", host=None)  # h11 refuses HTTP/1.1 without Host
    assert reply.status == 400
    assert_secured(reply, "")


def test_on_a_fault(tmp_path):
    def fail(request: Request) -> None:
        raise ZeroDivisionError("secret")

    app = create_app(ModelStore(tmp_path), Settings())
    app.router.routes.append(Route("/worker-fault", fail))
    with LiveServer(app) as server:
        reply = asking(server)("/worker-fault")
    assert reply.status == 500
    assert_secured(reply, "/worker-fault")


def test_each_kind_of_document_has_its_own_policy():
    page, worker = content_security_policy("/"), content_security_policy("/worker/worker.js")
    assert page == content_security_policy("/web/headless.html")
    assert "unsafe" not in page
    assert "trusted-types pageside" in page and "trusted-types default" in worker
    assert "'wasm-unsafe-eval'" in worker and "unsafe-inline" not in worker
    assert "connect-src 'self'" in page and "connect-src 'self'" in worker
    inert = "default-src 'none'; frame-ancestors 'none'"
    assert content_security_policy("/api/models") == inert
    assert content_security_policy("/webx") == content_security_policy("/models/a/b/c") == inert
