"""Names that mean the same plain file on every system."""

import re

from pageside.models.errors import NameInvalid

SEGMENT_LENGTH_MAX = 255
DEPTH_MAX = 8

# Windows opens a device for these, whatever the extension.
_PORTS = {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
_RESERVED = {"con", "prn", "aux", "nul"} | _PORTS
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]')
_MODEL_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_REVISION = re.compile(r"[0-9a-f]{16}")


def checked_model_id(text: str) -> str:
    """`text` if it can be a model's id: lower-case letters, digits, dot, dash, underscore."""
    if not _MODEL_ID.fullmatch(text) or not _is_plain_segment(text):
        raise NameInvalid(f"{text[:80]!r} cannot be a model's id", hint="`pageside models list`")
    return text


def checked_revision(text: str) -> str:
    """`text` if it can be a revision: 16 hexadecimal digits."""
    if not _REVISION.fullmatch(text):
        raise NameInvalid(f"{text[:80]!r} cannot be a revision", hint="16 hexadecimal digits")
    return text


def checked_file_name(text: str) -> str:
    """`text` if it is a relative path of plain segments, such as `onnx/model.onnx`."""
    segments = text.split("/")
    if len(segments) > DEPTH_MAX or not all(map(_is_plain_segment, segments)):
        raise NameInvalid(f"{text[:80]!r} cannot be a model file's name")
    return text


def _is_plain_segment(segment: str) -> bool:
    return (
        0 < len(segment.encode("utf-8", "surrogatepass")) <= SEGMENT_LENGTH_MAX
        and not _FORBIDDEN.search(segment)
        and not segment.startswith(".")
        and not segment.endswith((".", " "))
        and not any("\ud800" <= character <= "\udfff" for character in segment)
        and segment.split(".")[0].rstrip().lower() not in _RESERVED
    )
