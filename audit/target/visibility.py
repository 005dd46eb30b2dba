"""Tabs that say they are hidden: Playwright's never are, so the page is told so.

While shown, nothing is installed, unless the page was opened with `hidden_init_script()`: then
animation frames and timers go through one function call more, for as long as the page lives.
Only so are reached the pages that keep their own reference to `requestAnimationFrame`, and
intervals that run already.
"""

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import JSHandle

from pageside.audit.target.eye import Eye, has_navigated, part_source

_KEPT = 'globalThis[Symbol.for("pageside.tab")]'


def hidden_init_script() -> str:
    """For `Target.open(..., init_script=…)`: hide() then reaches what the page holds already."""
    keep = 'Object.defineProperty(globalThis, Symbol.for("pageside.tab"), { value: install(true) })'
    return f"{{\n{part_source('hidden')}\n{keep};\n}}"


class Visibility:
    """Hides and shows one page."""

    def __init__(self, eye: Eye) -> None:
        self._eye = eye
        self._tab: JSHandle | None = None

    async def hide(self) -> None:
        """As when another tab comes to the front."""
        if self._tab is None or not await self._call("hide"):
            install = f"() => {{\n{part_source('hidden')}\nreturn {_KEPT} ?? install(false);\n}}"
            self._tab = await self._eye.unless_lost(self._eye.page.evaluate_handle(install))
            await self._call("hide")

    async def show(self) -> None:
        """The held animation frames come with the next frame of the browser."""
        if self._tab is not None:
            await self._call("show")

    async def _call(self, name: str) -> bool:
        """False where the document that was hidden is gone."""
        assert self._tab is not None
        try:
            await self._eye.unless_lost(self._tab.evaluate("(tab, name) => tab[name]()", name))
        except PlaywrightError as error:
            if not has_navigated(error):
                raise
            return False
        return True
