"""When each event of an answer is due."""

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pageside.audit.errors import PaceInvalid
from pageside.server.script import DURATION_MS_MAX, Event

# How often a prefill tells how far it is; a real server tells after every batch of the prompt.
_PROGRESS_PARTS = 4


@dataclass(frozen=True)
class Step:
    """`due_s` counts from the request; `fraction` is how much of the prompt has been read."""

    due_s: float
    kind: Literal["progress", "text", "error", "crash", "end", "release", "gate"]
    text: str = ""
    fraction: float = 0


def steady(
    tokens: Iterable[str],
    rate: float,
    *,
    jitter: float = 0.0,
    burst: int = 1,
    prefill_ms: float = 0,
    stall_every: int = 0,
    stall_ms: float = 0,
    seed: int = 0,
) -> list[Event]:
    """`tokens` at `rate` a second (infinity: as fast as they are taken), as one answer.

    The first is due when the prefill ends. `burst` tokens come at once, and then as long nothing
    as they should have taken. `jitter` 0.3 makes each wait 0.7 to 1.3 times as long, drawn from
    `seed`; the rate stays what it is on average. A stall of `stall_ms` comes after every
    `stall_every` tokens. PaceInvalid if a figure cannot be meant.
    """
    _check(rate=rate, jitter=jitter, burst=burst, stall_every=stall_every)
    for name, ms in (("prefill_ms", prefill_ms), ("stall_ms", stall_ms)):
        if not 0 <= ms <= DURATION_MS_MAX:
            raise PaceInvalid(f"{name} {ms} is not from 0 to {DURATION_MS_MAX}")
    draw = random.Random(seed)
    events = [Event("prefill", ms=prefill_ms)] if prefill_ms else []
    for place, text in enumerate(tokens):
        if place and stall_every and place % stall_every == 0:
            events.append(Event("stall", ms=stall_ms))
        wait_ms = burst * 1000 / rate if place and place % burst == 0 else 0.0
        events.append(Event("text", text=text, ms=wait_ms * (1 + draw.uniform(-jitter, jitter))))
    return events


def _check(*, rate: float, jitter: float, burst: int, stall_every: int) -> None:
    if not rate > 0:  # NaN too
        raise PaceInvalid(f"a rate of {rate} tokens a second is not above 0")
    if not 0 <= jitter <= 1:
        raise PaceInvalid(f"a jitter of {jitter} is not from 0 to 1")
    if burst < 1:
        raise PaceInvalid(f"a burst of {burst} tokens is not at least 1")
    if stall_every < 0:
        raise PaceInvalid(f"a stall every {stall_every} tokens: not a number of tokens")


def answers_of(events: Sequence[Event]) -> list[list[Event]]:
    """The answers that `end` events separate; at least one, be it empty."""
    answers: list[list[Event]] = [[]]
    for event in events:
        if event.kind == "end":
            answers.append([])
        else:
            answers[-1].append(event)
    # The script's last line may be its last answer's end.
    return answers if answers[-1] or len(answers) == 1 else answers[:-1]


def timeline(events: Iterable[Event]) -> Iterator[Step]:
    """The steps of one answer; the last one, and no other, is an end, an error or a crash."""
    due_s = 0.0
    reading = True
    for event in events:
        if reading and event.kind == "prefill":
            for part in range(_PROGRESS_PARTS + 1):
                fraction = part / _PROGRESS_PARTS
                yield Step(due_s + fraction * event.ms / 1000, "progress", fraction=fraction)
            reading = False
        if event.kind == "text" and reading:
            yield from _read_at_once(due_s)
            reading = False
        if event.ms == math.inf:
            yield Step(due_s, "gate")
            continue
        due_s += event.ms / 1000
        if event.kind == "text":
            yield Step(due_s, "text", event.text)
        elif event.kind == "error" or event.kind == "crash":
            yield Step(due_s, event.kind, event.text)
            return
    if reading:
        yield from _read_at_once(due_s)
    yield Step(due_s, "end")


def _read_at_once(due_s: float) -> Iterator[Step]:
    yield Step(due_s, "progress", fraction=0)
    yield Step(due_s, "progress", fraction=1)


def with_releases(steps: Iterable[Step], every_s: float) -> Iterator[Step]:
    """`steps`, and between them a release every `every_s` seconds."""
    release_s = every_s
    for step in steps:
        while release_s < step.due_s:
            yield Step(release_s, "release")
            release_s += every_s
        yield step


def ended_after(events: Iterable[Event], tokens: int, end: Event) -> Iterator[Event]:
    """The first `tokens` tokens of `events`, or all of them if there are fewer, then `end`.

    An error or a crash of the script's own that comes before stays the end.
    """
    left = tokens
    for event in events:
        if event.kind == "text":
            if left == 0:
                break
            left -= 1
        yield event
        if event.kind == "error" or event.kind == "crash":
            return
    yield end
