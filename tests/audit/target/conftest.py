"""A real browser on small real pages."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from pageside.audit.target import Recipe, Target
from pageside.browser.launch import launch
from pageside.server.live import LiveServer

Open = Callable[..., Awaitable[Target]]


@pytest.fixture(scope="session")
async def browser(anyio_backend: str) -> AsyncIterator[BrowserContext]:
    """One Chromium for all; each test opens its own tabs."""
    async with launch() as browser:
        yield browser.context


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of the pages beside this file."""
    pages = StaticFiles(directory=Path(__file__).resolve().parent / "pages")
    with LiveServer(Starlette(routes=[Mount("/", pages)])) as server:
        yield server.url


@pytest.fixture
async def open_page(browser: BrowserContext, site: str) -> AsyncIterator[Open]:
    """`await open_page("textarea?cut=1")`: a Target on that page; closed after the test."""
    targets = []

    async def open_page(
        name: str,
        recipe: Recipe | None = None,
        patience_s: float = 15,
        init_script: str | None = None,
    ) -> Target:
        page, _, query = name.partition("?")
        target = await Target.open(
            browser,
            f"{site}/{page}.html?{query}",
            recipe or Recipe(),
            patience_s=patience_s,
            init_script=init_script,
        )
        targets.append(target)
        return target

    yield open_page
    for target in targets:
        await target.close()
