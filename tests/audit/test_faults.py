"""The audit is right about eleven pages: it finds the fault that each has, and no other.

Each page plays the few scenarios that show its fault.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from harness.auditpages import EXPECTED, AuditPages
from pageside.audit.budgets import default_budgets
from pageside.audit.pace import Pace
from pageside.audit.result import AuditResult
from pageside.audit.scenarios import Kind, choose
from pageside.audit.session import Options, audit
from pageside.audit.target import Recipe

pytestmark = pytest.mark.anyio

GROWTH = ("length-500", "length-10000")
PLAYED: Mapping[str, Mapping[Kind, Sequence[str]]] = {
    "clean-text": {"cost": GROWTH, "evidence": ("steady-33", "stop", "hidden")},
    "clean-blocks": {"evidence": ("steady-33", "hidden")},
    "slow-clean": {"evidence": ("steady-4",)},
    "throttled-clean": {"evidence": ("steady-33",)},
    "fault-a": {"evidence": ("steady-33",)},
    "fault-b": {"cost": GROWTH},
    "fault-c": {"evidence": ("steady-33",)},
    "fault-d": {"evidence": ("steady-200",)},
    "fault-e": {"evidence": ("stop",)},
    "fault-f": {"evidence": ("hidden",)},
    "fault-g": {"evidence": ("steady-33",)},
}


async def audited(page: str, **query: str | int) -> AuditResult:
    """One take of each of the page's scenarios."""
    scenarios = [
        replace(scenario, kinds=(kind,))
        for kind, names in PLAYED[page].items()
        for scenario in choose("quick", names)
    ]
    with AuditPages() as pages, Pace(allow_origins=[pages.url]) as pace:
        options = Options(
            url=pages.address(page, pace.url, **query),
            recipe=Recipe(),
            scenarios=scenarios,
            budgets=default_budgets(),
            pace=pace,
            software_webgpu=page == "fault-g",
        )
        return (await audit(options)).result


@pytest.mark.parametrize("page", EXPECTED)
async def test_verdict_and_diagnosis_are_right(page: str) -> None:
    verdict, fault = EXPECTED[page]
    result = await audited(page)
    found = [diagnosis.fault for diagnosis in result.diagnoses]
    judged = [(f.metric.name, f.scenario, f.reason) for f in result.findings if f.verdict]
    assert found == ([fault] if fault else []), judged
    assert result.verdict == verdict, judged


async def test_the_line_to_blame_is_named() -> None:
    result = await audited("fault-a")
    (diagnosis,) = result.diagnoses
    blame = diagnosis.blame[0]
    assert blame.url.endswith("/fault-a.js")
    assert blame.line > 1
    assert blame.cpu_ms > 50


@pytest.mark.parametrize("page", ["throttled-clean", "fault-d"])
async def test_a_spinner_changes_no_verdict(page: str) -> None:
    verdict, fault = EXPECTED[page]
    result = await audited(page, spinner=1)
    assert result.verdict == verdict
    assert [diagnosis.fault for diagnosis in result.diagnoses] == ([fault] if fault else [])
