"""Measures streaming pages: whether a page keeps up with its tokens, and what is to blame.

    with Pace(port=8766) as pace:
        options = Options(url, Recipe(), choose("quick"), default_budgets(), pace)
        result = (await audit(options)).result

`scenarios` says what is tried, `take` plays it, `metrics` define what is measured, `guards` whether
it was, `diagnose` what is to blame, `verdict` whether it is too much; `session` has all of it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pageside.audit.budgets import default_budgets, load_budgets
    from pageside.audit.pace import Pace
    from pageside.audit.scenarios import choose
    from pageside.audit.session import Options, audit
    from pageside.audit.target import Recipe, load_recipe

__all__ = [
    "Options",
    "Pace",
    "Recipe",
    "audit",
    "choose",
    "default_budgets",
    "load_budgets",
    "load_recipe",
]

_HOMES = {
    "Options": "session",
    "Pace": "pace",
    "Recipe": "target",
    "audit": "session",
    "choose": "scenarios",
    "default_budgets": "budgets",
    "load_budgets": "budgets",
    "load_recipe": "target",
}


def __getattr__(name: str) -> Any:
    """Imports on first use: the pytest plugin is loaded in every project's tests."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"pageside.audit.{_HOMES[name]}"), name)
