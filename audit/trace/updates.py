"""A page's visible updates: asked for, committed by the main thread, presented.

    asked for    the first request for a frame since the main frame before
    sent         the compositor asks the main thread for that frame
    committed    the main thread hands over what it has drawn
    presented    the compositor's frame with it is on the screen

A refresh slot counts as missed from the update's own life, not from the compositor's verdicts:
those call the same late update "dropped" on a still page and "partly presented" beside a spinner.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from pageside.audit.trace.events import Event, argument, end_us, named
from pageside.audit.trace.frames import Presentations, Refresh, layer_tree, layer_tree_of

_REQUESTS = {
    "RequestAnimationFrame",
    "ScheduleStyleRecalculation",
    "InvalidateLayout",
    "ScheduleAnimation",
}

# A frame without any of them, such as an idle animation loop's, shows nothing new.
_CHANGES = {"UpdateLayoutTree", "Layout", "Paint"}


@dataclass(frozen=True)
class Update:
    """Times are from the window's begin; `presented_ms` is None where nothing in sight changed.

    `cpu_ms` is all the main thread did since the update before. Missed slots are refresh slots
    in which the update could have been shown and was not: `missed_by_main` while the main
    thread had been asked for it, `missed_by_presentation` while the compositor or the GPU kept
    it waiting, before or after.
    """

    requested_ms: float
    committed_ms: float
    presented_ms: float | None
    cpu_ms: float
    missed_by_main: int
    missed_by_presentation: int

    @property
    def missed_slots(self) -> int:
        return self.missed_by_main + self.missed_by_presentation


@dataclass(frozen=True)
class Commit:
    """An update in the trace's own microseconds."""

    requested: float
    sent: float
    committed: float
    presented: float | None
    missed_by_main: int
    missed_by_presentation: int


def read_updates(
    main: Sequence[Event],
    compositor: Sequence[Event],
    refresh: Refresh,
    presentations: Presentations,
) -> list[Commit]:
    """One for each commit of the page's layer tree that changed something.

    The main thread's events are in order; `compositor` are those of the process' other threads.
    """
    tree = layer_tree(main)
    # `RequestMainThreadFrame` is written after the fact, at times after the main thread began.
    sent_at = sorted(
        e["ts"] for e in named(compositor, "SendBeginMainFrameToCommit") if e["ph"] == "b"
    )
    frames = _Frames(sent_at)
    commits: list[Commit] = []
    for event in main:
        name = event["name"]
        if name == "RunTask":
            frames.task(event)
        elif name in _REQUESTS:
            frames.request(event)
        elif name in _CHANGES:
            frames.changed = True
        elif name == "BeginMainThreadFrame" and layer_tree_of(event) == tree:
            frames.begin(event["ts"])
        elif name == "Commit" and event["ph"] == "X" and layer_tree_of(event) == tree:
            made = frames.commit(event)
            shown = presentations.of(argument(event, "frameSeqId"), event["ts"])
            if made is not None and (frames.changed or shown is not None):
                commits.append(_commit(*made, end_us(event), shown, refresh))
    return commits


class _Frames:
    """Follows the main thread from request to commit."""

    def __init__(self, sent_at: Sequence[float]) -> None:
        self.changed = False  # in the frame that is being made, or that was made last
        self._sent_at = sent_at
        self._task_end = self._begun = float("-inf")
        self._asked: float | None = None
        self._making: tuple[float, float] | None = None  # (requested, sent)

    def task(self, event: Event) -> None:
        if event["ts"] >= self._task_end:
            self._task_end = end_us(event)
            self._making = None  # a frame lasts no longer than its task; that one changed nothing

    def request(self, event: Event) -> None:
        # Style and layout that a frame asks for while it is made are a part of it. A callback
        # that it asks for is not: that is for the next one.
        if self._making is None or event["name"] == "RequestAnimationFrame":
            self._asked = event["ts"] if self._asked is None else self._asked

    def begin(self, ts: float) -> None:
        before = bisect_right(self._sent_at, ts)
        sent = self._sent_at[before - 1] if before else ts
        if sent <= self._begun:
            sent = ts  # that one was for the frame before
        self._making = (sent if self._asked is None else min(self._asked, sent), sent)
        self._begun, self._asked = ts, None
        self.changed = False

    def commit(self, event: Event) -> tuple[float, float] | None:
        made, self._making = self._making, None
        if self._asked is not None:
            self._asked = end_us(event)  # no update can be shown while another is made
        return made


def _commit(
    requested: float, sent: float, committed: float, presented: float | None, refresh: Refresh
) -> Commit:
    # Nobody asked: the compositor did at its tick, as for an animation that is under way.
    due = refresh.tick_of(sent) if requested == sent else refresh.next_tick(requested)
    late = refresh.slots(due, committed)
    held_back = min(late, refresh.slots(due, sent))
    shown_late = 0
    if presented is not None:
        shown_late = refresh.slots(refresh.next_tick(committed), presented)
    return Commit(requested, sent, committed, presented, late - held_back, held_back + shown_late)
