"""GGUF headers that are broken, hostile, or honest but beyond us."""

import struct
import time
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pageside.models.blocks import Blocks, matrix
from pageside.models.convert import GGUF_NAME, convert
from pageside.models.errors import ConversionUnsupported, GgufInvalid
from pageside.models.gguf import read_gguf

Writer = Callable[..., Path]

STRING, ARRAY, UINT32 = 8, 9, 4
HUGE = 2**63


def text(content: bytes) -> bytes:
    return struct.pack("<Q", len(content)) + content


def head(tensors: int = 0, entries: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, entries)


def entry(key: bytes, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def tensor(name: bytes, dimensions: list[int], kind: int, offset: int) -> bytes:
    sizes = struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *dimensions)
    return text(name) + sizes + struct.pack("<IQ", kind, offset)


HOSTILE = {
    "empty": (b"", "empty"),
    "another format": (b"PK\x03\x04" + bytes(100), "no GGUF file"),
    "git-lfs pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:", "no GGUF"),
    "big-endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "version"),
    "version 1": (head(version=1), "version 1"),
    "ends in the head": (head()[:13], "ends inside"),
    "2^63 tensors": (head(tensors=HUGE), "tensors"),
    "2^63 entries": (head(entries=HUGE), "metadata entries"),
    "name of 2^63 bytes": (head(entries=1) + struct.pack("<Q", HUGE), "ends inside"),
    "text of 2^63 bytes": (
        head(entries=1) + entry(b"k", STRING, struct.pack("<Q", HUGE)),
        "ends inside",
    ),
    "array of 2^63 texts": (
        head(entries=1) + entry(b"k", ARRAY, struct.pack("<IQ", STRING, HUGE)),
        "ends inside",
    ),
    "array of 2^61 numbers": (
        head(entries=1) + entry(b"k", ARRAY, struct.pack("<IQ", UINT32, HUGE // 4)),
        "ends inside",
    ),
    "array of arrays": (
        head(entries=1) + entry(b"k", ARRAY, struct.pack("<IQ", ARRAY, 1) + bytes(64)),
        "unknown type 9",
    ),
    "unknown type": (head(entries=1) + entry(b"k", 77, bytes(8)), "unknown type 77"),
    "empty key": (head(entries=1) + entry(b"", UINT32, bytes(4)), "name ''"),
    "control characters": (head(entries=1) + entry(b"a\x1b[2J", UINT32, bytes(4)), "name"),
    "not UTF-8": (head(entries=1) + entry(b"k", STRING, text(b"\xff\xfe")), "UTF-8"),
    "a key twice": (head(entries=2) + entry(b"k", UINT32, bytes(4)) * 2, "k twice"),
    "alignment 0": (
        head(entries=1) + entry(b"general.alignment", UINT32, struct.pack("<I", 0)),
        "general.alignment",
    ),
    "no dimension": (head(tensors=1) + tensor(b"t", [], 0, 0), "0 dimensions"),
    "five dimensions": (head(tensors=1) + tensor(b"t", [1] * 5, 0, 0), "5 dimensions"),
    "a dimension of 0": (head(tensors=1) + tensor(b"t", [32, 0], 0, 0), "rows of 32"),
    "half a block": (head(tensors=1) + tensor(b"t", [48], 8, 0), "rows of 48 Q8_0"),
    "2^63 weights": (head(tensors=1) + tensor(b"t", [HUGE], 0, 0), "behind the end"),
    "product that wraps": (head(tensors=1) + tensor(b"t", [2**33, 2**33], 0, 0), "behind the end"),
    "offset that wraps": (
        head(tensors=1) + tensor(b"t", [8], 0, 2**64 - 32) + bytes(256),
        "behind the end",
    ),
    "a tensor twice": (
        head(tensors=2) + tensor(b"t", [8], 0, 0) + tensor(b"t", [8], 0, 32) + bytes(256),
        "one tensor twice",
    ),
    "overlap": (
        head(tensors=2) + tensor(b"t", [8], 0, 0) + tensor(b"u", [8], 0, 16) + bytes(256),
        "overlaps",
    ),
}


@pytest.mark.parametrize("content, said", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_header_is_refused_at_once(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.gguf"
    path.write_bytes(content)
    before = time.process_time()
    with pytest.raises(GgufInvalid, match=said):
        read_gguf(path)
    assert time.process_time() - before < 1


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory, write_llama: Writer) -> bytes:
    return write_llama(tmp_path_factory.mktemp("gguf") / GGUF_NAME).read_bytes()


def test_every_truncation_is_refused(tiny: bytes, tmp_path: Path) -> None:
    path = tmp_path / GGUF_NAME
    for length in range(0, len(tiny), 97):
        path.write_bytes(tiny[:length])
        with pytest.raises(GgufInvalid):
            convert(tmp_path, lambda done, total: None)
        assert list(tmp_path.iterdir()) == [path]


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_damaged_header_converts_or_is_refused(
    data: st.DataObject, tiny: bytes, tmp_path: Path
) -> None:
    """Whatever the bytes say: no other error, no hang, no memory that the file does not have."""
    damaged = bytearray(tiny)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(4, 6000))
        damaged[place] = data.draw(st.sampled_from([0, 1, 2, 9, 0x7F, 0x80, 0xFF]))
    (tmp_path / GGUF_NAME).write_bytes(damaged)
    try:
        convert(tmp_path, lambda done, total: None)
    except (GgufInvalid, ConversionUnsupported) as error:
        assert "\n" not in str(error)


UNSUPPORTED = {
    "architecture": ({"architecture": "qwen2"}, "'qwen2'"),
    "tokenizer": ({"tokenizer": "llama"}, "'llama'"),
    "pre-tokenizer": ({"pre": "deepseek-llm"}, "'deepseek-llm'"),
    "RoPE scaling": ({"llama__rope__scaling__type": "yarn"}, "'yarn'"),
    "partial RoPE": ({"llama__rope__dimension_count": 8}, "RoPE over 8 of 16"),
    "experts": ({"llama__expert_count": 8}, "experts"),
    "a bomb of angles": (
        {"llama__attention__key_length": 2048, "llama__context_length": 131072},
        "1024 MiB of 256",
    ),
    "biases": ({"extra_tensor": "blk.0.attn_q.bias"}, "blk.0.attn_q.bias"),
    "BF16": ({"matrix": "BF16"}, "type BF16"),
    "Q5_0": ({"matrix": "Q5_0"}, "type Q5_0"),
}


@pytest.mark.parametrize("written, named", UNSUPPORTED.values(), ids=list(UNSUPPORTED))
def test_what_is_not_supported_is_named(
    written: dict[str, str], named: str, tmp_path: Path, write_llama: Writer
) -> None:
    write_llama(tmp_path / GGUF_NAME, **written)
    with pytest.raises(ConversionUnsupported, match=named) as raised:
        convert(tmp_path, lambda done, total: None)
    assert "\n" not in str(raised.value)


CONTRADICTIONS = {
    "more layers than tensors": ({"llama__block_count": 3}, "no tensor blk.2"),
    "heads that do not divide": ({"llama__attention__head_count_kv": 3}, "4 heads"),
    "another width": ({"llama__embedding_length": 32}, "64, not"),
    "no context": ({"llama__context_length": 0}, "context_length"),
    "a billion layers": ({"llama__block_count": 10**9}, "block_count"),
    "a billion positions": ({"llama__context_length": 10**9}, "context_length"),
    "end token outside": ({"tokenizer__ggml__eos_token_id": 10**6}, "eos_token_id"),
    "negative base": ({"llama__rope__freq_base": -1.0}, "freq_base"),
}


@pytest.mark.parametrize("written, named", CONTRADICTIONS.values(), ids=list(CONTRADICTIONS))
def test_a_header_that_contradicts_its_tensors_is_refused(
    written: dict[str, int], named: str, tmp_path: Path, write_llama: Writer
) -> None:
    write_llama(tmp_path / GGUF_NAME, **written)
    with pytest.raises(GgufInvalid, match=named):
        convert(tmp_path, lambda done, total: None)


@pytest.mark.parametrize("kind", ["Q4_0", "Q4_1", "Q8_0", "F16", "F32"])
def test_weights_are_those_that_llama_cpp_reads(
    kind: str, tmp_path: Path, write_llama: Writer
) -> None:
    path = write_llama(tmp_path / GGUF_NAME, matrix=kind)
    expected = {
        t.name: gguf.dequantize(t.data, t.tensor_type) for t in gguf.GGUFReader(path).tensors
    }
    file = read_gguf(path)
    found = matrix(file, file.tensors["blk.1.ffn_down.weight"])
    if isinstance(found, Blocks):
        quants = found.quants.astype(np.float32) - found.zero
        offsets = 0 if found.offsets is None else found.offsets[..., None]
        found = (quants * found.scales[..., None] + offsets).reshape(found.rows, -1)
    np.testing.assert_allclose(found, expected["blk.1.ffn_down.weight"], rtol=0, atol=1e-6)
