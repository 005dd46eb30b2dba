"""Python drives Chromium: a model in a web page, without a screen."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pageside.browser.page import Page
    from pageside.browser.sync import SyncPage

__all__ = ["Page", "SyncPage"]


def __getattr__(name: str) -> Any:
    """Imports on first use, so that `pageside --help` does not wait for Playwright."""
    if name == "Page":
        from pageside.browser.page import Page

        return Page
    if name == "SyncPage":
        from pageside.browser.sync import SyncPage

        return SyncPage
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
