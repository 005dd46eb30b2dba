"""The Range header, beside a plain reading of RFC 9110, section 14."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pageside.server.errors import RangeUnsatisfiable
from pageside.server.ranges import RANGES_MAX, Slice, multipart, requested_slices

SIZE = 1000


def spans(header, size=SIZE):
    slices = requested_slices(header, size)
    return None if slices is None else [(slice.first, slice.end) for slice in slices]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("bytes=0-0", [(0, 1)]),
        ("bytes=0-499", [(0, 500)]),
        ("bytes=999-999", [(999, 1000)]),
        ("bytes=500-", [(500, 1000)]),
        ("bytes=-1", [(999, 1000)]),
        ("bytes=-1000", [(0, 1000)]),
        ("bytes=-5000", [(0, 1000)]),
        ("bytes=0-5000", [(0, 1000)]),
        ("bytes=0-" + "9" * 5000, [(0, 1000)]),
        ("bytes=-" + "9" * 5000, [(0, 1000)]),
        ("bytes=" + "0" * 5000 + "5-6", [(5, 7)]),
        ("Bytes = 0-1", [(0, 2)]),
        ("bytes= 0-1 ,\t4-5 ", [(0, 2), (4, 6)]),
        ("bytes=4-5,0-1", [(0, 2), (4, 6)]),
        ("bytes=0-4,5-9", [(0, 10)]),
        ("bytes=0-9,5-14,2-3", [(0, 15)]),
        ("bytes=0-,0-,0-,-5", [(0, 1000)]),
        ("bytes=0-1,2000-", [(0, 2)]),
    ],
)
def test_satisfiable(header, expected):
    assert spans(header) == expected


@pytest.mark.parametrize("header", ["bytes=1000-", "bytes=1000-1001", "bytes=-0", "bytes=2000-,-0"])
def test_unsatisfiable(header):
    with pytest.raises(RangeUnsatisfiable) as caught:
        requested_slices(header, SIZE)
    assert caught.value.headers == {"content-range": "bytes */1000"}


@pytest.mark.parametrize(
    "header",
    [
        "",
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=5-4",
        "bytes=0-1,5-4",
        "bytes=a-b",
        "bytes=0x1-2",
        "bytes=+1-2",
        "bytes=1_0-20",
        "bytes=1-2-3",
        "bytes=--1",
        "bytes=1 - 2",
        "bytes=0-1,",
        "bytes=0-1;2-3",
        "bytes=\u0661-\u0662",  # digits, but not ASCII's
        "bytes=0-1\n",
        "items=0-1",
        "bytes=0-1, bytes=2-3",
    ],
)
def test_ignored(header):
    assert spans(header) is None


@pytest.mark.parametrize("header", ["bytes=0-", "bytes=0-0", "bytes=-1", "bytes=5-"])
def test_an_empty_file_has_no_ranges(header):
    assert spans(header, 0) is None


def test_many_ranges_are_one_whole_file_at_most():
    ranges = [f"{2 * n}-{2 * n}" for n in range(RANGES_MAX)]
    assert spans("bytes=" + ",".join(ranges)) == [(2 * n, 2 * n + 1) for n in range(RANGES_MAX)]
    assert spans("bytes=" + ",".join([*ranges, "100-100"])) is None
    assert spans("bytes=" + "0-," * 101 + "0-") is None


numbers = st.integers(0, 60)
ranges = st.one_of(
    st.tuples(numbers, numbers).map(lambda pair: f"{min(pair)}-{max(pair)}"),
    numbers.map(lambda first: f"{first}-"),
    numbers.map(lambda suffix: f"-{suffix}"),
)


def wanted_bytes(text, size):
    first, last = text.split("-")
    if not first:
        return set(range(max(size - int(last), 0), size))
    return set(range(int(first), min(int(last) + 1 if last else size, size)))


@given(st.lists(ranges, min_size=1, max_size=RANGES_MAX), st.integers(1, 50))
def test_exactly_the_bytes_asked_for_each_once(texts, size):
    wanted = set().union(*(wanted_bytes(text, size) for text in texts))
    header = "bytes=" + ",".join(texts)
    if not wanted:
        with pytest.raises(RangeUnsatisfiable):
            requested_slices(header, size)
        return
    slices = requested_slices(header, size)
    sent = [byte for slice in slices for byte in range(slice.first, slice.end)]
    assert sent == sorted(wanted)
    assert all(a.end < b.first for a, b in pairwise(slices))


@given(st.text(alphabet="bytes=0123456789-, ", max_size=40))
def test_no_text_breaks_it(header):
    try:
        slices = requested_slices(header, SIZE)
    except RangeUnsatisfiable:
        return
    assert slices is None or all(0 <= slice.first < slice.end <= SIZE for slice in slices)


def test_multipart_framing():
    parts = multipart([Slice(0, 2), Slice(8, 10)], 10, "application/wasm", "B")
    content = b"0123456789"
    body = b"".join(
        content[part.first : part.end] if isinstance(part, Slice) else part for part in parts
    )
    assert body == (
        b"--B\r\nContent-Type: application/wasm\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n"
        b"--B\r\nContent-Type: application/wasm\r\nContent-Range: bytes 8-9/10\r\n\r\n89\r\n"
        b"--B--\r\n"
    )
