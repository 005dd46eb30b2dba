"""JSON from elsewhere, field by field: each taken once, with its type and size checked."""

import json
import re

from pageside.models.errors import ManifestInvalid

TEXT_LENGTH_MAX = 512
EXACT_INTEGER_MAX = 2**53 - 1  # the page reads these numbers as JavaScript doubles

_SHA256 = re.compile(r"[0-9a-f]{64}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def read_fields(content: bytes, what: str) -> "Fields":
    """The JSON object in `content`; ManifestInvalid calls it `what`."""
    try:
        value = json.loads(content, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise ManifestInvalid(f"{what} is not JSON ({error})") from error
    return Fields(value, what)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field occurs twice")
    return fields


class Fields:
    """The fields of one JSON object, each taken once with its type checked."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise ManifestInvalid(f"{where} is no JSON object")
        self._left: dict[str, object] = dict(value)
        self._where = where

    def names(self) -> list[str]:
        return list(self._left)

    def text(self, name: str) -> str:
        value = self._take(name)
        if not isinstance(value, str) or not 0 < len(value) <= TEXT_LENGTH_MAX:
            raise self._wrong(name, f"a text of 1 to {TEXT_LENGTH_MAX} characters")
        if _CONTROL.search(value):
            raise self._wrong(name, "free of control characters")
        return value

    def integer(self, name: str, least: int, most: int = EXACT_INTEGER_MAX) -> int:
        value = self._take(name)
        if type(value) is not int or not least <= value <= most:
            raise self._wrong(name, f"an integer from {least} to {most}")
        return value

    def sha256(self, name: str) -> str:
        value = self._take(name)
        if not isinstance(value, str) or not _SHA256.fullmatch(value):
            raise self._wrong(name, "64 hexadecimal digits")
        return value

    def fields(self, name: str) -> "Fields":
        return Fields(self._take(name), f"{self._where}'s {name[:80]!r}")

    def is_null(self, name: str) -> bool:
        if self._left.get(name, "") is not None:
            return False
        del self._left[name]
        return True

    def nothing_else(self) -> None:
        for name in self._left:
            raise ManifestInvalid(f"{self._where} has an unknown field {name[:80]!r}")

    def _take(self, name: str) -> object:
        if name not in self._left:
            raise ManifestInvalid(f"{self._where} has no {name[:80]!r}")
        return self._left.pop(name)

    def _wrong(self, name: str, wanted: str) -> ManifestInvalid:
        return ManifestInvalid(f"{self._where}'s {name!r} is not {wanted}")
