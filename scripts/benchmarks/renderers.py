"""The processes that run a browser's pages."""

from typing import Any

from playwright.async_api import Browser


async def renderers(browser: Browser) -> list[dict[str, Any]]:
    """Of each: `id`, its process id, and `cpuTime`, seconds, as the browser tells them itself."""
    session = await browser.new_browser_cdp_session()
    try:
        processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
    finally:
        await session.detach()
    return [process for process in processes if process["type"] == "renderer"]
