"""Conditional requests: RFC 9110, section 13."""

import re
from collections.abc import Mapping

_ENTITY_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')


def etag_of(sha256: str) -> str:
    """A strong entity tag: the same bytes have the same tag, whatever their file's date."""
    return f'"sha256-{sha256}"'


def precondition_fails(headers: Mapping[str, str], etag: str) -> bool:
    """If-Match compares strongly: a weak tag never matches."""
    wanted = headers.get("if-match")
    return wanted is not None and not _lists(wanted, etag, weak=False)


def is_unchanged(headers: Mapping[str, str], etag: str) -> bool:
    """If-None-Match compares weakly: a tag that a cache made weak still matches."""
    known = headers.get("if-none-match")
    return known is not None and _lists(known, etag, weak=True)


def range_applies(headers: Mapping[str, str], etag: str) -> bool:
    """If-Range takes our strong tag alone: we send no date that one could match."""
    return headers.get("if-range", etag).strip() == etag


def _lists(header: str, etag: str, *, weak: bool) -> bool:
    if header.strip() == "*":
        return True
    found = _ENTITY_TAG.findall(header)
    return any(tag == etag and (weak or not mark) for mark, tag in found)
