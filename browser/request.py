"""One prompt with its options, checked before anything is started for it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pageside.browser.errors import RequestInvalid

Message = Mapping[str, str]

ROLES = ("system", "user", "assistant")
SEED_MAX = 2**32 - 1
# worker/sampling.js has the same limits.
STOP_STRINGS_MAX = 16
STOP_LENGTH_MAX = 256


@dataclass(frozen=True)
class Request:
    """What to generate. RequestInvalid if it cannot be meant.

    `prompt` is one user message, or a conversation of {"role", "content"} whose last
    message is to be answered; `system` goes before it. `max_tokens` counts the
    answer's. `temperature` 0 is greedy; `top_k` 0, `top_p` 1 and `repetition_penalty` 1
    are off; `seed` None is a new one each time. A text of `stop` ends the answer and is
    no part of it. Whether the prompt fits the context window only the page can tell.
    """

    prompt: str | Sequence[Message]
    max_tokens: int = 256
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None
    system: str | None = None
    top_k: int = 0
    repetition_penalty: float = 1.0
    stop: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.prompt, str | Sequence):
            raise RequestInvalid(
                f"the prompt is a {type(self.prompt).__name__}", hint="give text or messages"
            )
        _check_messages(self.messages)
        if _not_an_integer(self.max_tokens) or self.max_tokens < 1:
            raise RequestInvalid(f"max_tokens is {self.max_tokens}", hint="ask for 1 or more")
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise RequestInvalid(f"temperature is {self.temperature}", hint="use 0 or more")
        if not 0 < self.top_p <= 1:
            raise RequestInvalid(f"top_p is {self.top_p}", hint="use more than 0, up to 1")
        if self.seed is not None and (_not_an_integer(self.seed) or not 0 <= self.seed <= SEED_MAX):
            raise RequestInvalid(f"seed is {self.seed}", hint=f"use 0 to {SEED_MAX}")
        if _not_an_integer(self.top_k) or self.top_k < 0:
            raise RequestInvalid(f"top_k is {self.top_k}", hint="use 0 or more; 0 is off")
        if not (math.isfinite(self.repetition_penalty) and self.repetition_penalty > 0):
            raise RequestInvalid(
                f"repetition_penalty is {self.repetition_penalty}",
                hint="use more than 0; 1 is off",
            )
        _check_stop(self.stop)

    @property
    def messages(self) -> list[Message]:
        """The conversation, system message first."""
        if isinstance(self.prompt, str):
            conversation: Sequence[Message] = [{"role": "user", "content": self.prompt}]
        else:
            conversation = self.prompt
        system = [] if self.system is None else [{"role": "system", "content": self.system}]
        return [*system, *conversation]

    def to_page(self) -> dict[str, Any]:
        """The argument of the page's `generate`."""
        return {
            "messages": [dict(message) for message in self.messages],
            "maxTokens": self.max_tokens,
            "temperature": self.temperature,
            "topP": self.top_p,
            "topK": self.top_k,
            "repetitionPenalty": self.repetition_penalty,
            "seed": self.seed,
            "stop": list(self.stop),
        }


def _check_messages(messages: Sequence[Message]) -> None:
    for message in messages:
        if not _is_message(message):
            raise RequestInvalid(
                "a message must have a role and a content that is text, and nothing else",
                hint=f"roles are {', '.join(ROLES)}",
            )
    if not messages or messages[-1]["role"] != "user" or not messages[-1]["content"].strip():
        raise RequestInvalid("the prompt is empty", hint="write what the model is to answer")


def _check_stop(stop: Sequence[str]) -> None:
    if isinstance(stop, str) or len(stop) > STOP_STRINGS_MAX or not all(map(_is_stop, stop)):
        raise RequestInvalid(
            f"stop is {stop!r:.80}",
            hint=f"give a list of up to {STOP_STRINGS_MAX} texts,"
            f" each of 1 to {STOP_LENGTH_MAX} characters",
        )


def _is_stop(text: object) -> bool:
    """Characters are counted as the page does, in UTF-16; half of one cannot be sent."""
    if not isinstance(text, str):
        return False
    try:
        return 1 <= len(text.encode("utf-16-le")) // 2 <= STOP_LENGTH_MAX
    except UnicodeEncodeError:
        return False


def _is_message(message: object) -> bool:
    return (
        isinstance(message, Mapping)
        and set(message) == {"role", "content"}
        and message["role"] in ROLES
        and isinstance(message["content"], str)
    )


def _not_an_integer(value: object) -> bool:
    return not isinstance(value, int) or isinstance(value, bool)
