"""An answer's figures, for programs and for people."""

from dataclasses import asdict
from typing import Any

from pageside.browser.answer import Figures
from pageside.browser.info import PageInfo


def report(info: PageInfo, figures: Figures, text: str) -> dict[str, Any]:
    """What `pageside run --json` prints; the figures as worker/protocol.js defines them."""
    return {
        "text": text,
        **figures,
        "engine": info.engine,
        "device": info.device,
        "threads": info.threads,
        "adapter": info.adapter,
        "fallbacks": [asdict(fallback) for fallback in info.fallbacks],
        "model": info.model,
        "revision": info.revision,
        "load_ms": dict(info.load_ms),
    }


def figures_line(info: PageInfo, figures: Figures) -> str:
    """One line with each number's definition beside it."""
    return (
        f"{figures['tokens']} tokens ({figures['reason']})"
        f" · {figures['tokens_per_s']:.1f} tokens/s after the first"
        f" · first token {figures['ttft_ms']:.0f} ms after the worker had the prompt"
        f" · {_device(info)}"
        f" · {info.model or 'script'}"
    )


def _device(info: PageInfo) -> str:
    threads = "1 thread" if info.threads == 1 else f"{info.threads} threads"
    return f"{info.engine} on wasm, {threads}" if info.device == "wasm" else info.device
