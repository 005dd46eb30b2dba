"""What a GGUF header says of its model, key by key."""

import math
from collections.abc import Mapping

from pageside.models.errors import GgufInvalid

Value = bool | int | float | str | list[bool] | list[int] | list[float] | list[str]


class Metadata:
    """The key-value part of the header, each value taken with its type checked."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def integer(self, key: str, least: int, most: int, default: int | None = None) -> int:
        value = self._values.get(key, default)
        if type(value) is not int or not least <= value <= most:
            raise self._wrong(key, f"an integer from {least} to {most}")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        value = self._values.get(key, default)
        if not isinstance(value, float) or not math.isfinite(value) or value <= 0:
            raise self._wrong(key, "a positive number")
        return value

    def boolean(self, key: str, default: bool) -> bool:
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, "a text")
        return value

    def texts(self, key: str) -> list[str]:
        value = self._values.get(key)
        if not isinstance(value, list) or not value or not isinstance(value[0], str):
            raise self._wrong(key, "a list of texts")
        return [str(item) for item in value]

    def integers(self, key: str) -> list[int]:
        value = self._values.get(key)
        if not isinstance(value, list) or not value or type(value[0]) is not int:
            raise self._wrong(key, "a list of integers")
        return [int(item) for item in value]

    def _wrong(self, key: str, wanted: str) -> GgufInvalid:
        found = f"is {str(self._values[key])[:40]!r}" if key in self._values else "is missing"
        return GgufInvalid(f"the GGUF header's {key} {found}, not {wanted}")
