"""What a renderer process holds, from the outside: Linux tells it of any process."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession, Page

SAMPLE_EVERY_S = 0.02
# Freed pages go back to the system a moment after the collection.
SETTLE_S = 1.0

PSS = (
    "Memory: the renderer's proportional set size (PSS in /proc/PID/smaps_rollup: its own pages, "
    "and its share of shared ones); 1 GB is 10⁹ bytes."
)


def pss_bytes(pid: int) -> int:
    """0 for a process that has ended."""
    return _kilobytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss:") * 1024


def peak_rss_bytes(pid: int) -> int:
    """The most resident at once since the process began, by the kernel's own mark (VmHWM)."""
    return _kilobytes(Path(f"/proc/{pid}/status"), "VmHWM:") * 1024


def _kilobytes(path: Path, field: str) -> int:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(field)), 0)


class Samples:
    """The largest PSS seen of each process, and how often it was looked at."""

    def __init__(self) -> None:
        self.peaks: dict[int, int] = {}
        self.count = 0

    def take(self, pids: list[int]) -> None:
        self.count += 1
        for pid in pids:
            self.peaks[pid] = max(self.peaks.get(pid, 0), pss_bytes(pid))


@asynccontextmanager
async def sampled(pids: list[int]) -> AsyncIterator[Samples]:
    """Looks every SAMPLE_EVERY_S, in a thread, while the block runs."""
    samples, ended = Samples(), asyncio.Event()

    async def look() -> None:
        while not ended.is_set():
            await asyncio.to_thread(samples.take, pids)
            await asyncio.sleep(SAMPLE_EVERY_S)

    looking = asyncio.create_task(look())
    try:
        yield samples
    finally:
        ended.set()
        await looking


class Collector:
    """Collects garbage in a page and in its workers. Made before the workers start."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._workers: list[str] = []
        session.on("Target.attachedToTarget", self._attached)

    @classmethod
    async def of(cls, page: Page) -> "Collector":
        collector = cls(await page.context.new_cdp_session(page))
        # Not flat: Playwright's session object can only speak for itself.
        attach = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": False}
        await collector._session.send("Target.setAutoAttach", attach)
        return collector

    async def collect(self) -> None:
        collection = json.dumps({"id": 1, "method": "HeapProfiler.collectGarbage"})
        for worker in self._workers:
            message = {"sessionId": worker, "message": collection}
            await self._session.send("Target.sendMessageToTarget", message)
        await self._session.send("HeapProfiler.collectGarbage")
        await asyncio.sleep(SETTLE_S)

    def _attached(self, event: dict[str, Any]) -> None:
        self._workers.append(event["sessionId"])
