"""The Stop button: where it is, and when it was pressed."""

from pageside.audit.errors import StopNotPressed
from pageside.audit.target.boxes import Box
from pageside.audit.target.eye import Eye
from pageside.audit.target.recipe import Recipe
from pageside.audit.waiting import until_asked

PATIENCE_S = 2.0
TRIES = 5
"""A button that the growing text pushes away is missed now and then."""


class StopButton:
    """Finds Stop while an answer streams. `selector` is what was found, as a recipe has it."""

    def __init__(self, eye: Eye, recipe: Recipe) -> None:
        self.selector = recipe.stop
        self._eye = eye
        self._recipe = recipe

    async def box(self) -> Box | None:
        """Where it is now; None while there is none."""
        if self._recipe.stop:
            for element in reversed(await self._eye.shown(self._recipe.stop, "stop")):
                box = await self._eye.ask("aimAt", element)
                if box:
                    return Box.of(box)
            return None
        found = await self._eye.ask("findStop")
        if not found:
            return None
        self.selector = self.selector or found["selector"]
        return Box.of(found["box"])

    async def press(self) -> float:
        """Clicks it; the click's own time in seconds of the monotonic clock."""
        clock = await self._eye.clock()
        for _ in range(TRIES):
            box = await self._steady_box()
            if box is None:
                raise self.missing()
            await self._eye.ask("watchPress")
            await self._eye.unless_lost(self._eye.page.mouse.click(*box.middle))
            at_ms = await self._eye.ask("pressedAt")
            if at_ms is not None:
                return clock.monotonic_s(at_ms)
        raise StopNotPressed(
            f"{TRIES} clicks on Stop did not reach it",
            hint="it may move while text comes, or something lies over it; "
            'a recipe names another: stop = "…"',
        )

    def missing(self) -> StopNotPressed:
        """That there is none to press: by what it was looked for."""
        if self._recipe.stop:
            return StopNotPressed(
                f"nothing that can be pressed matches stop = {self._recipe.stop!r} of the recipe",
                hint="try it with document.querySelector in the page's console while it streams",
            )
        return StopNotPressed(
            "no Stop button is visible while an answer streams",
            hint='it may come later; a recipe names it: stop = "…"',
        )

    async def _steady_box(self) -> Box | None:
        """Pages that draw all their buttons anew with every token have none for moments."""
        seen: list[Box] = []

        async def is_there() -> bool:
            box = await self.box()
            seen.extend([box] if box else [])
            return box is not None

        await until_asked(is_there, PATIENCE_S)
        return seen[0] if seen else None
