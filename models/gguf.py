"""Reading GGUF, the file format of llama.cpp, from a file that may be hostile.

Every length is held against what is left of the file before anything is read or
allocated, so a header of a few bytes cannot ask for gigabytes or for hours.
The format: ggml's docs/gguf.md, versions 2 and 3, little-endian.
"""

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pageside.models.errors import ConversionUnsupported, GgufInvalid
from pageside.models.metadata import Metadata, Value

METADATA_COUNT_MAX = 4096
TENSOR_COUNT_MAX = 65_536
NAME_LENGTH_MAX = 1024
DIMENSIONS_MAX = 4
ALIGNMENT_MAX = 1 << 20
ALIGNMENT_DEFAULT = 32


@dataclass(frozen=True)
class TensorType:
    """How `block_length` weights of one row lie in `block_bytes` bytes."""

    name: str
    block_length: int
    block_bytes: int


_TYPES = {
    0: TensorType("F32", 1, 4),
    1: TensorType("F16", 1, 2),
    2: TensorType("Q4_0", 32, 18),
    3: TensorType("Q4_1", 32, 20),
    8: TensorType("Q8_0", 32, 34),
}
_OTHER_TYPES = {
    6: "Q5_0", 7: "Q5_1", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K",
    16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S",
    22: "IQ2_S", 23: "IQ4_XS", 29: "IQ1_M", 30: "BF16", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
}  # fmt: skip

_SCALARS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?",
    10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True)
class Tensor:
    """Where a tensor lies in the file; a vector is one row."""

    name: str
    type: str
    rows: int
    columns: int
    offset_bytes: int
    size_bytes: int


class Gguf:
    """An open GGUF file: its metadata, and its tensors by name."""

    def __init__(self, content: mmap.mmap) -> None:
        reader = _Reader(content)
        tensor_count = reader.head()
        self.metadata = Metadata(reader.metadata())
        alignment = self.metadata.integer("general.alignment", 1, ALIGNMENT_MAX, ALIGNMENT_DEFAULT)
        tensors = _tensors(reader, tensor_count, alignment)
        self.tensors = {tensor.name: tensor for tensor in tensors}
        self._content = content

    def rows(self, tensor: Tensor) -> npt.NDArray[np.uint8]:
        """The tensor's bytes as [rows, bytes a row], not copied."""
        view = np.frombuffer(self._content, np.uint8, tensor.size_bytes, tensor.offset_bytes)
        return view.reshape(tensor.rows, -1)


def read_gguf(path: Path) -> Gguf:
    """Opens the file. GgufInvalid if its header cannot be true."""
    try:
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError as error:  # an empty file cannot be mapped
        raise GgufInvalid(f"{path.name} is empty") from error
    return Gguf(content)


