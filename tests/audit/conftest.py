"""A real browser for the tests of this folder; the folders below have their own."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import BrowserContext, Page

from pageside.browser.launch import launch


@pytest.fixture(scope="session")
async def chromium(anyio_backend: str) -> AsyncIterator[BrowserContext]:
    """One Chromium for all; each test opens its own tabs."""
    async with launch() as browser:
        yield browser.context


@pytest.fixture
async def tab(chromium: BrowserContext) -> AsyncIterator[Page]:
    """An empty tab in front."""
    page = await chromium.new_page()
    await page.bring_to_front()
    yield page
    await page.close()
