"""The names the server answers to: DNS rebinding ends here, before routing."""

import pytest

from pageside.server.errors import HostInvalid, HostUnknown
from pageside.server.hosts import AllowedHosts

from .conftest import exchange

ALLOWED = [
    "127.0.0.1",
    "127.0.0.1:8765",
    "localhost",
    "LocalHost:1",
    "[::1]",
    "[::1]:65535",
    "[0:0:0:0:0:0:0:1]:80",
    "kiosk.lan",
    "KIOSK.LAN:8080",
]
OTHER_NAMES = [
    "evil.example",
    "evil.example:8765",
    "localhost.",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1.",
    "evil-localhost",
    "127.1",
    "2130706433",
    "0.0.0.0",
    "127.0.0.2",
    "192.168.1.5",
    "[::ffff:127.0.0.1]",
    "[::2]",
    "sub.kiosk.lan",
]
NO_HOSTS = [
    "",
    ":80",
    "localhost:port",
    "localhost:99999",
    "localhost:123456",
    "localhost:80:80",
    "localhost/evil.example",
    "evil.example@localhost",
    "localhost@evil.example",
    "localhost?x",
    "localhost#x",
    "localhost, evil.example",
    "local host",
    "[::1",
    "::1",
    "[localhost]",
    "[::1]x",
    "http://localhost",
    "%6cocalhost",
    "localhost\\",
    "l\xf6calhost",
]


@pytest.mark.parametrize("host", ALLOWED)
def test_own_names_are_answered(ask, host):
    assert ask("/api/health", host=host).status == 200


@pytest.mark.parametrize("path", ["/api/health", "/", "/nothing", "/models/tiny/x/y"])
def test_other_names_are_refused_before_routing(ask, path):
    reply = ask(path, host="evil.example")
    assert (reply.status, reply.error["code"]) == (421, "host_unknown")
    assert "evil.example" in reply.error["message"]


@pytest.mark.parametrize("host", OTHER_NAMES)
def test_names_that_only_look_like_ours_are_refused(ask, host):
    reply = ask("/api/health", host=host)
    assert (reply.status, reply.error["code"]) == (421, "host_unknown")


@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_is_no_host_is_refused_and_not_repeated(ask, host):
    reply = ask("/api/health", host=host)
    assert reply.status == 400
    assert reply.error["code"] in ("host_invalid", "request_invalid")
    assert "evil" not in reply.body.decode()


def test_without_a_host(site):
    for version in ("1.0", "1.1"):
        request = f"GET /api/health HTTP/{version}\r\nConnection: close\r\n\r\n"
        reply = exchange(site.server.port, request.encode())
        assert reply.status == 400
        assert "Host" in reply.error["message"]


@pytest.mark.parametrize("second", ["127.0.0.1", "evil.example"])
def test_with_two_hosts(site, second):
    request = f"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: {second}\r\n\r\n"
    reply = exchange(site.server.port, request.encode())
    assert (reply.status, reply.error["code"]) == (400, "request_invalid")


def test_two_hosts_are_refused_by_us_too():
    """Another server than h11 may hand both on."""
    scope = {"headers": [(b"host", b"localhost"), (b"host", b"localhost")]}
    with pytest.raises(HostInvalid, match="2 Host headers"):
        AllowedHosts([]).check(scope)


def test_forwarded_hosts_change_nothing(ask):
    for header in ("X-Forwarded-Host", "Forwarded", "X-Host"):
        assert ask("/api/health", {header: "localhost"}, host="evil.example").status == 421
        assert ask("/api/health", {header: "evil.example"}).status == 200


def test_a_host_never_reaches_a_url(ask):
    """No redirect is built from it: what is missing is missing."""
    for path in ("/api/health/", "/web", "//evil.example/x"):
        reply = ask(path)
        assert reply.status == 404
        assert not reply.has("location")


def test_names_are_those_of_the_settings():
    hosts = AllowedHosts(["192.168.1.5", "[FE80::1]", "Kiosk"])
    for host in (b"192.168.1.5:1", b"[fe80::1]", b"kiosk", b"localhost"):
        hosts.check({"headers": [(b"host", host)]})
    with pytest.raises(HostUnknown, match=r"192\.168\.1\.6"):
        hosts.check({"headers": [(b"host", b"192.168.1.6")]})
