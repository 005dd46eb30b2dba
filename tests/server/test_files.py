"""Model files over a real connection: content, ranges, conditions, faults."""

import hashlib
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from email import message_from_bytes
from pathlib import Path

import httpx
import psutil
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from pageside.server.files import Content, FileResponse
from pageside.server.live import LiveServer

from .conftest import FILES, WEIGHTS, exchange

SIZE = len(WEIGHTS)
TAG = f'"sha256-{hashlib.sha256(WEIGHTS).hexdigest()}"'


@pytest.fixture
def weights(site):
    """Asks for model.gguf."""
    return lambda headers=None, **options: site.ask(site.url_of("model.gguf"), headers, **options)


@pytest.mark.parametrize("name", FILES)
def test_whole_files(site, name):
    reply = site.ask(site.url_of(name))
    assert reply.status == 200
    assert reply.body == FILES[name]
    assert reply["content-length"] == str(len(FILES[name]))
    assert reply["etag"] == f'"sha256-{hashlib.sha256(FILES[name]).hexdigest()}"'
    assert reply["etag"] == f'"sha256-{site.manifest.files[name].sha256}"'
    assert reply["cache-control"] == "public, max-age=31536000, immutable"
    assert reply["accept-ranges"] == "bytes"
    assert not reply.has("last-modified")


def test_the_manifest_has_its_own_tag(site):
    reply = site.ask(site.url_of("manifest.json"))
    assert reply.body == site.manifest.to_json()
    assert reply["etag"] == f'"sha256-{hashlib.sha256(reply.body).hexdigest()}"'
    assert reply["content-type"] == "application/json"
    assert site.ask(site.url_of("manifest.json"), {"If-None-Match": reply["etag"]}).status == 304


def test_nothing_is_compressed(weights):
    reply = weights({"Accept-Encoding": "gzip, deflate, br, zstd"})
    assert reply.body == WEIGHTS
    assert not reply.has("content-encoding") and not reply.has("transfer-encoding")


def test_head_is_get_without_the_body(weights):
    got, head = weights(), weights(method="HEAD")
    assert (head.status, head.body) == (200, b"")
    ignored = {"date"}
    assert [h for h in head.headers if h[0] not in ignored] == [
        h for h in got.headers if h[0] not in ignored
    ]


def test_head_tells_of_the_whole_whatever_the_range(weights):
    head = weights({"Range": "bytes=0-9"}, method="HEAD")
    assert (head.status, head["content-length"]) == (200, str(SIZE))


@pytest.mark.parametrize(
    ("header", "first", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=100-299", 100, 300),
        ("bytes=10000-", 10000, SIZE),
        ("bytes=-7", SIZE - 7, SIZE),
        (f"bytes=-{SIZE + 5}", 0, SIZE),
        ("bytes=0-99999", 0, SIZE),
        ("bytes=5-9,0-6", 0, 10),
        ("bytes=0-4,99999-", 0, 5),
    ],
)
def test_one_range(weights, header, first, end):
    reply = weights({"Range": header})
    assert reply.status == 206
    assert reply.body == WEIGHTS[first:end]
    assert reply["content-range"] == f"bytes {first}-{end - 1}/{SIZE}"
    assert reply["content-length"] == str(end - first)
    assert reply["etag"] == TAG


@pytest.mark.parametrize(
    "header", ["bytes=5-4", "lines=0-1", "bytes=x", "bytes=" + ",".join(["0-"] * 101)]
)
def test_ranges_that_are_ignored(weights, header):
    reply = weights({"Range": header})
    assert (reply.status, reply.body) == (200, WEIGHTS)
    assert not reply.has("content-range")


def test_two_range_headers_are_ignored(site):
    request = (
        f"GET {site.url_of('model.gguf')} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        "Range: bytes=0-1\r\nRange: bytes=4-5\r\n\r\n"
    )
    reply = exchange(site.server.port, request.encode())
    assert (reply.status, reply.body) == (200, WEIGHTS)


