"""What one playing of a scenario recorded."""

from dataclasses import dataclass, field

from pageside.audit.counters import Span
from pageside.audit.pace import Delivery
from pageside.audit.probe import Evidence
from pageside.audit.scenarios import Kind, Scenario
from pageside.audit.trace import Window
from pageside.server.script import Event


@dataclass
class Take:
    """What one take recorded; times in monotonic seconds, words by their numbers.

    `idle_span` and `stream_span` are by the counters: nothing arriving, text arriving; `own_ms`
    is what the audit itself adds to a span. `stream` and `shown` are windows of the trace: text
    arriving, and the time after a hidden page was shown. `moments` are what the audit did:
    "stop", "hide", "show". `grown` are live nodes and heap bytes more than before. `words` are
    those of the answer on the page at the end. `loop_ms` is a fixed piece of JavaScript,
    `throttled` how many times longer it took under a throttle. `held_back`: what the upstream had
    written before the measured parts did not reach the page by itself.
    """

    scenario: Scenario
    kind: Kind
    run: int
    idle_span: Span | None = None
    stream_span: Span | None = None
    stream: Window | None = None
    shown: Window | None = None
    emitted_s: list[float] = field(default_factory=list)
    written_before: list[Event] = field(default_factory=list)
    parts: list[list[Event]] = field(default_factory=list)
    evidence: Evidence | None = None
    moments: dict[str, float] = field(default_factory=dict)
    words: list[int] = field(default_factory=list)
    held_back: bool = False
    finished: bool = False
    delivery: Delivery | None = None
    own_ms: float = 0.0
    grown: tuple[int, int] | None = None
    trace_json: bytes = b""
    lateness_p95_ms: float = 0.0
    load_average: float | None = None
    loop_ms: float = 0.0
    asked_throttle: float = 1.0
    throttled: float | None = None
    title: str = ""
    notes: list[str] = field(default_factory=list)
    clock_uncertainty_s: float = 0.0

    @property
    def first(self) -> int:
        """The number of the first measured word."""
        return self.scenario.before

    @property
    def count(self) -> int:
        return self.scenario.count(self.kind)

    def words_before(self, part: int) -> int:
        """The number of the part's first word."""
        parts = self.parts[:part] if part >= 0 else self.parts[:-1]
        return self.first + sum(map(text_count, parts))

    @property
    def last(self) -> int:
        return self.first + self.count - 1


def text_count(events: list[Event]) -> int:
    """Of the events that bring text: one a token."""
    return sum(event.kind == "text" for event in events)
