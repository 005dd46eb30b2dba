"""What is tried on a page: each scenario is one answer, streamed in one way.

length-N     33 tokens/s onto an answer that already has N: does an update's cost grow
code-N …     the same onto an answer that is mostly code, tables, lists or maths
history-N    the same after N earlier messages
steady-R     R tokens/s, as models write
firehose-R   far faster than anyone reads: does anything fill up
burst        bursts and stalls of the same average rate
typing, scrolling, stop, hidden   what people do while it streams
block-…      one enormous fence, list, table or paragraph
"""

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pageside.audit.errors import AuditError
from pageside.audit.text import Block

Action = Literal["none", "type", "scroll", "stop", "hide"]
Profile = Literal["quick", "standard", "full"]
Kind = Literal["cost", "evidence", "counters"]

# As models write on good hardware, and as measuring.md's tables were made.
READING_RATE = 33.0
WINDOW_S = 2.5
# Beyond the window, at both of its ends.
RAMP_S = 0.9


@dataclass(frozen=True)
class Scenario:
    """`before` tokens are on the page when measuring begins; then `rate` tokens/s arrive for
    `seconds`. `burst` tokens come together, and every `stall_every` tokens `stall_ms` pass.

    `kinds`: "cost" is counters, then a trace, without a probe; "evidence" has the probe and the
    profiler; "counters" is the first part of "cost" alone, which comparisons repeat.
    """

    name: str
    title: str
    rate: float = READING_RATE
    seconds: float = WINDOW_S
    before: int = 100
    history: int = 0
    block: Block = "prose"
    burst: int = 1
    stall_every: int = 0
    stall_ms: float = 0
    action: Action = "none"
    kinds: tuple[Kind, ...] = ("cost",)

    @property
    def part_count(self) -> int:
        """Tokens of one measured part."""
        ramp_s = 0.0 if self.is_firehose or self.kinds == ("evidence",) else RAMP_S
        return max(1, round(self.rate * (self.seconds + ramp_s)))

    def count(self, kind: Kind) -> int:
        """Tokens of all measured parts: a cost take of a stream that goes on for a while has two,
        one for the counters and one for the trace."""
        return self.part_count * (2 if kind == "cost" and not self.is_firehose else 1)

    @property
    def is_firehose(self) -> bool:
        """Measured until the last token is painted, not for a fixed time."""
        return self.name.startswith("firehose-")


def _length(tokens: int) -> Scenario:
    return Scenario(
        f"length-{tokens}",
        f"{READING_RATE:g} tokens/s onto an answer of {tokens:,} tokens",
        before=tokens,
    )


def _mostly(block: Block) -> Callable[[int], Scenario]:
    def scenario(tokens: int) -> Scenario:
        title = f"{READING_RATE:g} tokens/s onto {tokens:,} tokens, mostly {block}"
        return Scenario(f"{block}-{tokens}", title, before=tokens, block=block)

    return scenario


def _history(messages: int) -> Scenario:
    title = f"{READING_RATE:g} tokens/s after {messages:,} earlier messages"
    return Scenario(f"history-{messages}", title, history=messages)


def _block(block: Block) -> Scenario:
    title = f"{READING_RATE:g} tokens/s onto one {block} of 10,000 tokens"
    return Scenario(f"block-{block}", title, before=10_000, block=block)


def steady(rate: float, seconds: float = WINDOW_S) -> Scenario:
    """`rate` tokens/s onto a short answer."""
    return Scenario(
        f"steady-{rate:g}",
        f"{rate:g} tokens/s",
        rate=rate,
        seconds=seconds,
        kinds=("cost", "evidence"),
    )


def _firehose(rate: float, seconds: float) -> Scenario:
    return Scenario(
        f"firehose-{rate:g}",
        f"{rate:g} tokens/s for {seconds:g} s",
        rate=rate,
        seconds=seconds,
        kinds=("cost", "evidence"),
    )


# Families that any number can be asked of, and the most of each.
_FAMILIES: dict[str, tuple[Callable[[int], Scenario], int]] = {
    "length": (_length, 100_000),
    "history": (_history, 2_000),
    "code": (_mostly("code"), 100_000),
    "tables": (_mostly("tables"), 100_000),
    "lists": (_mostly("lists"), 100_000),
    "maths": (_mostly("maths"), 100_000),
}

