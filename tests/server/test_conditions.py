"""Conditional requests on entity tags."""

import pytest

from pageside.server.conditions import etag_of, is_unchanged, precondition_fails, range_applies

TAG = etag_of("ab" * 32)


def test_the_tag_is_strong_and_the_hash():
    assert etag_of("abcd") == '"sha256-abcd"'


@pytest.mark.parametrize(
    ("header", "unchanged"),
    [
        (TAG, True),
        (f"W/{TAG}", True),
        ("*", True),
        (f'"other", {TAG}', True),
        (f'"a,b",W/"c" ,{TAG}', True),
        (f'"x{TAG[1:]}', False),
        ('"other"', False),
        (TAG.strip('"'), False),
        (f"w/{TAG}", True),  # the tag is found; the mark is only read in capitals
        ("", False),
        ("* ", True),
        ('"*"', False),
    ],
)
def test_if_none_match_is_weak(header, unchanged):
    assert is_unchanged({"if-none-match": header}, TAG) is unchanged


@pytest.mark.parametrize(
    ("header", "fails"),
    [
        (TAG, False),
        ("*", False),
        (f'"o", {TAG}', False),
        (f"W/{TAG}", True),
        ('"o"', True),
        ("", True),
    ],
)
def test_if_match_is_strong(header, fails):
    assert precondition_fails({"if-match": header}, TAG) is fails


@pytest.mark.parametrize(
    ("header", "applies"),
    [
        (TAG, True),
        (f" {TAG} ", True),
        (f"W/{TAG}", False),
        ('"other"', False),
        ("Sun, 29 Nov 2026 10:00:00 GMT", False),
        (f"{TAG}, {TAG}", False),
        ("*", False),
        ("", False),
    ],
)
def test_if_range_takes_the_strong_tag_alone(header, applies):
    assert range_applies({"if-range": header}, TAG) is applies


def test_without_conditions():
    assert not is_unchanged({}, TAG)
    assert not precondition_fails({}, TAG)
    assert range_applies({}, TAG)
