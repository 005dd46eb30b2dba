"""Who may ask, and whose pages may read the answer."""

import httpx
import pytest

from pageside.audit.pace import Faults, Pace
from pageside.server.errors import PortTaken

from .conftest import CHAT, LOCAL, STREAMING, settles, texts

PAGE = "http://localhost:5173"
OTHER = "https://elsewhere.example"
PREFLIGHT = {
    "Origin": PAGE,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type,x-stainless-os",
}


@pytest.fixture(scope="module")
def shared():
    """A server that pages of PAGE may read."""
    with Pace(events=texts("a"), allow_origins=[PAGE, "http://[::1]:3000"]) as pace:
        yield pace
        settles(pace)


def cors(response):
    return {name: value for name, value in response.headers.items() if "access-control" in name}


def ask(pace, method, path, **options):
    return httpx.request(method, pace.url + path, **LOCAL, **options)


@pytest.mark.parametrize("path", [*STREAMING, "/", "/health", "/nowhere"])
@pytest.mark.parametrize("origin", [PAGE, OTHER, "null"])
def test_nobody_s_pages_by_default(pace, path, origin):
    for method in ("GET", "POST", "OPTIONS"):
        response = ask(pace, method, path, headers={**PREFLIGHT, "Origin": origin}, json={})
        assert cors(response) == {}
    assert response.status_code in (404, 405)


@pytest.mark.parametrize("path", [*STREAMING, "/api/tags", "/v1/models"])
def test_a_preflight(shared, path):
    response = ask(shared, "OPTIONS", path, headers=PREFLIGHT)
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == PAGE
    assert "POST" in response.headers["access-control-allow-methods"]
    assert (
        response.headers["access-control-allow-headers"]
        == (PREFLIGHT["Access-Control-Request-Headers"])
    )
    assert "access-control-allow-private-network" not in response.headers
    private = {**PREFLIGHT, "Access-Control-Request-Private-Network": "true"}
    response = ask(shared, "OPTIONS", path, headers=private)
    assert response.headers["access-control-allow-private-network"] == "true"


@pytest.mark.parametrize("origin", [OTHER, "null", PAGE + "/", "http://localhost:51730", ""])
def test_other_origins_are_refused(shared, origin):
    response = ask(shared, "OPTIONS", CHAT, headers={**PREFLIGHT, "Origin": origin})
    assert response.status_code == 400
    assert "access-control-allow-origin" not in response.headers
    response = ask(shared, "POST", CHAT, headers={"Origin": origin}, json=STREAMING[CHAT])
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("path", STREAMING)
def test_answers_and_errors_can_be_read(shared, path):
    for faults, status in ((Faults(), 200), (Faults(status=429), 429)):
        shared.play(texts("a"), faults=faults)
        response = ask(shared, "POST", path, headers={"Origin": PAGE}, json=STREAMING[path])
        assert response.status_code == status
        assert response.headers["access-control-allow-origin"] == PAGE
        assert "origin" in response.headers["vary"].lower()
    response = ask(shared, "POST", path, headers={"Origin": PAGE}, content=b"{")
    assert response.status_code == 400
    assert response.headers["access-control-allow-origin"] == PAGE


def test_a_cut_works_behind_cors(shared):
    shared.play(texts("a", "b"), faults=Faults(cut_after=1))
    with pytest.raises(httpx.RemoteProtocolError):
        ask(shared, "POST", CHAT, headers={"Origin": PAGE}, json=STREAMING[CHAT])
    assert shared.deliveries[-1].tokens == 1


def test_everybody():
    with Pace(allow_origins=["*"]) as pace:
        response = ask(pace, "OPTIONS", CHAT, headers={**PREFLIGHT, "Origin": OTHER})
        assert response.headers["access-control-allow-origin"] == "*"


def test_only_names_that_are_its_own(pace):
    for host, status in (("localhost", 200), ("[::1]:9", 200), ("evil.example", 421)):
        response = ask(pace, "GET", "/health", headers={"Host": host})
        assert response.status_code == status
    assert "--allow-host" in response.json()["error"]["hint"]
    assert ask(pace, "GET", "/health", headers={"Host": "a b"}).status_code == 400
    with Pace(allow_hosts=["host.docker.internal"]) as other:
        host = {"Host": "host.docker.internal:8766"}
        assert ask(other, "GET", "/health", headers=host).status_code == 200


def test_a_taken_port(pace):
    port = int(pace.url.rsplit(":", 1)[1])
    with pytest.raises(PortTaken, match=str(port)), Pace(port=port):
        pass


def test_ipv6():
    with Pace(host="::1", events=texts("a")) as pace:
        assert pace.url.startswith("http://[::1]:")
        assert ask(pace, "GET", "/health").json() == {"status": "ok"}
