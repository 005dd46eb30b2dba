"""Values as the events of a stream: server-sent events, or one JSON value a line."""

import json
from typing import Any, Protocol

from pageside.audit.pace.faults import Faults

# What a stream carries: a JSON value, or a bare word such as OpenAI's `[DONE]`.
Payload = dict[str, Any] | str

# Noise comes before every third event, so that events without it stay in between.
_NOISE_EVERY = 3

# Compact, as most servers write; characters as themselves, so that bytes can be cut inside them.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def json_bytes(value: Any) -> bytes:
    return _encode(value).encode()


class Framing(Protocol):
    def frame(self, payload: Payload) -> bytes:
        """One event."""

    def reading(self) -> bytes:
        """What is said while the prompt is read; empty for nothing."""


class Sse:
    """`data: …` and an empty line."""

    media_type = "text/event-stream"

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._end = b"\r\n" if faults.crlf else b"\n"
        self._field = b"data:" if faults.no_space else b"data: "
        self._events = 0

    def frame(self, payload: Payload) -> bytes:
        noise = self._noise() if self._events % _NOISE_EVERY == 0 else b""
        self._events += 1
        text = payload.encode() if isinstance(payload, str) else json_bytes(payload)
        return noise + self._field + text + self._end + self._end

    def reading(self) -> bytes:
        lines = b""
        if self._faults.comments:
            lines += b": PROCESSING" + self._end + self._end
        if self._faults.heartbeats:
            lines += b":" + self._end + self._end
        return lines

    def _noise(self) -> bytes:
        lines = b""
        if self._faults.comments:
            lines += b": ping" + self._end + self._end
        if self._faults.empty_data:
            lines += b"data:" + self._end + self._end
        if self._faults.heartbeats:
            # The second belongs to the event that follows.
            lines += b":" + self._end + self._end + b":" + self._end
        return lines


class Lines:
    """One JSON value a line."""

    media_type = "application/x-ndjson"

    def __init__(self, faults: Faults) -> None:
        self._end = b"\r\n" if faults.crlf else b"\n"

    def frame(self, payload: Payload) -> bytes:
        return json_bytes(payload) + self._end

    def reading(self) -> bytes:
        return b""
