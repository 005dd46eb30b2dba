"""The prompt box: finding it, writing into it, sending what is in it.

A page's own handlers decide what sends, so every way is tried as a person would and the page is
asked whether it worked: the box was emptied, the words stand elsewhere, or the page has left.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from playwright.async_api import Request

from pageside.audit.errors import PromptNotFound
from pageside.audit.target.boxes import Box
from pageside.audit.target.eye import Eye
from pageside.audit.target.recipe import Recipe, is_key

# A box is taken at once from the first score on, and from the second when nothing better came.
_CERTAIN = 40
_POSSIBLE = 12
_POSSIBLE_AFTER_S = 2.5
_START_AFTER_S = 1.5

_LOOK_EVERY_S = 0.25
_SENT_EVERY_S = 0.05
_ECHO_AFTER_S = 0.5
SENT_PATIENCE_S = 2.0
_OVERLAYS = 3

_BUTTON = "the send button"
_RECIPE = """
    # page.toml, used with --recipe page.toml
    prompt = "textarea#question"
    send = "button.ask"
    answer = "div.reply"
    stop = "button.halt"
"""


class Composer:
    """Owns the box of one page. `prompt` and `send` are what was found, as a recipe has them."""

    def __init__(self, eye: Eye, recipe: Recipe, notes: list[str]) -> None:
        self.prompt = recipe.prompt
        self.send_by = recipe.send
        self._eye = eye
        self._recipe = recipe
        self._notes = notes

    async def find(self, patience_s: float) -> None:
        """Waits for a box that can be written in. Raises PromptNotFound."""
        started = time.monotonic()
        last: str | None = None
        has_started_chat = False
        while True:
            waited_s = time.monotonic() - started
            if await self._find_by_recipe():
                return
            found = await self._eye.ask("findPrompts")
            best = found[0] if found else None
            if best is not None and self._is_box(best, waited_s, patience_s):
                # Twice in the same place: pages build themselves for a while.
                if last == best["what"]:
                    await self._take(best)
                    return
                last = best["what"]
            elif not has_started_chat and waited_s > _START_AFTER_S and not _is_certain(best):
                has_started_chat = await self.start_chat()
            if waited_s > patience_s:
                raise self._not_found(found, patience_s)
            await asyncio.sleep(_LOOK_EVERY_S)

    async def send(self, prompt: str) -> None:
        """Writes and sends; what worked is kept for the next time. Raises PromptNotFound."""
        for write in (self._fill, self._type):
            for way in self._ways():
                await self._ready()
                await write(prompt)
                if await self._try(way, prompt):
                    self.send_by = self.send_by or way
                    return
        raise PromptNotFound(
            f"the prompt was written into {self.prompt or 'the box'} and nothing sent it "
            f"(tried {', '.join(self._ways())})",
            hint=f"say in a recipe what does:\n{_RECIPE}",
        )

    async def focus(self) -> bool:
        """Puts the cursor into the box; whether it can be written in now."""
        if not await self._eye.ask("boxIsUsable"):
            await self._eye.ask("guessBox")
        if not await self._eye.ask("boxIsUsable"):
            return False
        await self._focus()
        return True

    async def _find_by_recipe(self) -> bool:
        if not self._recipe.prompt:
            return False
        for element in await self._eye.shown(self._recipe.prompt, "prompt"):
            if (await self._eye.ask("useBox", element))["usable"]:
                self.prompt = self._recipe.prompt
                return True
        return False

    def _is_box(self, best: Mapping[str, Any], waited_s: float, patience_s: float) -> bool:
        if not best["usable"]:
            return False
        if self._recipe.prompt:  # it may still come; then what it names is what was meant
            return _is_certain(best) and waited_s > patience_s / 2
        return _is_certain(best) or (
            best["score"] >= _POSSIBLE and waited_s > min(_POSSIBLE_AFTER_S, patience_s / 2)
        )

    async def _take(self, best: Mapping[str, Any]) -> None:
        if self._recipe.prompt:
            self._notes.append(
                f"prompt = {self._recipe.prompt!r} of the recipe {self._recipe.name} finds nothing;"
                f" {best['what']} was used"
            )
        await self._eye.ask("useField", 0)
        self.prompt = best["selector"]

    async def start_chat(self) -> bool:
        """Clicks what says "New chat"; False where nothing does."""
        found = await self._eye.ask("findStart")
        if found:
            await self._click(Box.of(found))
        return bool(found)

    def _not_found(self, found: list[Mapping[str, Any]], patience_s: float) -> PromptNotFound:
        seen = "; ".join(one["what"] for one in found[:4]) or "no text field at all"
        by_recipe = f" (the recipe says {self._recipe.prompt!r})" if self._recipe.prompt else ""
        return PromptNotFound(
            f"no prompt box on {self._eye.page.url} within {patience_s:.0f} s{by_recipe}; "
            f"seen: {seen}",
            hint=f"say in a recipe where to write:\n{_RECIPE}",
        )

    async def _ready(self) -> None:
        """The box is there, can be written in, and is not behind something."""
        if not await self._eye.ask("boxIsUsable"):
            await self.find(_READY_PATIENCE_S)
        for _ in range(_OVERLAYS):
            cover = await self._eye.ask("findDismissal")
            if not cover:
                return
            await self._click(Box.of(cover))
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _focus(self) -> None:
        if not await self._eye.ask("focusBox"):
            raise PromptNotFound(
                f"the prompt box on {self._eye.page.url} went away",
                hint=f"say in a recipe where to write:\n{_RECIPE}",
            )

    async def _fill(self, prompt: str) -> None:
        """All at once, as pasting does; the box then says whether it took it."""
        await self._empty()
        await self._eye.unless_lost(self._eye.page.keyboard.insert_text(prompt))
        if not await self._contains(prompt):
            await self._type(prompt)

    async def _type(self, prompt: str) -> None:
        """Key by key, for boxes that listen to keys."""
        keyboard = self._eye.page.keyboard
        await self._empty()
        for index, line in enumerate(prompt.split("\n")):
            if index:
                await keyboard.press("Shift+Enter")
            await self._eye.unless_lost(keyboard.type(line))

    async def _empty(self) -> None:
        """The cursor in an empty box, by keys alone: editors believe nothing else."""
        await self._focus()
        await self._eye.unless_lost(self._eye.page.keyboard.press("ControlOrMeta+A"))
        await self._eye.unless_lost(self._eye.page.keyboard.press("Delete"))

    def _ways(self) -> list[str]:
        return [self.send_by] if self.send_by else ["Enter", _BUTTON, "Control+Enter"]

    async def _try(self, way: str, prompt: str) -> bool:
        await self._eye.ask("remember", prompt)
        self._eye.prompt = prompt
        documents = self._eye.documents
        with _Requests(self._eye, prompt) as requests:
            if not await self._press(way):
                return False
            return await self._was_sent(prompt, documents, requests)

    async def _press(self, way: str) -> bool:
        page = self._eye.page
        if is_key(way):
            await self._focus()
            await self._eye.unless_lost(page.keyboard.press(way))
            return True
        find = self._detected_button if way == _BUTTON else self._named_button
        box = await _until(find, SENT_PATIENCE_S)
        if box is not None:
            await self._click(box)
        return box is not None

    async def _detected_button(self) -> Box | None:
        found = await self._eye.ask("findSend")
        return Box.of(found["box"]) if found else None

    async def _named_button(self) -> Box | None:
        for element in await self._eye.shown(self.send_by, "send"):
            box = await self._eye.ask("enabledBox", element)
            if box:
                return Box.of(box)
        return None

    async def _was_sent(self, prompt: str, documents: int, requests: "_Requests") -> bool:
        started = time.monotonic()
        while (waited_s := time.monotonic() - started) < SENT_PATIENCE_S:
            if not await self._contains(prompt) or self._eye.documents != documents:
                return True
            if waited_s > _ECHO_AFTER_S and (requests.seen or await self._eye.ask("isEchoed")):
                return True
            await asyncio.sleep(_SENT_EVERY_S)
        return False

    async def _contains(self, prompt: str) -> bool:
        """Whether the prompt is in the box, however the editor breaks its lines."""
        text = await self._eye.ask("boxText")
        return text is not None and "".join(prompt.split()) in "".join(text.split())

    async def _click(self, box: Box) -> None:
        await self._eye.unless_lost(self._eye.page.mouse.click(*box.middle))


# A box that is disabled while an answer streams.
_READY_PATIENCE_S = 30.0


class _Requests:
    """Whether the page sends the prompt to somebody: a hint, since drafts are sent too."""

    def __init__(self, eye: Eye, prompt: str) -> None:
        self.seen = False
        self._page = eye.page
        self._forms = [prompt.encode(), json.dumps(prompt)[1:-1].encode()]

    def __enter__(self) -> "_Requests":
        self._page.on("request", self._look)
        return self

    def __exit__(self, *_: object) -> None:
        self._page.remove_listener("request", self._look)

    def _look(self, request: Request) -> None:
        body = request.post_data_buffer or b""
        self.seen = self.seen or any(form in body for form in self._forms)


async def _until(find: Callable[[], Awaitable[Box | None]], patience_s: float) -> Box | None:
    deadline = time.monotonic() + patience_s
    while True:
        found = await find()
        if found is not None or time.monotonic() > deadline:
            return found
        await asyncio.sleep(_LOOK_EVERY_S)


def _is_certain(best: Mapping[str, Any] | None) -> bool:
    return best is not None and bool(best["score"] >= _CERTAIN)
