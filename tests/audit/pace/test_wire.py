"""Where chunks begin and end, and when a token has gone."""

import random

import pytest

from pageside.audit.pace.faults import Faults
from pageside.audit.pace.wire import Wire, borders_of

from .conftest import TEXT

FAULTS = {
    "none": Faults(),
    "split_codepoints": Faults(split_codepoints=True),
    "byte_by_byte": Faults(byte_by_byte=True),
    **{f"split {seed}": Faults(split=True, seed=seed) for seed in range(20)},
}


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("put_seed", range(5))
def test_nothing_is_lost_and_a_token_goes_with_its_last_byte(faults, put_seed):
    draw = random.Random(put_seed)
    out = Wire(borders_of(faults))
    tokens = list(TEXT * 4)
    sent, gone, ends, size = b"", [], [], 0
    for place, token in enumerate(tokens):
        framed = f"data: {token}\n\n".encode()
        size += len(framed)
        ends.append(size)
        out.put(framed, token)
        if draw.random() < 0.3 or place == len(tokens) - 1:
            for chunk in out.chunks(last=place == len(tokens) - 1):
                assert chunk
                sent += chunk
                gone += out.gone()
                assert len(gone) == sum(end <= len(sent) for end in ends)
    assert sent == "".join(f"data: {token}\n\n" for token in tokens).encode()
    assert gone == tokens and out.held_bytes == 0


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_borders_depend_on_the_bytes_and_the_seed_not_on_when_they_come(faults):
    content = (TEXT * 50).encode()

    def cut(*sizes):
        out, chunks, rest = Wire(borders_of(faults)), [], content
        for size in sizes:
            out.put(rest[:size])
            rest = rest[size:]
            chunks += out.chunks()
        out.put(rest)
        return chunks + list(out.chunks(last=True))

    if faults.split or faults.byte_by_byte:
        assert cut() == cut(1, 700, 3, 500) == cut(*[10] * 100)
    assert cut() == cut()


def test_another_seed_is_another_cut():
    cuts = []
    for seed in range(10):
        out = Wire(borders_of(Faults(split=True, seed=seed)))
        out.put(bytes(10_000))
        cuts.append(tuple(map(len, out.chunks(last=True))))
    assert len(set(cuts)) == 10


def test_every_character_of_several_bytes_is_cut_inside():
    out = Wire(borders_of(Faults(split_codepoints=True)))
    out.put(TEXT.encode())
    chunks = list(out.chunks(last=True))
    assert len(chunks) == 1 + sum(ord(character) > 127 for character in TEXT)
    for chunk in chunks[:-1]:
        with pytest.raises(UnicodeDecodeError):
            chunk.decode()
