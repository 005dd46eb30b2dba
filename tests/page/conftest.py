"""A real browser on a real server, for the tests of the page."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext

from harness.serving import Serve
from pageside.browser.launch import launch


@pytest.fixture(scope="session")
async def browser(anyio_backend: str) -> AsyncIterator[BrowserContext]:
    """One Chromium for all; each test opens its own pages."""
    async with launch() as browser:
        yield browser.context


@pytest.fixture
async def context(browser: BrowserContext) -> AsyncIterator[BrowserContext]:
    """The browser; the pages of this test are closed after it."""
    before = list(browser.pages)
    yield browser
    for page in browser.pages:
        if page not in before:
            await page.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts servers that end with the test: `serve(script=…)` or `serve(store=…)`."""
    with ExitStack() as running:
        yield Serve(running, tmp_path)
