"""Ollama's dialect: `/api/chat`, `/api/generate`, and what its clients ask before."""

from abc import abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

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
from pageside.audit.pace.framing import Payload

RUNNING = "Ollama is running"

# Clients look for features by the version.
_VERSION = "0.12.0"
_LONG_AGO = "2026-01-01T00:00:00Z"
_EVER = "2318-01-01T00:00:00Z"
_SIZE_BYTES = 1 << 20
_CONTEXT = 131072

_DETAILS = {
    "parent_model": "",
    "format": "gguf",
    "family": "pace",
    "families": ["pace"],
    "parameter_size": "0B",
    "quantization_level": "F16",
}


def failure(status: int, message: str) -> dict[str, Any]:
    return {"error": message}


def version(model: str) -> dict[str, Any]:
    return {"version": _VERSION}


def tags(model: str) -> dict[str, Any]:
    return {"models": [{**_named(model), "modified_at": _LONG_AGO, "details": _DETAILS}]}


def loaded(model: str) -> dict[str, Any]:
    """The answer to `/api/ps`."""
    running = {"expires_at": _EVER, "size_vram": 0, "context_length": _CONTEXT}
    return {"models": [{**_named(model), "details": _DETAILS, **running}]}


def show(model: str, body: Body) -> dict[str, Any]:
    model = clean(optional(body, "model", str, "") or required(body, "name", str))
    return {
        "modelfile": f"FROM {model}",
        "parameters": "",
        "template": "{{ .Prompt }}",
        "details": _DETAILS,
        "model_info": {"general.architecture": "pace", "pace.context_length": _CONTEXT},
        "capabilities": ["completion"],
        "modified_at": _LONG_AGO,
    }


def _named(model: str) -> dict[str, Any]:
    name = f"{model}:latest"
    return {"name": name, "model": name, "size": _SIZE_BYTES, "digest": "0" * 64}


class _Ollama(Voice):
    dialect = "ollama"
    framing = "lines"

    def read(self, body: Body) -> None:
        required(body, "model", str)
        self.model = model_of(body, self.default_model)
        self.streams = optional(body, "stream", bool, True)
        self.prompt, self.prompt_tokens = self.asked(body)

    def greeting(self) -> dict[str, Any] | None:
        """Without a prompt a request only loads the model."""
        if self.prompt_tokens:
            return None
        return {**self.event(""), "done_reason": "load", "done": True}

    def token(self, text: str, figures: Figures) -> dict[str, Any]:
        return {**self.event(text), "done": False}

    def ending(self, figures: Figures, *, usage: bool) -> Sequence[Payload]:
        return [self.whole("", figures)]

    def whole(self, text: str, figures: Figures) -> dict[str, Any]:
        prefill_ns, decode_ns = (int(ms * 1e6) for ms in (figures.prefill_ms, figures.decode_ms))
        return {
            **self.event(text),
            "done": True,
            "done_reason": "stop",
            **self.context(),
            "total_duration": prefill_ns + decode_ns,
            "load_duration": 0,
            "prompt_eval_count": figures.prompt_tokens,
            "prompt_eval_duration": prefill_ns,
            "eval_count": figures.tokens,
            "eval_duration": decode_ns,
        }

    def error(self, message: str) -> Payload:
        return failure(500, message)

    def event(self, text: str) -> dict[str, Any]:
        # Always 27 characters: chunk borders must not depend on the time of day.
        created_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return {"model": self.model, "created_at": created_at, **self.content(text)}

    def context(self) -> dict[str, Any]:
        return {}

    @abstractmethod
    def asked(self, body: Body) -> tuple[str, int]: ...

    @abstractmethod
    def content(self, text: str) -> dict[str, Any]: ...


class Chat(_Ollama):
    def asked(self, body: Body) -> tuple[str, int]:
        messages = messages_of({"messages": [], **body})
        tokens = tokens_in(*(text for _, text in messages)) if messages else 0
        return last_of_user(messages), tokens

    def content(self, text: str) -> dict[str, Any]:
        return {"message": {"role": "assistant", "content": text}}


class Generate(_Ollama):
    def asked(self, body: Body) -> tuple[str, int]:
        prompt = clean(optional(body, "prompt", str, ""))
        return prompt, tokens_in(prompt) if prompt else 0

    def content(self, text: str) -> dict[str, Any]:
        return {"response": text}

    def context(self) -> dict[str, Any]:
        return {"context": []}
