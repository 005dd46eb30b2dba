"""Where the chunks of a response begin and end, and which tokens have gone out with them."""

import random
import re
from collections import deque
from collections.abc import Callable, Iterator

from pageside.audit.pace.faults import Faults

# How many of the held bytes make the next chunk; 0: none before more is held.
Borders = Callable[[bytearray], int]

_LEAD_BYTE = re.compile(rb"[\xc0-\xff]")


class Wire:
    """Bytes on their way out, in chunks; each token counts as gone with its last byte."""

    def __init__(self, borders: Borders = len) -> None:
        self._borders = borders
        self._held = bytearray()
        self._put = 0
        self._gone = 0
        self._tokens: deque[tuple[int, str]] = deque()

    @property
    def held_bytes(self) -> int:
        return len(self._held)

    def put(self, content: bytes, token: str | None = None) -> None:
        """`token` is the text that `content` carries to the reader."""
        self._held += content
        self._put += len(content)
        if token is not None:
            self._tokens.append((self._put, token))

    def chunks(self, *, last: bool = False) -> Iterator[bytes]:
        """What may go now; with `last` everything."""
        while self._held:
            size = min(self._borders(self._held), len(self._held))
            if size == 0:
                if not last:
                    return
                size = len(self._held)
            chunk = bytes(self._held[:size])
            del self._held[:size]
            self._gone += size
            yield chunk

    def gone(self) -> list[str]:
        """The tokens that have gone since the last call."""
        tokens = []
        while self._tokens and self._tokens[0][0] <= self._gone:
            tokens.append(self._tokens.popleft()[1])
        return tokens


def borders_of(faults: Faults) -> Borders:
    """A fresh set of borders: the same bytes are cut alike in every answer."""
    if faults.byte_by_byte:
        return _one_byte
    if faults.split_codepoints:
        return _inside_character
    if faults.split:
        return _Drawn(faults.seed)
    return len


def _one_byte(held: bytearray) -> int:
    return 1


def _inside_character(held: bytearray) -> int:
    lead = _LEAD_BYTE.search(held)
    return lead.end() if lead else len(held)


class _Drawn:
    """Half of the chunks are 1-40 bytes, parts of an event; the others hold a few events."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._next = self._draw()

    def __call__(self, held: bytearray) -> int:
        size = self._next
        if size > len(held):
            return 0
        self._next = self._draw()
        return size

    def _draw(self) -> int:
        few = self._random.random() < 0.5
        return self._random.randint(1, 40) if few else self._random.randint(41, 900)
