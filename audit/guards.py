"""Whether a take measured what it says it measured: a measurement that cannot fail is a defect."""

from collections.abc import Callable, Iterable

from pageside.audit.measure import words_missing
from pageside.audit.result import Guard, Kind
from pageside.audit.take import Take

_ALL: frozenset[Kind] = frozenset({"cpu", "count", "wall"})
_CPU: frozenset[Kind] = frozenset({"cpu"})
_WALL: frozenset[Kind] = frozenset({"wall"})

MOST_LATE_MS = 50.0
MOST_IDLE_SHARE = 0.5
MOST_OWN_SHARE = 0.02
MOST_CLOCK_S = 0.02
# Of the time the tokens were to take.
MOST_PACE_OFF = 0.15
_SHORT_S = 1.0
# Of what was asked: the loop is timed on a machine that does other things too.
LEAST_THROTTLED = 0.6


# What the machine did and not the page, so that another take may hold.
_OF_THE_MACHINE = frozenset({"machine", "throttle"})


def guards(take: Take) -> list[Guard]:
    """Those that apply to the take."""
    checks = [check(take) for check in _CHECKS]
    return [guard for guard in checks if guard is not None]


def disturbed(found: Iterable[Guard]) -> list[Guard]:
    """Those by which the take is to be played again: the machine was too busy to measure in."""
    return [guard for guard in found if not guard.holds and guard.name in _OF_THE_MACHINE]


def _painted(take: Take) -> Guard:
    """Characters painted = characters sent, in order: a page that paints nothing costs nothing."""
    missing = words_missing(take)
    shown = len(take.words)
    detail = f"{shown} words on the page at the end, {missing} missing or out of place"
    return _guard("painted", take, missing == 0 and shown > 0, detail, _CPU | _WALL)


def _pace(take: Take) -> Guard | None:
    """Each part's tokens were written in the time they were to take."""
    if not take.emitted_s or take.scenario.action == "stop":
        return None
    complete = len(take.emitted_s) == take.count
    planned_s = took_s = 0.0
    at = 0
    for part in take.parts:
        texts = sum(event.kind == "text" for event in part)
        times = take.emitted_s[at : at + texts]
        at += texts
        planned_s += sum(event.ms for event in part) / 1000
        took_s += times[-1] - times[0] if times else 0.0
    off = abs(took_s - planned_s) / max(planned_s, _SHORT_S)
    detail = f"{len(take.emitted_s)} tokens written in {took_s:.2f} s, planned {planned_s:.2f} s"
    return _guard("pace", take, complete and off <= MOST_PACE_OFF, detail, _ALL)


def _machine(take: Take) -> Guard:
    late = take.lateness_p95_ms
    load = "" if take.load_average is None else f"; load average {take.load_average:.1f}"
    loop = f"; a fixed loop in the page took {take.loop_ms:.1f} ms" if take.loop_ms else ""
    detail = f"95 % of timers in this process fired within {late:.1f} ms of their time{load}{loop}"
    return _guard("machine", take, late <= MOST_LATE_MS, detail, _WALL)


def _idle(take: Take) -> Guard | None:
    if take.idle_span is None:
        return None
    share = take.idle_span.cpu_share
    detail = f"main thread {100 * share:.1f} % busy while nothing arrived"
    return _guard("idle control", take, share <= MOST_IDLE_SHARE, detail, _CPU)


def _observer(take: Take) -> Guard | None:
    """The audit's own commands in the window that CPU figures come from."""
    span = take.stream_span
    if span is None or not span.cpu_ms:
        return None
    share = take.own_ms / span.cpu_ms
    detail = (
        f"the audit's own commands took {take.own_ms:.2f} ms of {span.cpu_ms:.0f} ms "
        f"of main-thread CPU, {100 * share:.2f} %{_trace_cost(take)}"
    )
    return _guard("observer", take, share <= MOST_OWN_SHARE, detail, _CPU)


def _trace_cost(take: Take) -> str:
    span, window = take.stream_span, take.stream
    if span is None or window is None or take.scenario.is_firehose:
        return ""
    traced = window.cpu_ms / window.duration_ms
    return f"; traced, the same stream took {100 * (traced / span.cpu_share - 1):+.0f} %"


def _clock(take: Take) -> Guard | None:
    if take.evidence is None:
        return None
    uncertain_s = take.clock_uncertainty_s
    detail = f"the page's clock is known to {1000 * uncertain_s:.1f} ms"
    return _guard("clock", take, uncertain_s <= MOST_CLOCK_S, detail, _WALL)


def _throttle(take: Take) -> Guard | None:
    """The throttle that was asked for really applied."""
    if take.throttled is None or take.asked_throttle <= 1:
        return None
    asked = take.asked_throttle
    detail = f"a fixed loop took {take.throttled:.1f} times as long, asked: {asked:g} times"
    holds = take.throttled >= LEAST_THROTTLED * asked
    return _guard("throttle", take, holds, detail, _WALL)


_CHECKS: tuple[Callable[[Take], Guard | None], ...] = (
    _painted,
    _pace,
    _machine,
    _idle,
    _observer,
    _clock,
    _throttle,
)


def _guard(name: str, take: Take, holds: bool, detail: str, spoils: frozenset[Kind]) -> Guard:
    return Guard(name, take.scenario.name, take.run, holds, detail, spoils)
