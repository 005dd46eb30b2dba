"""OpenAI's dialect: `/v1/chat/completions`, `/v1/completions`, `/v1/models`."""

from abc import abstractmethod
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, ClassVar

from pageside.audit.pace.dialects.body import (
    Body,
    clean,
    last_of_user,
    messages_of,
    model_of,
    optional,
    required,
    tokens_in,
)
from pageside.audit.pace.dialects.voice import Figures, Voice
from pageside.audit.pace.errors import BodyInvalid
from pageside.audit.pace.framing import Payload

DONE = "[DONE]"

_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def failure(status: int, message: str) -> dict[str, Any]:
    """The body of a response from 400 on."""
    fallback = "server_error" if status >= 500 else "invalid_request_error"
    kind = _TYPES.get(status, fallback)
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def models(model: str) -> dict[str, Any]:
    one = {"id": model, "object": "model", "created": 0, "owned_by": "pageside"}
    return {"object": "list", "data": [one]}


class _OpenAI(Voice):
    dialect = "openai"
    head_first = True
    object: ClassVar[str]
    prefix: ClassVar[str]
    fingerprint: ClassVar[str | None] = None

    def event(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        event = {
            "id": f"{self.prefix}-pace{self.number:08d}",
            "object": self.object,
            "created": self.created,
            "model": self.model,
            "system_fingerprint": self.fingerprint,
            "choices": choices,
        }
        # Asked for usage, OpenAI has the field in every chunk, and its value in the last.
        return {**event, "usage": None} if self.usage_asked else event

    def ending(self, figures: Figures, *, usage: bool) -> Sequence[Payload]:
        payloads: list[Payload] = [self.last(figures)]
        if self.usage_asked or usage:
            payloads.append({**self.event([]), "usage": self.usage(figures)})
        return [*payloads, DONE]

    def error(self, message: str) -> Payload:
        return failure(HTTPStatus.INTERNAL_SERVER_ERROR, message)

    def read(self, body: Body) -> None:
        self.model = model_of(body, self.default_model)
        self.streams = optional(body, "stream", bool, False)
        options = optional(body, "stream_options", dict, {})
        self.usage_asked = self.streams and optional(options, "include_usage", bool, False)
        self.prompt, self.prompt_tokens = self.asked(body)

    def usage(self, figures: Figures) -> dict[str, Any]:
        return {
            "prompt_tokens": figures.prompt_tokens,
            "completion_tokens": figures.tokens,
            "total_tokens": figures.prompt_tokens + figures.tokens,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": 0,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        }

    @abstractmethod
    def asked(self, body: Body) -> tuple[str, int]: ...

    @abstractmethod
    def last(self, figures: Figures) -> dict[str, Any]: ...


class Chat(_OpenAI):
    object = "chat.completion.chunk"
    prefix = "chatcmpl"

    def asked(self, body: Body) -> tuple[str, int]:
        messages = messages_of(body)
        if not messages:
            raise BodyInvalid("'messages' is empty")
        return last_of_user(messages), tokens_in(*(text for _, text in messages))

    def opening(self) -> Sequence[Payload]:
        return [self.chunk({"role": "assistant", "content": ""})]

    def token(self, text: str, figures: Figures) -> dict[str, Any]:
        return self.chunk({"content": text})

    def last(self, figures: Figures) -> dict[str, Any]:
        return self.chunk({}, "stop")

    def whole(self, text: str, figures: Figures) -> dict[str, Any]:
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        event = self.event([choice])
        return {**event, "object": "chat.completion", "usage": self.usage(figures)}

    def chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self.event([choice])


class Completion(_OpenAI):
    """The legacy endpoint: a prompt, and text without roles."""

    object = "text_completion"
    prefix = "cmpl"

    def asked(self, body: Body) -> tuple[str, int]:
        prompt = prompt_of(body)
        return prompt, tokens_in(prompt)

    def token(self, text: str, figures: Figures) -> dict[str, Any]:
        return self.event([_choice(text, None)])

    def last(self, figures: Figures) -> dict[str, Any]:
        return self.event([_choice("", "stop")])

    def whole(self, text: str, figures: Figures) -> dict[str, Any]:
        return {**self.event([_choice(text, "stop")]), "usage": self.usage(figures)}


def prompt_of(body: Body) -> str:
    """A string, or several; token ids have no text here."""
    prompt = required(body, "prompt", object)
    if isinstance(prompt, str):
        return clean(prompt)
    if not isinstance(prompt, list):
        raise BodyInvalid("'prompt' is neither a string nor an array")
    return clean("\n".join(part for part in prompt if isinstance(part, str)))


def _choice(text: str, finish_reason: str | None) -> dict[str, Any]:
    return {"text": text, "index": 0, "logprobs": None, "finish_reason": finish_reason}