@pytest.mark.parametrize("header", [f"bytes={SIZE}-", "bytes=-0", "bytes=99999-100000,-0"])
def test_ranges_outside_the_file(weights, header):
    reply = weights({"Range": header})
    assert (reply.status, reply.error["code"]) == (416, "range_unsatisfiable")
    assert reply["content-range"] == f"bytes */{SIZE}"


@pytest.mark.parametrize("header", ["bytes=0-", "bytes=0-0", "bytes=-1"])
def test_ranges_of_an_empty_file(site, header):
    reply = site.ask(site.url_of("empty.json"), {"Range": header})
    assert (reply.status, reply.body, reply["content-length"]) == (200, b"", "0")


def test_several_ranges(weights):
    reply = weights({"Range": "bytes=0-1,100-102,-1"})
    assert reply.status == 206
    kind, boundary = reply["content-type"].split("; boundary=")
    assert kind == "multipart/byteranges"
    assert reply["content-length"] == str(len(reply.body))
    assert not reply.has("content-range")
    head = f"Content-Type: {reply['content-type']}\r\n\r\n"
    parts = message_from_bytes(head.encode() + reply.body).get_payload()
    assert [(part["content-range"], part.get_payload(decode=True)) for part in parts] == [
        (f"bytes 0-1/{SIZE}", WEIGHTS[0:2]),
        (f"bytes 100-102/{SIZE}", WEIGHTS[100:103]),
        (f"bytes {SIZE - 1}-{SIZE - 1}/{SIZE}", WEIGHTS[-1:]),
    ]
    assert {part["content-type"] for part in parts} == {"application/octet-stream"}
    assert reply.body.startswith(b"--") and reply.body.endswith(f"--{boundary}--\r\n".encode())


def test_a_range_bomb_costs_no_more_than_the_file(weights):
    """CVE-2025-62727: as many ranges as a header can carry."""
    for count in (2, 10, 101, 2000):
        reply = weights({"Range": "bytes=" + ",".join(f"{first}-" for first in range(count))})
        assert reply.status in (200, 206)
        assert len(reply.body) <= SIZE


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        (TAG, 206),
        (f"W/{TAG}", 200),
        ('"sha256-0"', 200),
        ("Sun, 29 Nov 2026 10:00:00 GMT", 200),
    ],
)
def test_if_range(weights, condition, status):
    reply = weights({"Range": "bytes=2-5", "If-Range": condition})
    assert reply.status == status
    assert reply.body == (WEIGHTS[2:6] if status == 206 else WEIGHTS)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("condition", [TAG, f"W/{TAG}", "*", f'"x", {TAG}'])
def test_if_none_match(weights, condition, method):
    headers = {"If-None-Match": condition, "Range": "bytes=0-1"}
    reply = weights(headers, method=method)
    assert (reply.status, reply.body) == (304, b"")
    assert reply["etag"] == TAG
    assert reply["cache-control"].endswith("immutable")


def test_if_none_match_of_another_file(weights):
    assert weights({"If-None-Match": '"sha256-0"'}).body == WEIGHTS


def test_if_match(weights):
    assert weights({"If-Match": TAG}).status == 200
    assert weights({"If-Match": "*"}).status == 200
    reply = weights({"If-Match": f"W/{TAG}", "If-None-Match": TAG})
    assert (reply.status, reply.error["code"]) == (412, "precondition_failed")


def test_dates_are_no_conditions(weights):
    reply = weights(
        {
            "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT",
            "If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT",
        }
    )
    assert (reply.status, reply.body) == (200, WEIGHTS)


def test_touching_the_file_between_two_ranges_changes_nothing(own_site):
    url, path = own_site.url_of("model.gguf"), own_site.path_of("model.gguf")
    first = own_site.ask(url, {"Range": "bytes=0-5119"})
    os.utime(path, (0, 0))
    rest = own_site.ask(url, {"Range": "bytes=5120-", "If-Range": first["etag"]})
    assert first["etag"] == rest["etag"] == TAG
    assert (rest.status, first.body + rest.body) == (206, WEIGHTS)


