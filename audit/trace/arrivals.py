"""When the bytes of a network response reached a thread of the page."""

from collections.abc import Iterable
from dataclasses import dataclass

from pageside.audit.trace.events import Event, data, named

# A page's own files are no stream. What fetch asks for is "Other", and so not here.
_FILES = {"Document", "Stylesheet", "Image", "Font", "Script", "Media", "Manifest", "Favicon"}

_RECEIVED = ("ResourceReceivedData", "WebSocketReceive")


@dataclass(frozen=True)
class Arrival:
    """`size_bytes` as encoded, with the framing; `request` tells responses apart."""

    at_s: float
    size_bytes: int
    request: str


def read_arrivals(process: Iterable[Event]) -> list[Arrival]:
    """Arrivals of fetch, XHR, EventSource and WebSocket on all threads, in order."""
    process = list(process)
    asked = {
        data(event).get("requestId"): data(event).get("resourceType")
        for event in named(process, "ResourceSendRequest")
    }
    answered = {data(event).get("requestId") for event in named(process, "ResourceReceiveResponse")}
    files = {request for request, kind in asked.items() if kind in _FILES}
    files |= answered - asked.keys()  # a worker's own script, which no thread asked for
    arrivals = [
        Arrival(event["ts"] / 1e6, _size(event), _request(event))
        for event in named(process, *_RECEIVED)
        if data(event).get("requestId") not in files
    ]
    return sorted(arrivals, key=lambda arrival: arrival.at_s)


def _size(event: Event) -> int:
    size: int = data(event).get("encodedDataLength", data(event).get("dataLength", 0))
    return size


def _request(event: Event) -> str:
    return str(data(event).get("requestId", data(event).get("identifier", "")))
