"""An upstream that plays a script: OpenAI's, Ollama's and llama.cpp's streaming dialects, at a
chosen pace, with chosen faults, the same from the same seed.

    Pace        a running server, and what it has delivered
    steady      a script of so many tokens a second
    Faults      what else goes wrong on the way
    Delivery    one answer: when what was written, and who ended it
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pageside.audit.pace.delivery import Delivery, Sent
    from pageside.audit.pace.faults import Faults
    from pageside.audit.pace.pace import Pace
    from pageside.audit.pace.schedule import steady

__all__ = ["Delivery", "Faults", "Pace", "Sent", "steady"]

_HOMES = {
    "Delivery": "delivery",
    "Faults": "faults",
    "Pace": "pace",
    "Sent": "delivery",
    "steady": "schedule",
}


def __getattr__(name: str) -> Any:
    """Imports on first use, so that `pageside --help` does not wait for the server's parts."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
