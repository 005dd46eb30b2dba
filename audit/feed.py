"""Where the page under test gets its text from, and when each token of it was emitted.

PaceFeed     the page, or its server, asks our upstream: every write is in its log
ScriptFeed   the page runs Pageside's scripted engine: it is given the script, and when
             tokens were emitted is known from the script and the first one seen
"""

import json
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Protocol

from playwright.async_api import BrowserContext, Route

from pageside.audit.pace import Delivery, Pace
from pageside.audit.pace.gate import GATE
from pageside.server.script import Event

_SCRIPT_PATH = "**/api/script"


class Feed(Protocol):
    """One answer at a time. `address` is where the upstream answers; "" where there is none."""

    address: str

    async def play(self, events: Sequence[Event], earlier: Sequence[Sequence[Event]]) -> None:
        """The coming prompts get `earlier`, one after the other, and then `events`."""

    def proceed(self) -> None:
        """Ends the gate in the answer (`gate`), if it is still closed."""

    def gate(self, expected_ms: float) -> Event:
        """A pause in the answer, to be measured in; it lasts at least `expected_ms`."""

    def emitted_s(self, before: int) -> list[float] | None:
        """When each token after the first `before` was emitted; None where nobody knows."""

    def delivery(self) -> Delivery | None:
        """The newest answer as the upstream saw it; None where there is no upstream."""


class PaceFeed:
    """Our own upstream; `marker` tells the audit's prompts from what else the page asks for."""

    def __init__(self, pace: Pace, marker: str) -> None:
        self.address = pace.url
        self._pace = pace
        self._marker = marker
        self._seen = 0

    async def play(self, events: Sequence[Event], earlier: Sequence[Sequence[Event]]) -> None:
        self._seen = len(self._pace.deliveries)
        self._pace.play(_in_turn([*earlier, events]), match=self._marker)

    def proceed(self) -> None:
        if (delivery := self.delivery()) is not None:
            delivery.gate.open()

    def gate(self, expected_ms: float) -> Event:
        return GATE

    def emitted_s(self, before: int) -> list[float] | None:
        delivery = self.delivery()
        if delivery is None:
            return None
        times = [sent.written_at for sent in delivery.sent for _ in range(sent.count)]
        return times[before:]

    def delivery(self) -> Delivery | None:
        new = self._pace.deliveries[self._seen :]
        return new[-1] if new else None


class ScriptFeed:
    """Pageside's scripted engine: its script is replaced on the way to the page."""

    address = ""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._script = b""

    async def play(self, events: Sequence[Event], earlier: Sequence[Sequence[Event]]) -> None:
        self._script = _lines([*earlier, events])
        # Another page's feed may have been here meanwhile.
        await self._context.unroute(_SCRIPT_PATH)
        await self._context.route(_SCRIPT_PATH, self._answer)

    def proceed(self) -> None:
        """The script's own pause ends by itself."""

    def gate(self, expected_ms: float) -> Event:
        return Event("stall", ms=expected_ms)

    def emitted_s(self, before: int) -> list[float] | None:
        return None

    def delivery(self) -> Delivery | None:
        return None

    async def _answer(self, route: Route) -> None:
        await route.fulfill(body=self._script, content_type="application/jsonl")


def _in_turn(answers: Iterable[Sequence[Event]]) -> list[Event]:
    return [event for answer in answers for event in (*answer, Event("end"))]


def _lines(answers: Iterable[Sequence[Event]]) -> bytes:
    lines = map(_line, _in_turn(answers))
    return ("\n".join(lines) + "\n").encode()


def _line(event: Event) -> str:
    fields: dict[str, object]
    match event.kind:
        case "text":
            fields = {"text": event.text, "delay_ms": event.ms}
        case "prefill" | "stall":
            fields = {f"{event.kind}_ms": event.ms}
        case "error":
            fields = {"error": event.text}
        case "crash" | "end":
            fields = {event.kind: True}
    return json.dumps(fields, ensure_ascii=False)


def scheduled_s(tokens: Sequence[Event], paints: Sequence[tuple[float, int]]) -> list[float]:
    """When tokens of a script were emitted, from their delays and from the paints (monotonic
    seconds, tokens so far): the latest start that lets no token be painted before it was emitted.

    Lags on this clock are those above the quickest paint: a constant delay does not show.
    """
    waited = accumulate(event.ms / 1000 for event in tokens)
    offsets = [at for at, event in zip(waited, tokens, strict=True) if event.kind == "text"]
    shown = [(at, count) for at, count in paints if 0 < count <= len(offsets)]
    if not shown:
        return []
    start = min(at - offsets[count - 1] for at, count in shown)
    return [start + offset for offset in offsets]
