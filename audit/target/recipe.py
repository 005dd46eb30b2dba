"""What has to be said about a page that cannot be found by looking at it.

A recipe is a TOML file of a few lines; every key may be left out, and what is left out is detected.

    prompt = "textarea#question"        # where a person writes
    send = "button.ask"                 # a selector, or a key: "Enter", "Control+Enter"
    answer = "div.reply"                # every answer matches; the newest is the last of them
    stop = "button.halt"                # while an answer streams
    ready = "main[data-ready]"          # visible once the page can take a prompt
    new_chat = "a[href='/new']"         # empties the conversation
    path = "/chat"                      # below the address that is audited
    feed = "pace"                       # who makes the answers

Selectors are CSS as Playwright understands it: they pierce open shadow roots, and `:visible` and
`:has-text("…")` may be used.
"""

import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from pageside.audit.errors import RecipeInvalid

# Who makes the answers: `pageside pace` behind the page's backend, a script of our own page's
# scripted engine, or the page itself.
Feed = Literal["pace", "script", "page"]

_FOLDER = Path(__file__).resolve().parent / "recipes"
_SELECTORS = ("prompt", "send", "answer", "stop", "ready", "new_chat")
_KEY = re.compile(r"((Control|Meta|Shift|Alt)\+)*(Enter|Tab)")
_PAIRS = {")": "(", "]": "["}


@dataclass(frozen=True)
class Recipe:
    """How to use one page; an empty selector is detected. `notes` are for a person."""

    name: str = "detected"
    prompt: str = ""
    send: str = ""
    answer: str = ""
    stop: str = ""
    ready: str = ""
    new_chat: str = ""
    path: str = ""
    feed: Feed = "pace"
    notes: str = ""


def recipe_names() -> list[str]:
    """The recipes that come with Pageside."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def load_recipe(name_or_path: str) -> Recipe:
    """A recipe by its name, or from a TOML file. Raises RecipeInvalid."""
    if name_or_path in recipe_names():
        return _read(_FOLDER / f"{name_or_path}.toml")
    file = Path(name_or_path)
    if file.suffix != ".toml" and not file.exists():
        raise RecipeInvalid(
            f"there is no recipe {name_or_path!r}",
            hint=f"use {', '.join(recipe_names())}, or the path of a .toml file",
        )
    return _read(file)


def is_key(send: str) -> bool:
    """Whether a recipe's `send` names a key to press, not a button to click."""
    return _KEY.fullmatch(send) is not None


def _read(file: Path) -> Recipe:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecipeInvalid(
            f"the recipe {file} cannot be read ({error.strerror})", hint="check its path"
        ) from error
    except (ValueError, RecursionError) as error:  # of TOML, of UTF-8, of the depth
        raise RecipeInvalid(
            f"the recipe {file} is not TOML ({error})",
            hint='a line is key = "value", as in prompt = "textarea"',
        ) from error
    for key, value in content.items():
        _check(file, key, value)
    return Recipe(**{"name": file.stem, **content})


def _check(file: Path, key: str, value: Any) -> None:
    known = [field.name for field in fields(Recipe)]
    if key not in known:
        raise RecipeInvalid(
            f"the recipe {file} has the unknown key {key!r}",
            hint=f"the keys are {', '.join(known)}",
        )
    if not isinstance(value, str):
        raise RecipeInvalid(
            f"{key} in the recipe {file} is {_type_name(value)}, not a string",
            hint=f'write {key} = "…"',
        )
    if key == "feed" and value not in get_args(Feed):
        raise RecipeInvalid(
            f"feed in the recipe {file} is {value!r}",
            hint=f"use one of {', '.join(get_args(Feed))}",
        )
    if key == "path" and value and not value.startswith(("/", "?", "#")):
        raise RecipeInvalid(
            f"path in the recipe {file} is {value!r}", hint='begin it with a slash: path = "/chat"'
        )
    if key in _SELECTORS and not (key == "send" and is_key(value)):
        fault = selector_fault(value)
        if fault:
            raise RecipeInvalid(
                f"{key} in the recipe {file} is no CSS selector: {fault} in {value!r}",
                hint="try it with document.querySelector in the page's console",
            )


def _type_name(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return names.get(type(value), "a table" if isinstance(value, dict) else "a date")


def selector_fault(selector: str) -> str:
    """What is wrong with a selector as far as that shows without a page; "" for nothing."""
    if selector != selector.strip():
        return "a space at an end"
    if re.match(r"(css|xpath|text|role|id|data-testid)=|//", selector) or ">>" in selector:
        return "another kind of selector"
    bare = re.sub(r"\\.", "", selector)
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "''", bare)
    if re.sub(r"''", "", bare).count('"') or re.sub(r"''", "", bare).count("'"):
        return "an unclosed quote"
    opened: list[str] = []
    for character in bare:
        if character in "([":
            opened.append(character)
        elif character in _PAIRS and (not opened or opened.pop() != _PAIRS[character]):
            return f"an unopened {character!r}"
    if opened:
        return f"an unclosed {opened[-1]!r}"
    if re.search(r"(^|,)\s*(,|$)", bare) and bare:
        return "an empty part"
    return "a brace" if re.search(r"[{};]", bare) else ""
