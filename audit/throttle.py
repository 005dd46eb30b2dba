"""The browser's own CPU throttling, and whether it really applied.

It slows a page's main thread alone (workers keep their speed) and is for evidence runs only: the
thread spins meanwhile, and that spinning would be counted as CPU time.
"""

from playwright.async_api import CDPSession, Page

# A fixed amount of arithmetic, some 5 ms on hardware of 2024.
_LOOP = """() => {
  const began = performance.now();
  let x = 1;
  for (let i = 0; i < 2e6; i++) x = (x * 31 + i) | 0;
  return [performance.now() - began, x];
}"""
_LOOKS = 8


async def loop_ms(page: Page) -> float:
    """How long the page's thread takes for it: the least of several, since what else runs can
    only add to it."""
    return min([float((await page.evaluate(_LOOP))[0]) for _ in range(_LOOKS)])


async def throttle(page: Page, rate: float) -> CDPSession:
    """Until the session is detached the page's thread is `rate` times slower, or should be."""
    session = await page.context.new_cdp_session(page)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": rate})
    return session