@pytest.mark.parametrize("headers", [{}, {"Range": "bytes=0-1"}, {"If-None-Match": TAG}])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_file_that_vanished_or_changed_its_size(own_site, headers, method):
    path, url = own_site.path_of("model.gguf"), own_site.url_of("model.gguf")
    whole = path.read_bytes()
    for damage in (
        lambda: path.write_bytes(whole[:-1]),
        lambda: path.write_bytes(whole + b"x"),
        path.unlink,
    ):
        damage()
        reply = own_site.ask(url, headers, method=method)
        assert reply.status == 500
        if method == "GET":
            assert reply.error["code"] == "file_damaged"
            assert "model.gguf" in reply.error["message"]
            assert "pageside models verify tiny" in reply.error["hint"]
            assert str(path.parent) not in reply.body.decode()
    assert own_site.ask(own_site.url_of("config.json")).status == 200
    path.write_bytes(whole)
    assert own_site.ask(url).body == WEIGHTS
    assert open_files(own_site) == []


def test_a_file_that_shrinks_while_it_is_sent_breaks_the_connection(own_site, caplog):
    path = own_site.path_of("large.bin")
    with httpx.Client(base_url=own_site.server.url) as client:
        with client.stream("GET", own_site.url_of("large.bin")) as response:
            chunks = response.iter_raw(1 << 16)
            next(chunks)
            os.truncate(path, 1 << 20)
            with pytest.raises(httpx.RemoteProtocolError):
                list(chunks)
            assert response.num_bytes_downloaded < int(response.headers["content-length"])
        assert client.get("/api/health").status_code == 200
    wait_until(lambda: open_files(own_site) == [])
    assert "ended at byte" in caplog.text


@pytest.mark.parametrize(
    "headers", ["", "Range: bytes=5-\r\n", "Range: bytes=5-40000000,50000000-\r\n"]
)
def test_a_client_that_leaves_in_the_middle_leaves_no_file_open(own_site, headers):
    request = f"GET {own_site.url_of('large.bin')} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", own_site.server.port)) as connection:
            connection.sendall(request.encode())
            assert connection.recv(1000).startswith(b"HTTP/1.1 20")
            wait_until(lambda: open_files(own_site) == ["large.bin"])
        wait_until(lambda: open_files(own_site) == [])
    assert own_site.ask("/api/health").status == 200


def test_no_more_is_read_than_somebody_takes(tmp_path):
    """Reading all of this file would take far longer than `wait_until` does."""
    path = tmp_path / "sparse.bin"
    with path.open("wb") as sparse:
        sparse.truncate(1 << 37)
    content = Content(path, 1 << 37, "0" * 64, "application/octet-stream", "no-store", "")
    app = Starlette(routes=[Route("/", lambda request: FileResponse(content))])
    with LiveServer(app) as server:
        request = b"%s / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        assert exchange(server.port, request % b"HEAD").status == 200
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(request % b"GET")
            assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")
        wait_until(lambda: path not in [Path(file.path) for file in psutil.Process().open_files()])


def test_twenty_readers_at_once(own_site):
    """Each resumes once, as a download that was cut does."""
    url = own_site.server.url + own_site.url_of("model.gguf")

    def read(reader):
        middle = 1 + reader * 500
        first = httpx.get(url, headers={"Range": f"bytes=0-{middle - 1}"})
        rest = httpx.get(
            url, headers={"Range": f"bytes={middle}-", "If-Range": first.headers["etag"]}
        )
        return first.content + rest.content

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(read, range(20))) == [WEIGHTS] * 20
    wait_until(lambda: open_files(own_site) == [])


def test_one_connection_serves_many_requests(site):
    with httpx.Client(base_url=site.server.url) as client:
        for _ in range(3):
            assert client.get(site.url_of("model.gguf")).content == WEIGHTS
            assert client.head(site.url_of("model.gguf")).status_code == 200
            headers = {"If-None-Match": TAG}
            assert client.get(site.url_of("model.gguf"), headers=headers).status_code == 304
            assert client.get("/nothing").status_code == 404


def open_files(site):
    """Names of the model files this process, the server's too, has open."""
    root = str(site.store.root)
    opened = psutil.Process().open_files()
    return [Path(file.path).name for file in opened if file.path.startswith(root)]


def wait_until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
