"""What a page says about itself once its model is loaded."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fallback:
    """A device the page tried before the one it runs on, and why that failed."""

    engine: str
    device: str
    threads: int
    reason: str


@dataclass(frozen=True)
class PageInfo:
    """What the model runs on, and what loading it took.

    `engine` is "gguf" for our own kernels, "transformers" or "scripted"; `device` is "webgpu",
    "wasm", or "script" for the scripted engine; `threads` are Wasm threads; `context_window` is in
    tokens; `adapter` describes the GPU and may be empty, and `is_software` says that it is the CPU
    in disguise; `load_ms` has one figure a stage, and "total". `model` and `revision` are None for
    the scripted engine.
    """

    model: str | None
    revision: str | None
    engine: str
    device: str
    threads: int
    context_window: int
    adapter: str
    is_software: bool
    load_ms: Mapping[str, float]
    fallbacks: tuple[Fallback, ...]


def page_info(
    ready: Mapping[str, Any], model: Mapping[str, str] | None, gpu: Mapping[str, Any] | None
) -> PageInfo:
    """From the page's `ready`, the model in its settings, and the GPU it offers."""
    is_webgpu = ready["device"] == "webgpu"
    return PageInfo(
        model=model["id"] if model else None,
        revision=model["revision"] if model else None,
        engine=ready["engine"],
        device=ready["device"],
        threads=ready["threads"],
        context_window=ready["contextWindow"],
        adapter=ready["adapter"],
        is_software=is_webgpu and gpu is not None and gpu["isFallbackAdapter"],
        load_ms=snake_case(ready["loadMs"]),
        fallbacks=tuple(
            Fallback(**{name: fallback[name] for name in ("engine", "device", "threads", "reason")})
            for fallback in ready["fallbacks"]
        ),
    )


def snake_case(fields: Mapping[str, Any]) -> dict[str, Any]:
    """`{"ttftMs": 5}` as `{"ttft_ms": 5}`: the page's figures under Python's names."""
    return {re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name): fields[name] for name in fields}
