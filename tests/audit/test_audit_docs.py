"""The guides to the audit say what is so: metrics, scenarios, guards, commands, files, recipes."""

import inspect
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient
from iniconfig import IniConfig

from pageside.audit import guards
from pageside.audit.budgets import parse_budgets
from pageside.audit.metrics import METRICS
from pageside.audit.pace import Pace
from pageside.audit.pace.faults import NAMES, parse_faults
from pageside.audit.result import Metric
from pageside.audit.scenarios import SCENARIOS, choose
from pageside.audit.target.recipe import Recipe, recipe_names
from pageside.audit.waiting import until
from pageside.server.cli import build_parser
from pageside.server.live import LiveServer
from pageside.server.script import Event

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDES = ["audit.md", "audit.zh-CN.md"]


def text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text(name), flags=re.DOTALL)


def rows(name: str, heading: int) -> list[list[str]]:
    """The cells of the tables below the guide's nth heading of the second level."""
    section = text(name).split("\n## ")[heading]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def row(metric: Metric) -> list[str]:
    return [f"`{metric.name}`", metric.unit, metric.kind, metric.definition]


def metrics_table() -> str:
    """What docs/audit.md has to have below its heading Metrics."""
    head = "| metric | unit | kind | definition |\n|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(row(metric))} |\n" for metric in METRICS.values())


def test_the_metrics_are_those_of_the_registry() -> None:
    # Run this file as a script for the table.
    assert metrics_table() in text("audit.md")


def test_the_translation_has_the_same_metrics() -> None:
    expected = [row(metric)[:3] for metric in METRICS.values()]
    assert [cells[:3] for cells in rows("audit.zh-CN.md", 4)] == expected


@pytest.mark.parametrize("guide", GUIDES)
def test_the_scenarios_are_those_that_are_played(guide: str) -> None:
    profiles = {
        scenario.name: profile
        for profile in ("full", "standard", "quick")
        for scenario in choose(profile)
    }
    expected = [(f"`{name}`", profiles[name]) for name in (s.name for s in SCENARIOS)]
    assert [(cells[0], cells[2]) for cells in rows(guide, 3)] == expected


@pytest.mark.parametrize("name", GUIDES)
def test_the_guards_are_those_that_are_checked(name: str) -> None:
    checked = re.findall(r'_guard\("([a-z ]+)"', inspect.getsource(guards))
    assert [cells[0] for cells in rows(name, 5)] == [f"`{guard}`" for guard in checked]
    conditions = {cells[0].strip("`"): cells[1] for cells in rows(name, 5)}
    for guard, limit in (
        ("pace", f"{100 * guards.MOST_PACE_OFF:.0f} %"),
        ("machine", f"{guards.MOST_LATE_MS:.0f} "),
        ("idle control", f"{100 * guards.MOST_IDLE_SHARE:.0f} %"),
        ("observer", f"{100 * guards.MOST_OWN_SHARE:.0f} %"),
        ("clock", f"{1000 * guards.MOST_CLOCK_S:.0f} "),
        ("throttle", f"{guards.LEAST_THROTTLED:g} ×"),
    ):
        assert f" {limit}" in conditions[guard], guard


@pytest.mark.parametrize("name", GUIDES)
def test_commands_and_faults_are_understood(name: str) -> None:
    lines = "\n".join(blocks(name, "sh")).splitlines()
    shown = [shlex.split(line, comments=True) for line in lines if line.strip()]
    ours = [arguments for program, *arguments in shown if program == "pageside"]
    assert len(ours) >= 10
    for arguments in ours:
        options = build_parser().parse_args(arguments)
        parse_faults(getattr(options, "fault", []))
    assert all(f"`{fault}`" in text(name) for fault in NAMES)


@pytest.mark.parametrize("name", GUIDES)
def test_recipes_and_budgets_are_understood(name: str) -> None:
    recipe, budgets = blocks(name, "toml")
    assert Recipe(**tomllib.loads(recipe)).stop
    assert parse_budgets(budgets.encode(), METRICS, name=name)
    assert all(f"`{known}`" in text(name) for known in recipe_names())


@pytest.mark.parametrize("name", GUIDES)
def test_pytest_reads_the_settings(name: str) -> None:
    (settings,) = blocks(name, "ini")
    section = IniConfig("pytest.ini", data=settings)["pytest"]
    assert dict(section.items()) == {
        "stream_audit_inconclusive": "fail",
        "stream_audit_folder": "audits",
    }


@pytest.mark.parametrize("name", GUIDES)
def test_python_compiles(name: str) -> None:
    shown = blocks(name, "python")
    assert len(shown) == 4
    for block in shown:
        compile(block, name, "exec")


@pytest.mark.anyio
async def test_the_backend_streams_and_closes_what_it_asks() -> None:
    """The guide's own code, but for the port: a visitor who leaves is a visitor gone upstream."""
    backend, *_ = blocks("audit.md", "python")
    with Pace() as pace:
        played: dict[str, Any] = {}
        exec(backend.replace("http://127.0.0.1:8766", pace.url), played)
        pace.play([Event("text", "Hello", 0.0)] + [Event("text", " again", 5.0)] * 10_000)
        with LiveServer(played["app"]) as server:
            async with (
                AsyncClient(trust_env=False) as visitor,
                visitor.stream("POST", f"{server.url}/ask", content="Hi") as response,
            ):
                assert (await anext(response.aiter_text())).startswith("Hello")
            (delivery,) = pace.deliveries
            await until(lambda: delivery.left_at is not None, 10)
        assert delivery.left_at is not None


def test_the_guides_say_the_same() -> None:
    english, chinese = map(text, GUIDES)
    for language in ("sh", "python", "toml", "json", "ini"):
        bare = [
            [re.sub(r"(?m)(^|\s+)#.*$", "", block) for block in blocks(name, language)]
            for name in GUIDES
        ]
        assert bare[0] == bare[1], language
    for mark in ("\n## ", "\n### ", "\n| ", "\n- "):
        assert english.count(mark) == chinese.count(mark), mark


if __name__ == "__main__":
    print(metrics_table(), end="")
