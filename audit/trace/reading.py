"""A trace: the marks a page left in it, and the windows between them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from pageside.audit.errors import TraceInvalid
from pageside.audit.trace.arrivals import Arrival, read_arrivals
from pageside.audit.trace.blame import Profile
from pageside.audit.trace.events import Event, Log, Thread, named, parse, sort
from pageside.audit.trace.frames import Presentations, Refresh, layer_tree, of_tree
from pageside.audit.trace.tasks import Span, read_tasks
from pageside.audit.trace.updates import Commit, read_updates
from pageside.audit.trace.window import Window


@dataclass(frozen=True)
class Renderer:
    """All that is read once of the page's process; times in the trace's microseconds."""

    main: list[Event]
    tasks: list[Span]
    updates: list[Commit]
    refresh: Refresh
    reporters: list[Event]
    arrivals: list[Arrival]
    gpu: list[Span]
    profile: Profile


class Trace:
    """Of any trace that has the page's user timing marks, `record`'s or one that DevTools saved."""

    def __init__(self, events: Iterable[Event]) -> None:
        """Raises TraceInvalid."""
        self._log = sort(list(events))
        self._renderers: dict[Thread, Renderer] = {}

    @classmethod
    def parse(cls, content: bytes | str) -> "Trace":
        """Raises TraceInvalid."""
        return cls(parse(content))

    @cached_property
    def marks(self) -> Mapping[str, tuple[tuple[Thread, float], ...]]:
        """Where and when each mark was made, in order of time."""
        found: dict[str, list[tuple[Thread, float]]] = {}
        for thread, events in self._log.by_thread.items():
            for event in events:
                if event["ph"] in "IiRn" and "blink.user_timing" in event.get("cat", ""):
                    found.setdefault(event["name"], []).append((thread, event["ts"]))
        return {
            name: tuple(sorted(places, key=lambda place: place[1]))
            for name, places in found.items()
        }

    def window(self, begin_mark: str, end_mark: str) -> Window:
        """What the main thread did from the last `begin_mark` to the first `end_mark` after it.

        Raises TraceInvalid if a mark is missing or they are of two threads.
        """
        thread, begin = self._places(begin_mark)[-1]
        ends = [ts for other, ts in self._places(end_mark) if other == thread and ts >= begin]
        if not ends:
            raise TraceInvalid(
                f'no mark "{end_mark}" follows "{begin_mark}" on the thread that carries it',
                hint="the page was left, or reloaded, while it was measured; measure again",
            )
        return Window(self._renderer(thread), begin, ends[0])

    def between(self, mark: str, begin_s: float, end_s: float) -> Window:
        """What the main thread that carries `mark` did between two moments of the monotonic clock,
        which is also the trace's: a thread that cannot keep up would set marks too late.

        Raises TraceInvalid if the mark is missing.
        """
        thread, _ = self._places(mark)[-1]
        return Window(self._renderer(thread), begin_s * 1e6, end_s * 1e6)

    def _places(self, mark: str) -> tuple[tuple[Thread, float], ...]:
        try:
            return self.marks[mark]
        except KeyError:
            raise TraceInvalid(
                f'the trace has no mark "{mark}"',
                hint="record blink.user_timing, and mark inside the recording"
                + (f"; it has {', '.join(sorted(self.marks)[:5])}" if self.marks else ""),
            ) from None

    def _renderer(self, main: Thread) -> Renderer:
        if main not in self._renderers:
            self._renderers[main] = _read_renderer(self._log, main)
        return self._renderers[main]


def _read_renderer(log: Log, main: Thread) -> Renderer:
    process = log.of_process(main[0])
    others = [event for event in process if event["tid"] != main[1]]
    tasks = read_tasks(log.by_thread[main])
    if not tasks:
        raise TraceInvalid(
            "the trace has no tasks of the page's main thread",
            hint="record disabled-by-default-devtools.timeline",
        )
    tree = layer_tree(log.by_thread[main])
    refresh = Refresh.read(of_tree(named(others, "BeginFrame"), tree))
    reporters = named(others, "PipelineReporter")
    gpu = [
        span
        for thread in log.threads_named("GPU Process", "CrGpuMain")
        for span in read_tasks(log.by_thread.get(thread, []))
    ]
    return Renderer(
        main=log.by_thread[main],
        tasks=tasks,
        updates=read_updates(log.by_thread[main], others, refresh, Presentations(reporters)),
        refresh=refresh,
        reporters=reporters,
        arrivals=read_arrivals(process),
        gpu=gpu,
        profile=Profile.read(process, main[1], tasks),
    )
