"""The answers that a feed is given: what is there before, and the parts that are measured."""

from collections.abc import Iterator, Sequence

from pageside.audit.pace import steady
from pageside.audit.scenarios import Scenario
from pageside.audit.text import tokens
from pageside.server.script import Event

# What each answer begins with: a word that no page has by chance, and that is in no prompt.
ANSWER = "qzreplyqz"

# The last word of an earlier turn's answer.
EARLIER_END = "h59"

_FILL_TOKENS = 250
_FILL_MS = 5
_EARLIER_TOKENS = 60


def before(texts: Sequence[str]) -> list[Event]:
    """The beginning of an answer that already has these tokens, in a few large pieces."""
    fill = [
        Event("text", text="".join(texts[i : i + _FILL_TOKENS]), ms=_FILL_MS)
        for i in range(0, len(texts), _FILL_TOKENS)
    ]
    return [Event("text", text=f"{ANSWER}\n\n"), *fill]


def parts(scenario: Scenario, texts: Sequence[str]) -> Iterator[list[Event]]:
    """The measured tokens, in parts that are streamed one by one."""
    for i in range(0, len(texts), scenario.part_count):
        yield steady(
            texts[i : i + scenario.part_count],
            scenario.rate,
            burst=scenario.burst,
            stall_every=scenario.stall_every,
            stall_ms=scenario.stall_ms,
        )


def earlier(scenario: Scenario) -> list[list[Event]]:
    """Answers of earlier turns; their words do not count as words (audit/text.py)."""
    text = "".join(tokens(_EARLIER_TOKENS)).replace("w", "h")
    answer = [Event("text", text=f"{ANSWER}\n\n{text}")]
    return [answer] * (scenario.history // 2)
