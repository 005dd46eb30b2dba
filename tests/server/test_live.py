"""A server in a thread: from a bound port to a closed one, with nothing left."""

import socket
import threading
import time
from contextlib import asynccontextmanager

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pageside.server.errors import AddressUnusable, PortTaken
from pageside.server.live import GRACE_S, LiveServer


@pytest.fixture
def app():
    return Starlette(routes=[Route("/", lambda request: PlainTextResponse("hello"))])


@pytest.fixture(autouse=True)
def others():
    """Servers of fixtures that outlive this file's tests."""
    OTHERS[:] = threading.enumerate()


OTHERS = []


def server_threads():
    running = [thread for thread in threading.enumerate() if thread not in OTHERS]
    return [thread for thread in running if thread.name == "pageside-server"]


def can_connect(port):
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def test_it_serves_on_a_free_port_and_leaves_nothing(app):
    with LiveServer(app) as server:
        assert server.url == f"http://127.0.0.1:{server.port}"
        assert httpx.get(server.url).text == "hello"
        assert len(server_threads()) == 1
    assert server_threads() == []
    assert not can_connect(server.port)


def test_two_at_once(app):
    with LiveServer(app) as one, LiveServer(app) as other:
        assert one.port != other.port
        assert httpx.get(one.url).text == httpx.get(other.url).text == "hello"


def test_a_taken_port_is_said_at_once(app):
    with LiveServer(app) as server:
        with pytest.raises(PortTaken) as caught, LiveServer(app, port=server.port):
            pass
        assert str(server.port) in str(caught.value) and "--port" in str(caught.value)
        assert httpx.get(server.url).text == "hello"
        assert len(server_threads()) == 1
    with LiveServer(app, port=server.port) as again:
        assert httpx.get(again.url).text == "hello"


@pytest.mark.parametrize("host", ["192.0.2.1", "::2", "a" * 64])
def test_an_address_that_is_not_ours(app, host):
    with pytest.raises(AddressUnusable, match="cannot listen"), LiveServer(app, host=host):
        pass
    assert server_threads() == []


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_ipv6(app):
    with LiveServer(app, host="::1") as server:
        assert server.url == f"http://[::1]:{server.port}"
        assert httpx.get(server.url).text == "hello"


def test_urls_that_a_browser_can_open(app):
    urls = {
        host: LiveServer(app, host=host, port=1).url for host in ("0.0.0.0", "::", "::1", "a.lan")
    }
    assert urls == {
        "0.0.0.0": "http://127.0.0.1:1",
        "::": "http://[::1]:1",
        "::1": "http://[::1]:1",
        "a.lan": "http://a.lan:1",
    }


def test_stopping_twice_and_from_elsewhere(app):
    with LiveServer(app) as server:
        waiter = threading.Thread(target=server.wait)
        waiter.start()
        server.stop()
        waiter.join(timeout=5)
        assert not waiter.is_alive()
        server.stop()
    assert not can_connect(server.port)


def test_an_exception_inside_stops_it_too(app):
    with pytest.raises(ZeroDivisionError), LiveServer(app) as server:
        raise ZeroDivisionError
    assert server_threads() == []
    assert not can_connect(server.port)


def test_a_failed_startup_is_raised_where_it_was_asked_for(caplog):
    async def lifespan(app):
        raise OSError("no accelerator")
        yield

    broken = Starlette(lifespan=asynccontextmanager(lifespan))
    server = LiveServer(broken)
    with pytest.raises(RuntimeError, match="ended by itself"), server:
        pass
    assert server_threads() == []
    assert not can_connect(server.port)
    assert "no accelerator" in caplog.text


def test_a_client_that_never_reads_does_not_hold_the_end_up(own_site):
    server = own_site.server
    request = f"GET {own_site.url_of('large.bin')} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(request.encode())
        assert connection.recv(100)
        started = time.monotonic()
        server.stop()
        assert time.monotonic() - started < GRACE_S + 5
    assert server_threads() == []


def test_a_transfer_under_way_may_end(own_site):
    url = own_site.server.url + own_site.url_of("large.bin")
    with httpx.stream("GET", url) as response:
        chunks = response.iter_raw()
        received = len(next(chunks))
        stopper = threading.Thread(target=own_site.server.stop)
        stopper.start()
        received += sum(map(len, chunks))
        stopper.join()
    assert received == 64 << 20


def test_garbage_breaks_only_its_own_connection(own_site, caplog):
    with socket.create_connection(("127.0.0.1", own_site.server.port), timeout=5) as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\xff\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert answer.startswith(b"HTTP/1.1 400 ") and b'"request_invalid"' in answer
    chunked = (
        f"GET {own_site.url_of('large.bin')} HTTP/1.1\r\nHost: localhost\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", own_site.server.port), timeout=5) as connection:
        connection.sendall(chunked.encode())
        assert connection.recv(20).startswith(b"HTTP/1.1 200 ")
        connection.sendall(b"no chunk size\r\n")
        rest = sum(map(len, iter(lambda: connection.recv(1 << 20), b"")))
    assert rest < 64 << 20
    assert own_site.ask("/api/health").status == 200
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
