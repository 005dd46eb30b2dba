"""The bytes of every dialect under every fault, seen chunk by chunk."""

import math
import re

import pytest

from harness.scripts import per_character, random_pieces
from pageside.audit.pace import Faults
from pageside.server.script import Event

from .conftest import CHAT, STREAMING, TEXT, ended, texts, wire

PATHS = list(STREAMING)
SSE = [path for path in PATHS if not path.startswith("/api/")]
BORDERS = {
    "split_codepoints": Faults(split_codepoints=True),
    "byte_by_byte": Faults(byte_by_byte=True),
    **{f"split {seed}": Faults(split=True, seed=seed) for seed in range(6)},
}
FRAMINGS = {
    "comments": Faults(comments=True),
    "heartbeats": Faults(heartbeats=True),
    "crlf": Faults(crlf=True),
    "no_space": Faults(no_space=True),
    "empty_data": Faults(empty_data=True),
    "long_line": Faults(long_line=200_000),
    "all, split": Faults(
        comments=True,
        heartbeats=True,
        crlf=True,
        no_space=True,
        empty_data=True,
        long_line=5000,
        empty_choices=True,
        split=True,
        seed=9,
    ),
}


def without_clock(body):
    """Only the time of day and the number of the answer tell two equal answers apart."""
    body = re.sub(rb'"created":\d{10}', b"", body)
    body = re.sub(rb'"created_at":"[-0-9T:.]{26}Z"', b"", body)
    return re.sub(rb"-pace\d{8}", b"", body)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("faults", BORDERS.values(), ids=BORDERS)
def test_borders_are_anywhere_and_the_text_is_whole(pace, path, faults):
    pace.play(texts(*random_pieces(TEXT * 2, 1)), faults=faults)
    answer = wire(pace, path)
    assert (answer.status, answer.complete, answer.text()) == (200, True, TEXT * 2)
    assert ended(pace).text == TEXT * 2
    if faults.byte_by_byte:
        assert set(answer.sizes) == {1}
    else:
        assert any(not chunk.endswith(b"\n") for chunk in answer.chunks)
    if faults.split:
        joined = [chunk for chunk in answer.chunks if chunk.count(b'"model"') > 1]
        # /completion's events are short and have no model in them.
        assert joined or path == "/completion"
    if not faults.split:
        broken = [chunk for chunk in answer.chunks if not is_text(chunk)]
        assert len(broken) >= sum(ord(character) > 127 for character in TEXT * 2)


def is_text(chunk):
    try:
        chunk.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("faults", FRAMINGS.values(), ids=FRAMINGS)
def test_framings_that_the_standard_allows_change_nothing(pace, path, faults):
    pace.play([Event("prefill", ms=1), *texts(*per_character(TEXT))], faults=faults)
    answer = wire(pace, path)
    assert answer.complete and answer.text() == TEXT
    assert (ended(pace).end, ended(pace).text) == ("done", TEXT)


def test_the_framings_are_what_they_are_called(pace):
    def body(**faults):
        pace.play([Event("prefill", ms=1), *texts(*TEXT)], faults=Faults(**faults))
        return wire(pace, CHAT).body

    assert body(comments=True).startswith(b": PROCESSING\n\n: PROCESSING\n\n")
    assert b"\n\n: ping\n\ndata: " in body(comments=True)
    assert b"\n\n:\n\n:\ndata: " in body(heartbeats=True)
    crlf = body(crlf=True)
    assert crlf.count(b"\r\n") == crlf.count(b"\n") > 0 and crlf.endswith(b"[DONE]\r\n\r\n")
    assert body(no_space=True).startswith(b'data:{"id"')
    assert b"\n\ndata:\n\n" in body(empty_data=True)
    lines = body(long_line=200_000).split(b"\n")
    assert sorted(len(line) >= 200_000 for line in lines)[-2:] == [False, True]
    plain = body()
    assert not re.search(rb"^(?!data: |$)", plain, re.MULTILINE) and b"data: \n" not in plain


@pytest.mark.parametrize("path", PATHS)
def test_without_faults_a_chunk_is_whole_events(pace, path):
    answer = wire(pace, path)
    assert answer.complete and answer.text() == TEXT
    assert all(chunk.endswith(b"\n") for chunk in answer.chunks)


@pytest.mark.parametrize("path", PATHS)
def test_the_same_seed_is_the_same_bytes_and_the_same_borders(pace, path):
    def answer(seed):
        pace.play([Event("prefill", ms=2), *texts(*TEXT, ms=0.3)], faults=Faults(True, seed=seed))
        return wire(pace, path)

    first, again, other = answer(4), answer(4), answer(5)
    assert first.sizes == again.sizes != other.sizes
    assert without_clock(first.body) == without_clock(again.body) == without_clock(other.body)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("tokens", [1, 5])
def test_a_cut_leaves_an_unfinished_body(pace, path, tokens):
    pace.play(texts(*TEXT), faults=Faults(cut_after=tokens))
    answer = wire(pace, path)
    assert answer.status == 200 and not answer.complete
    assert answer.text() == TEXT[:tokens]
    assert (ended(pace).end, ended(pace).tokens) == ("cut", tokens)


def test_what_was_written_before_a_cut_still_reaches_a_slow_reader(pace):
    pace.play(texts(*["word " * 1000] * 2000), faults=Faults(cut_after=1500))
    answer = wire(pace, CHAT, slow=True)
    assert not answer.complete and answer.text() == "word " * 1_500_000
    assert (ended(pace).end, ended(pace).tokens) == ("cut", 1500)


@pytest.mark.parametrize("path", PATHS)
def test_a_crash_in_a_script_is_a_cut(pace, path):
    pace.play([*texts("a", "b"), Event("crash"), Event("end"), *texts("fine")])
    assert not wire(pace, path).complete
    assert ended(pace).end == "cut"
    assert wire(pace, path).text() == "fine"


@pytest.mark.parametrize("path", PATHS)
def test_no_done_leaves_the_last_event_out_alone(pace, path):
    whole = wire(pace, path).payloads()
    pace.play(texts(*TEXT), faults=Faults(no_done=True))
    answer = wire(pace, path)
    assert answer.complete and answer.text() == TEXT
    assert len(answer.payloads()) == len(whole) - 1


@pytest.mark.parametrize("path", PATHS)
def test_a_buffering_proxy_holds_everything_back(pace, path):
    pace.play([*texts("a"), Event("stall", ms=5), *texts("b")], faults=Faults(buffer_s=math.inf))
    answer = wire(pace, path)
    assert len(answer.chunks) == 1 and answer.text() == "ab"
    (sent,) = ended(pace).sent
    assert (sent.text, sent.first, sent.count) == ("ab", 0, 2)


def test_a_proxy_lets_go_every_so_often(pace):
    pace.play(texts(*"abcdefghij", ms=20), faults=Faults(buffer_s=0.05))
    assert wire(pace, CHAT).text() == "abcdefghij"
    delivery = ended(pace)
    assert 2 <= len(delivery.sent) < 10
    assert delivery.text == "abcdefghij"
