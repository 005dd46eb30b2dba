"""The one owner of browsers: starts Chromium without a screen, and ends it for certain.

    temporary_profile   a folder and a lock         │ each is undone in reverse,
      Playwright        the driver, a Node process  │ whatever happened inside
        Chromium        talks CDP over a pipe       │

A killed Python process undoes nothing. Then the driver, whose input has closed, ends
the browser; without a driver the browser, whose CDP pipe has closed, ends itself;
and the next launch removes the folder.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Awaitable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import BrowserContext, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page as PlaywrightPage

from pageside.browser.discovery import find_browser
from pageside.browser.errors import BrowserFailed
from pageside.browser.processes import end_processes
from pageside.browser.profile import Profile, temporary_profile

SANDBOX_VARIABLE = "PAGESIDE_NO_SANDBOX"

# A browser that was asked to close and has not by then is killed.
CLOSE_PATIENCE_S = 5.0

# Besides Playwright's own flags, which already silence updates, sync and first runs.
_FLAGS = ("--disable-quic", "--disable-domain-reliability", "--no-pings")

# Offers SwiftShader where there is no GPU. "Unsafe" is that it also offers features
# still in the making, to a page that is ours.
_SOFTWARE_WEBGPU_FLAG = "--enable-unsafe-webgpu"

# V8's memory reducer collects up to three times more in the seconds after a collection.
_NO_LATER_COLLECTIONS_FLAG = "--js-flags=--no-memory-reducer"


@dataclass(frozen=True)
class Browser:
    """A running Chromium, and the profile it runs with."""

    executable: Path
    profile: Profile
    context: BrowserContext

    @property
    def version(self) -> str:
        """As in "156.0.8078.108"."""
        running = self.context.browser
        assert running is not None, "only contexts of Android devices have none"
        return running.version

    @property
    def page(self) -> PlaywrightPage:
        """The blank page it started with."""
        return self.context.pages[0]


@asynccontextmanager
async def launch(
    browser: str | Path | None = None,
    *,
    host: str = "127.0.0.1",
    other_hosts: Collection[str] = (),
    software_webgpu: bool = False,
    later_collections: bool = True,
) -> AsyncIterator[Browser]:
    """A running browser with one blank page, and no process or folder of it afterwards.

    `browser` names an executable; without it one is looked for (`find_browser`).
    The browser finds `host`, `other_hosts` and this machine, and no other host; "*" among
    the others is every host. `software_webgpu`
    lets WebGPU fall back on the CPU where there is no GPU: right, and very slow. Without
    `later_collections` a collection of garbage that is asked for sets off no others.
    Raises BrowserNotFound or BrowserFailed.
    """
    with temporary_profile() as profile:
        async with _driver() as playwright:
            executable = find_browser(browser, playwright.chromium.executable_path)
            flags = [*_FLAGS, *_only(host, *other_hosts)]
            if software_webgpu:
                flags.append(_SOFTWARE_WEBGPU_FLAG)
            if not later_collections:
                flags.append(_NO_LATER_COLLECTIONS_FLAG)
            context = await _start(playwright, executable, profile, flags)
            try:
                yield Browser(executable, profile, context)
            finally:
                await _close(context, profile)


def wants_sandbox() -> bool:
    """Chromium refuses to run its sandbox as root, and cannot in some containers.

    Only then it runs without: the page is ours, and loads nothing from elsewhere.
    """
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return not is_root and os.environ.get(SANDBOX_VARIABLE, "") in ("", "0")


def _only(*hosts: str) -> list[str]:
    """Every other host is unknown, to the page and to the browser itself.

    Chromium asks its maker for updates and for accounts whatever flags it is given;
    then those requests do not leave the machine.
    """
    if "*" in hosts:
        return []
    known = ("127.0.0.1", "localhost", "[::1]", *hosts)
    rules = ",".join(["MAP * ~NOTFOUND", *(f"EXCLUDE {host}" for host in known)])
    return [f"--host-resolver-rules={rules}"]


@asynccontextmanager
async def _driver() -> AsyncIterator[Playwright]:
    manager = async_playwright()
    starting = asyncio.create_task(_start_driver(manager.start()))
    try:
        yield await asyncio.shield(starting)
    finally:
        # Also after a cancelled start, which would leave the driver running.
        playwright = await starting
        await playwright.stop()
        _hear_of_its_death(manager)


def _hear_of_its_death(manager: object) -> None:
    """Reads the exception that a killed driver has left in a future of Playwright's.

    Playwright does not, and asyncio would print it when the garbage is next collected, in the
    midst of something else. The names are private: `_client` of 1.65, `_connection` before.
    """
    for owner in ("_client", "_connection"):
        transport = getattr(getattr(manager, owner, None), "_transport", None)
        death = getattr(transport, "on_error_future", None)
        if death is not None and death.done() and not death.cancelled():
            death.exception()


async def _start_driver(starting: Awaitable[Playwright]) -> Playwright:
    try:
        return await starting
    except PlaywrightError as error:
        raise BrowserFailed(
            f"Playwright does not start ({error.message})",
            hint="install the playwright package anew",
        ) from error


async def _start(
    playwright: Playwright, executable: Path, profile: Profile, flags: list[str]
) -> BrowserContext:
    try:
        return await playwright.chromium.launch_persistent_context(
            profile.user_data,
            executable_path=executable,
            args=flags,
            artifacts_dir=profile.artifacts,
            chromium_sandbox=wants_sandbox(),
            env={**os.environ, **profile.environment()},
            handle_sigint=False,  # Ctrl-C is Python's to handle, and this block's to clean up
            no_viewport=True,
        )
    except PlaywrightError as error:
        raise _failed(executable, error) from error


def _failed(executable: Path, error: PlaywrightError) -> BrowserFailed:
    text = error.message
    if "No usable sandbox" in text:
        return BrowserFailed(
            f"{executable} cannot run its sandbox here",
            hint=f"allow user namespaces, or set {SANDBOX_VARIABLE}=1 where the sandbox "
            "around it is enough",
        )
    said = re.findall(r"\[err\] (.+)", text) or text.splitlines()
    reason = next((line for line in said if "rror" in line or "FATAL" in line), said[-1]).strip()
    return BrowserFailed(
        f"the browser {executable} does not start ({reason[:200]})",
        hint="start it by hand to see why, or name another with PAGESIDE_BROWSER",
    )


async def _close(context: BrowserContext, profile: Profile) -> None:
    """Asks the browser to close, and kills it if it does not."""
    try:
        async with asyncio.timeout(CLOSE_PATIENCE_S):
            await context.close()
    except TimeoutError:
        end_processes(profile.marks)
    except PlaywrightError:
        return  # it has ended already, or the driver has; the profile sees to the rest
