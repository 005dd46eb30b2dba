"""The digest of what arrives in pieces is hashlib's of the whole."""

import hashlib

import numpy as np
import pytest

from .conftest import Kernels, Room


@pytest.mark.parametrize("size", [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 1000, 70_001])
@pytest.mark.parametrize("piece", [1, 7, 63, 64, 65, 1 << 20])
def test_the_digest_is_hashlibs(compiled: Kernels, size: int, piece: int) -> None:
    content = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
    _, digest = compiled.call("test_hash", content, size, piece, Room(32))
    assert digest.tobytes() == hashlib.sha256(content.tobytes()).digest()
