"""One browser for all tests of the page, which opens reports from the disk."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import Page

from pageside.audit.report import write_report
from pageside.audit.result import AuditResult
from pageside.browser.launch import Browser, launch


@dataclass
class Opened:
    """A report in a browser, with all the browser had to say about it."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


Open = Callable[[AuditResult], Awaitable[Opened]]


@pytest.fixture(scope="session")
async def chromium(anyio_backend: str) -> AsyncIterator[Browser]:
    async with launch() as browser:
        yield browser


@pytest.fixture
async def open_report(chromium: Browser, tmp_path: Path) -> AsyncIterator[Open]:
    opened: list[Opened] = []

    async def open_report(result: AuditResult) -> Opened:
        report = write_report(result, tmp_path)
        this = Opened(await chromium.context.new_page())
        opened.append(this)
        this.page.on("console", lambda message: this.complaints.append(message.text))
        this.page.on("pageerror", lambda error: this.complaints.append(str(error)))
        this.page.on("dialog", lambda dialog: this.complaints.append(dialog.message))
        this.page.on("request", lambda request: this.requests.append(request.url))
        await this.page.goto(report.html.as_uri())
        return this

    yield open_report
    for each in opened:
        await each.page.close()