SCENARIOS: tuple[Scenario, ...] = (
    _length(500),
    _length(2_000),
    _length(10_000),
    _length(50_000),
    steady(READING_RATE),
    steady(200),
    _firehose(1_000, 3),
    _firehose(5_000, 2),
    Scenario(
        "burst",
        "bursts of 50 tokens and stalls of 700 ms, 200 tokens/s between",
        rate=200,
        burst=50,
        stall_every=200,
        stall_ms=700,
        kinds=("evidence",),
    ),
    Scenario(
        "typing",
        "typing while 100 tokens/s arrive",
        rate=100,
        action="type",
        kinds=("evidence",),
    ),
    Scenario(
        "scrolling",
        "scrolling while 100 tokens/s arrive",
        rate=100,
        before=2_000,
        action="scroll",
        kinds=("evidence",),
    ),
    Scenario(
        "stop",
        "Stop while 1,000 tokens/s arrive",
        rate=1_000,
        seconds=6,
        action="stop",
        kinds=("evidence",),
    ),
    Scenario(
        "hidden",
        "200 tokens/s, hidden for 4 s, then shown again",
        rate=200,
        seconds=8,
        action="hide",
        kinds=("evidence",),
    ),
    _block("fence"),
    _block("list"),
    _block("table"),
    _block("paragraph"),
    _history(0),
    _history(50),
    _history(400),
    _history(1_000),
    *(
        _FAMILIES[name][0](tokens)
        for name in ("code", "tables", "lists", "maths")
        for tokens in (500, 10_000)
    ),
)

_QUICK = ("length-500", "length-10000", "steady-33", "stop")
_LEFT_OUT_OF_STANDARD = (
    *("length-50000", "history-*", "block-list", "block-table"),
    *("code-*", "tables-*", "lists-*", "maths-*"),
)

PROFILES: dict[Profile, str] = {
    "quick": "growth to 10,000 tokens, steady 33, Stop: about a minute",
    "standard": "adds firehose, bursts, typing, scrolling, hidden, one huge block: minutes",
    "full": "everything, 50,000 tokens, 1,000 messages and answers of one kind included",
}


def choose(profile: Profile, patterns: Sequence[str] = ()) -> list[Scenario]:
    """The profile's scenarios, or those whose names match any of `patterns` (globs).

    "steady-7", "length-3000" and the like need not be in the list: any number can be asked for.
    AuditError if a pattern matches none.
    """
    if patterns:
        chosen = [scenario for pattern in patterns for scenario in _matching(pattern)]
        return list(dict.fromkeys(chosen))
    if profile == "quick":
        return [scenario for scenario in SCENARIOS if scenario.name in _QUICK]
    if profile == "standard":
        return [s for s in SCENARIOS if not _matches_any(s.name, _LEFT_OUT_OF_STANDARD)]
    return list(SCENARIOS)


def _matching(pattern: str) -> list[Scenario]:
    found = [s for s in SCENARIOS if fnmatch.fnmatchcase(s.name, pattern)]
    if found:
        return found
    if rate := _rate(pattern):
        # A slow stream needs longer for as many updates.
        return [steady(rate, max(WINDOW_S, min(20.0, 24 / rate)))]
    if member := _member(pattern):
        return [member]
    raise AuditError(
        f"no scenario is called {pattern!r}",
        hint="one of "
        + ", ".join(s.name for s in SCENARIOS)
        + ", or steady-RATE, or another number of length-, history-, code- and so on",
    )


def _member(name: str) -> Scenario | None:
    family, _, number = name.partition("-")
    make, most = _FAMILIES.get(family, (None, 0))
    if make is None or not number.isascii() or not number.isdigit() or int(number) > most:
        return None
    return make(int(number))


def _rate(pattern: str) -> float | None:
    if not pattern.startswith("steady-"):
        return None
    try:
        rate = float(pattern.removeprefix("steady-"))
    except ValueError:
        return None
    return rate if 0.5 <= rate <= 5_000 else None


def _matches_any(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
