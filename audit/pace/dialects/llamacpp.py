"""llama.cpp's dialect: `/completion`, and its own fields beside OpenAI's."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from pageside.audit.pace.dialects import openai
from pageside.audit.pace.dialects.body import Body, model_of, optional, tokens_in
from pageside.audit.pace.dialects.voice import Figures, Voice
from pageside.audit.pace.framing import Payload

_CONTEXT = 131072
_BUILD = "b0-pace"

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    501: "not_supported_error",
    503: "unavailable_error",
}

# Only llama.cpp's own clients send these.
OWN_FIELDS = frozenset(
    ("timings_per_token", "return_progress", "cache_prompt", "id_slot", "n_predict")
)


def failure(status: int, message: str) -> dict[str, Any]:
    fallback = "server_error" if status >= 500 else "invalid_request_error"
    return {
        "error": {"code": int(status), "message": message, "type": _TYPES.get(status, fallback)}
    }


def health(model: str) -> dict[str, Any]:
    return {"status": "ok"}


def props(model: str) -> dict[str, Any]:
    return {
        "default_generation_settings": {"params": _settings(False), "n_ctx": _CONTEXT},
        "total_slots": 1,
        "model_alias": model,
        "model_path": model,
        "modalities": {"vision": False, "audio": False},
        "chat_template": "",
        "bos_token": "",
        "eos_token": "",
        "build_info": _BUILD,
    }


def _settings(streams: bool) -> dict[str, Any]:
    """Of the many settings that the real one tells, those that mean something here."""
    return {"n_predict": -1, "max_tokens": -1, "stream": streams, "temperature": 0.0, "seed": 0}


def timings(figures: Figures) -> dict[str, Any]:
    read, prefill_ms = figures.prompt_read, figures.prefill_ms
    waits = max(0, figures.tokens - 1)  # decode_ms is what lies between the tokens
    return {
        "cache_n": 0,
        "prompt_n": read,
        "prompt_ms": float(prefill_ms),
        "prompt_per_token_ms": prefill_ms / read if read else 0.0,
        "prompt_per_second": 1000 * read / prefill_ms if prefill_ms else 0.0,
        "predicted_n": figures.tokens,
        "predicted_ms": float(figures.decode_ms),
        "predicted_per_token_ms": figures.decode_ms / waits if waits else 0.0,
        "predicted_per_second": 1000 * waits / figures.decode_ms if figures.decode_ms else 0.0,
    }


def _prompt_progress(figures: Figures) -> dict[str, Any]:
    return {
        "total": figures.prompt_tokens,
        "cache": 0,
        "processed": figures.prompt_read,
        "time_ms": int(figures.prefill_ms),
    }


class Completion(Voice):
    """`/completion`; a token's id here is its place in the answer."""

    dialect = "llamacpp"

    def read(self, body: Body) -> None:
        self.model = model_of(body, self.default_model)
        self.prompt = openai.prompt_of(body)
        self.prompt_tokens = tokens_in(self.prompt)
        self.streams = optional(body, "stream", bool, False)
        self.tells_progress = optional(body, "return_progress", bool, False)
        self.tells_timings = optional(body, "timings_per_token", bool, False)

    def progress(self, figures: Figures) -> Sequence[Payload]:
        if not self.tells_progress:
            return ()
        event = self._event("", [0], figures)
        return [{**event, "prompt_progress": _prompt_progress(figures)}]

    def token(self, text: str, figures: Figures) -> dict[str, Any]:
        return self._event(text, [figures.tokens], figures)

    def ending(self, figures: Figures, *, usage: bool) -> Sequence[Payload]:
        return [self.whole("", figures)]

    def whole(self, text: str, figures: Figures) -> dict[str, Any]:
        return {
            "index": 0,
            "content": text,
            "tokens": [],
            "id_slot": 0,
            "stop": True,
            "model": self.model,
            "tokens_predicted": figures.tokens,
            "tokens_evaluated": figures.prompt_tokens,
            "generation_settings": _settings(self.streams),
            "prompt": self.prompt,
            "has_new_line": False,
            "truncated": False,
            "stop_type": "eos",
            "stopping_word": "",
            "tokens_cached": figures.prompt_tokens + figures.tokens,
            "timings": timings(figures),
        }

    def error(self, message: str) -> Payload:
        return failure(HTTPStatus.INTERNAL_SERVER_ERROR, message)

    def _event(self, text: str, ids: list[int], figures: Figures) -> dict[str, Any]:
        event = {
            "index": 0,
            "content": text,
            "tokens": ids,
            "stop": False,
            "id_slot": -1,
            "tokens_predicted": figures.tokens,
            "tokens_evaluated": figures.prompt_tokens,
        }
        return {**event, "timings": timings(figures)} if self.tells_timings else event


class Chat(openai.Chat):
    """`/v1/chat/completions` when it is asked as llama.cpp's own clients ask."""

    dialect = "llamacpp"
    head_first = False
    fingerprint = _BUILD

    def read(self, body: Body) -> None:
        super().read(body)
        self.tells_progress = optional(body, "return_progress", bool, False)
        self.tells_timings = optional(body, "timings_per_token", bool, False)

    def progress(self, figures: Figures) -> Sequence[Payload]:
        if not self.tells_progress:
            return ()
        events = [self._timed(event, figures) for event in self.opening()]
        return [{**event, "prompt_progress": _prompt_progress(figures)} for event in events]

    def opening(self) -> list[dict[str, Any]]:
        return [self.chunk({"role": "assistant", "content": None})]

    def chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        return self.event([{"index": 0, "delta": delta, "finish_reason": finish_reason}])

    def event(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        event = super().event(choices)
        event.pop("usage", None)  # it has none but in the last
        return event

    def usage(self, figures: Figures) -> dict[str, Any]:
        details = {"prompt_tokens_details": {"cached_tokens": 0}}
        counts = ("prompt_tokens", "completion_tokens", "total_tokens")
        usage = super().usage(figures)
        return {**{name: usage[name] for name in counts}, **details}

    def token(self, text: str, figures: Figures) -> dict[str, Any]:
        return self._timed(super().token(text, figures), figures)

    def ending(self, figures: Figures, *, usage: bool) -> Sequence[Payload]:
        *events, done = super().ending(figures, usage=usage)
        told = events.pop()  # the finish, or the usage if it is told
        assert isinstance(told, dict)
        return [*events, {**told, "timings": timings(figures)}, done]

    def whole(self, text: str, figures: Figures) -> dict[str, Any]:
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {
            **self.event([choice]),
            "object": "chat.completion",
            "usage": self.usage(figures),
            "timings": timings(figures),
        }

    def error(self, message: str) -> Payload:
        return failure(HTTPStatus.INTERNAL_SERVER_ERROR, message)

    def _timed(self, event: dict[str, Any], figures: Figures) -> dict[str, Any]:
        return {**event, "timings": timings(figures)} if self.tells_timings else event


def chat(body: Body, *, number: int, model: str) -> Voice:
    """llama.cpp's and OpenAI's clients ask at one address; what they ask for tells them apart."""
    kind = Chat if OWN_FIELDS & body.keys() else openai.Chat
    return kind(body, number=number, model=model)
