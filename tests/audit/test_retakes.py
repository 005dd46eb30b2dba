"""A take in which the machine was too busy is played again, and not for ever."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from harness.auditpages import AuditPages
from pageside.audit import session
from pageside.audit.budgets import budgets_of
from pageside.audit.guards import MOST_LATE_MS
from pageside.audit.metrics import METRICS
from pageside.audit.pace import Pace
from pageside.audit.result import AuditResult
from pageside.audit.scenarios import choose
from pageside.audit.session import Options, audit
from pageside.audit.target import Recipe

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def busy(while_it: list[bool]) -> AsyncIterator[None]:
    """This process is late with everything, as on a machine that does something else."""

    async def hold_up() -> None:
        while True:
            if while_it[0]:
                time.sleep(2 * MOST_LATE_MS / 1000)  # noqa: ASYNC251 - it is to hold up
            await asyncio.sleep(0.01)

    holding = asyncio.create_task(hold_up())
    try:
        yield
    finally:
        holding.cancel()


async def audited(metric: str, until_take: int) -> tuple[AuditResult, int]:
    """One take of steady-33 with a budget for the metric, and how often it was played again. The
    machine is busy until the given take begins."""
    (chosen,) = choose("quick", ["steady-33"])
    is_busy, played = [True], [0]

    def on_progress(stage: str, done: int, total: int) -> None:
        assert (done, total) == (0, 1)
        played[0] += 1
        is_busy[0] = played[0] < until_take

    with AuditPages() as pages, Pace(allow_origins=[pages.url]) as pace:
        options = Options(
            url=pages.address("clean-text", pace.url),
            recipe=Recipe(),
            scenarios=[replace(chosen, seconds=1.0, kinds=("evidence",))],
            budgets=budgets_of({metric: 10_000}, METRICS),
            pace=pace,
        )
        async with busy(is_busy):
            outcome = await audit(options, on_progress)
    return outcome.result, played[0] - 1


async def test_until_the_machine_is_free() -> None:
    result, again = await audited("lag_p95_ms", until_take=2)
    notes = [note for note in result.notes if note.startswith("Played again")]
    assert "steady-33: 95 % of timers" in notes[0]
    assert 1 <= again <= session.MOST_RETAKES
    (judged,) = [finding for finding in result.findings if finding.verdict]
    assert len(judged.values) == 1, "the take that was disturbed does not count"
    assert len({guard.name for guard in result.guards}) == len(result.guards)


async def test_not_for_ever() -> None:
    result, again = await audited("lag_p95_ms", until_take=100)
    assert again == session.MOST_RETAKES
    assert result.verdict == "inconclusive"


async def test_not_where_only_counts_are_judged() -> None:
    result, again = await audited("words_missing", until_take=100)
    assert again == 0
    assert result.verdict == "pass"
