"""Range requests: RFC 9110, section 14, and the multipart body of section 15.3.7.2."""

import re
from dataclasses import dataclass

from pageside.server.errors import RangeUnsatisfiable

# A reader of weights asks for a handful. A header full of ranges is an attack
# (CVE-2025-62727), and the RFC lets a server ignore it.
RANGES_MAX = 16

_RANGE = re.compile(r"[ \t]*(?:([0-9]+)-([0-9]*)|-([0-9]+))[ \t]*")
_DIGITS_MAX = 18


@dataclass(frozen=True, order=True)
class Slice:
    """Bytes `first` to `end`, without the byte at `end`."""

    first: int
    end: int

    @property
    def size_bytes(self) -> int:
        return self.end - self.first

    def content_range(self, total_bytes: int) -> str:
        return f"bytes {self.first}-{self.end - 1}/{total_bytes}"


def requested_slices(header: str, total_bytes: int) -> list[Slice] | None:
    """The slices to send, ascending and without overlap; None to send the whole.

    An unknown unit, a range that is malformed or ends before it begins, and too many
    ranges are ignored, as is any range of an empty file, which Content-Range cannot
    express. RangeUnsatisfiable when all of them begin behind the file's end.
    """
    unit, _, listed = header.partition("=")
    texts = listed.split(",", RANGES_MAX)
    if unit.strip().lower() != "bytes" or len(texts) > RANGES_MAX or total_bytes == 0:
        return None
    slices = [_slice(text, total_bytes) for text in texts]
    if None in slices:
        return None
    satisfiable = [slice for slice in slices if slice and slice.size_bytes > 0]
    if not satisfiable:
        raise RangeUnsatisfiable(
            f"the range is outside the file's {total_bytes} bytes",
            headers={"content-range": f"bytes */{total_bytes}"},
        )
    return _joined(sorted(satisfiable))


def _slice(text: str, total_bytes: int) -> Slice | None:
    """One range cut to the file; an empty slice when it lies outside, None when invalid."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    first, last, suffix = match.groups()
    if suffix:
        return Slice(max(total_bytes - _number(suffix), 0), total_bytes)
    if last and _number(last) < _number(first):
        return None
    start = min(_number(first), total_bytes)
    return Slice(start, min(_number(last) + 1, total_bytes) if last else total_bytes)


def _number(digits: str) -> int:
    """Python refuses to read thousands of digits; no file has 10^18 bytes."""
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= _DIGITS_MAX else int("9" * _DIGITS_MAX)


def _joined(slices: list[Slice]) -> list[Slice]:
    """Slices that overlap or touch become one, so no byte is sent twice."""
    joined = slices[:1]
    for slice in slices[1:]:
        if slice.first <= joined[-1].end:
            joined[-1] = Slice(joined[-1].first, max(joined[-1].end, slice.end))
        else:
            joined.append(slice)
    return joined


def multipart(
    slices: list[Slice], total_bytes: int, media_type: str, boundary: str
) -> list[bytes | Slice]:
    """The body's parts in order: framing as bytes, content as slices."""
    parts: list[bytes | Slice] = []
    for slice in slices:
        head = (
            f"--{boundary}\r\nContent-Type: {media_type}\r\n"
            f"Content-Range: {slice.content_range(total_bytes)}\r\n\r\n"
        )
        parts += [head.encode("latin-1"), slice, b"\r\n"]
    return [*parts, f"--{boundary}--\r\n".encode("latin-1")]
