"""Which browser to start: the one that was named, Playwright's own, one on the path."""

import os
import shutil
from pathlib import Path

from pageside.browser.errors import BrowserNotFound

BROWSER_VARIABLE = "PAGESIDE_BROWSER"

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)

# Where installers put browsers that are on nobody's path.
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
)

_HOW_TO_GET_ONE = (
    "install Chromium or Chrome, or run `playwright install chromium`, "
    f"or name one with {BROWSER_VARIABLE}"
)


def find_browser(named: str | Path | None, managed: str | Path) -> Path:
    """The executable of the browser to start; BrowserNotFound if there is none.

    `named` is a path, or a name on the path, and goes before $PAGESIDE_BROWSER;
    a browser that was named is the only one considered. `managed` is where
    Playwright would have put its own.
    """
    named = named or os.environ.get(BROWSER_VARIABLE)
    if named:
        return _named(named)
    if Path(managed).is_file():
        return Path(managed)
    candidates = (*_NAMES, *map(os.path.expandvars, _PLACES))
    found = next(filter(None, map(shutil.which, candidates)), None)
    if found is None:
        raise BrowserNotFound("no Chromium was found on this machine", hint=_HOW_TO_GET_ONE)
    return Path(found)


def _named(named: str | Path) -> Path:
    found = shutil.which(Path(named).expanduser())
    if found is None:
        raise BrowserNotFound(f"there is no browser at {named}", hint=_HOW_TO_GET_ONE)
    return Path(found).absolute()