class _Reader:
    """Walks the header from front to back."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self.position = 0
        self.size_bytes = len(content)
        self._metadata_count = 0

    def head(self) -> int:
        """Reads up to the metadata; how many tensors there are."""
        if self.take(4) != b"GGUF":
            raise GgufInvalid("the file is no GGUF file")
        version = self.number("<I")
        if version not in (2, 3):
            raise GgufInvalid(f"GGUF version {version} is not 2 or 3")
        tensor_count = self.count(TENSOR_COUNT_MAX, "tensors")
        self._metadata_count = self.count(METADATA_COUNT_MAX, "metadata entries")
        return tensor_count

    def metadata(self) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for _ in range(self._metadata_count):
            key = self.name()
            if key in values:
                raise GgufInvalid(f"the GGUF header has {key} twice")
            values[key] = self.value(self.number("<I"))
        return values

    def value(self, kind: int) -> Value:
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self.array()
        return self.scalar(kind)

    def array(self) -> Value:
        kind, length = self.number("<I"), self.number("<Q")
        if kind == _STRING:
            self.require(length * 8)  # each text has at least its own length
            return [self.text() for _ in range(length)]
        form = _scalar_form(kind)
        items = self.take(length * struct.calcsize(form))
        return [item for (item,) in struct.iter_unpack(form, items)]

    def scalar(self, kind: int) -> bool | int | float:
        form = _scalar_form(kind)
        (value,) = struct.unpack(form, self.take(struct.calcsize(form)))
        if not isinstance(value, bool | int | float):
            raise GgufInvalid(f"the GGUF header has a value of unknown type {kind}")
        return value

    def number(self, form: str) -> int:
        (value,) = struct.unpack(form, self.take(struct.calcsize(form)))
        return int(value)

    def count(self, most: int, what: str) -> int:
        value = self.number("<Q")
        if value > most:
            raise GgufInvalid(f"the GGUF header claims {value} {what}")
        return value

    def name(self) -> str:
        text = self.text()
        if not 0 < len(text) <= NAME_LENGTH_MAX or not text.isprintable():
            raise GgufInvalid(f"the GGUF header has a name {text[:40]!r}")
        return text

    def text(self) -> str:
        try:
            return self.take(self.number("<Q")).decode()
        except UnicodeDecodeError as error:
            raise GgufInvalid("the GGUF header has a text that is not UTF-8") from error

    def take(self, size_bytes: int) -> bytes:
        self.require(size_bytes)
        start, self.position = self.position, self.position + size_bytes
        return self._content[start : self.position]

    def require(self, size_bytes: int) -> None:
        if size_bytes > self.size_bytes - self.position:
            raise GgufInvalid("the GGUF file ends inside its header")


def _scalar_form(kind: int) -> str:
    if kind not in _SCALARS:
        raise GgufInvalid(f"the GGUF header has a value of unknown type {kind}")
    return _SCALARS[kind]


def _tensors(reader: _Reader, count: int, alignment: int) -> list[Tensor]:
    """The tensors, their offsets made absolute, checked to lie apart inside the file."""
    relative = [_tensor(reader) for _ in range(count)]
    start = -(-reader.position // alignment) * alignment
    tensors = [
        Tensor(t.name, t.type, t.rows, t.columns, start + t.offset_bytes, t.size_bytes)
        for t in relative
    ]
    _check_places(tensors, reader.size_bytes)
    return tensors


def _tensor(reader: _Reader) -> Tensor:
    name = reader.name()
    dimension_count = reader.number("<I")
    if not 1 <= dimension_count <= DIMENSIONS_MAX:
        raise GgufInvalid(f"the tensor {name} has {dimension_count} dimensions")
    columns, *others = [reader.number("<Q") for _ in range(dimension_count)]
    rows = math.prod(others)
    kind, offset = reader.number("<I"), reader.number("<Q")
    if kind not in _TYPES:
        known = _OTHER_TYPES.get(kind, f"number {kind}")
        raise ConversionUnsupported(f"the tensor {name} has type {known}", hint=_WAY_OUT)
    type_ = _TYPES[kind]
    if not columns or not rows or columns % type_.block_length:
        raise GgufInvalid(f"the tensor {name} has rows of {columns} {type_.name} weights")
    size_bytes = rows * columns // type_.block_length * type_.block_bytes
    return Tensor(name, type_.name, rows, columns, offset, size_bytes)


_WAY_OUT = f"use a file with the types {', '.join(type_.name for type_ in _TYPES.values())}"


def _check_places(tensors: list[Tensor], file_size_bytes: int) -> None:
    if len({tensor.name for tensor in tensors}) < len(tensors):
        raise GgufInvalid("the GGUF header names one tensor twice")
    end = 0
    for tensor in sorted(tensors, key=lambda tensor: tensor.offset_bytes):
        if tensor.offset_bytes < end:
            raise GgufInvalid(f"the tensor {tensor.name} overlaps another")
        end = tensor.offset_bytes + tensor.size_bytes
        if end > file_size_bytes:
            raise GgufInvalid(f"the tensor {tensor.name} ends behind the end of the file")
