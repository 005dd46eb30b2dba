"""What the main thread did, counted: layouts, style recalculations, long frames, live nodes."""

from collections.abc import Iterable
from dataclasses import dataclass

from pageside.audit.trace.events import Event, argument, cpu_us, data, named, section

# As the Long Animation Frames API has it.
_LONG_FRAME_MS = 50.0


@dataclass(frozen=True)
class Layout:
    """`dirty_objects` had to be laid out, of `total_objects` on the page."""

    start_ms: float
    cpu_ms: float
    dirty_objects: int
    total_objects: int


@dataclass(frozen=True)
class Restyle:
    """One style recalculation of `elements` elements."""

    start_ms: float
    cpu_ms: float
    elements: int


@dataclass(frozen=True)
class LongFrame:
    """A frame of 50 ms and more, as Long Animation Frames count them."""

    start_ms: float
    duration_ms: float
    blocking_ms: float


@dataclass(frozen=True)
class Counters:
    """Live DOM nodes and JavaScript heap in use, garbage included."""

    at_ms: float
    nodes: int
    heap_bytes: int


def read_layouts(events: Iterable[Event], begin: float) -> tuple[Layout, ...]:
    return tuple(
        Layout(
            start_ms=(event["ts"] - begin) / 1000,
            cpu_ms=cpu_us(event) / 1000,
            dirty_objects=before.get("dirtyObjects", 0),
            total_objects=before.get("totalObjects", 0),
        )
        for event in named(events, "Layout")
        if (before := section(event, "beginData"))
    )


def read_restyles(events: Iterable[Event], begin: float) -> tuple[Restyle, ...]:
    return tuple(
        Restyle(
            start_ms=(event["ts"] - begin) / 1000,
            cpu_ms=cpu_us(event) / 1000,
            elements=argument(event, "elementCount") or 0,
        )
        for event in named(events, "UpdateLayoutTree")
    )


def read_long_frames(events: Iterable[Event], begin: float) -> tuple[LongFrame, ...]:
    frames = []
    for event in named(events, "AnimationFrame"):
        timing = section(event, "animation_frame_timing_info")
        if timing.get("duration_ms", 0) >= _LONG_FRAME_MS:
            frames.append(
                LongFrame(
                    start_ms=(event["ts"] - begin) / 1000,
                    duration_ms=timing["duration_ms"],
                    blocking_ms=timing.get("blocking_duration_ms", 0),
                )
            )
    return tuple(frames)


def read_counters(events: Iterable[Event], begin: float) -> tuple[Counters, ...]:
    return tuple(
        Counters(
            at_ms=(event["ts"] - begin) / 1000,
            nodes=data(event).get("nodes", 0),
            heap_bytes=data(event).get("jsHeapSizeUsed", 0),
        )
        for event in named(events, "UpdateCounters")
        if "nodes" in data(event)
    )
