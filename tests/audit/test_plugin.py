"""The pytest plugin in a project of its own, outside this tree: no conftest, three lines a test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.auditpages import AuditPages

GREEN_RED_AND_INCONCLUSIVE = """
import os
import pytest

PAGES = os.environ["PAGES"]

@pytest.mark.stream_budget(words_missing=0, lag_slope=0.5)
def test_green(stream_audit, pace):
    stream_audit(f"{PAGES}/clean-text.html?upstream={pace.url}", scenarios=["steady-33"])

@pytest.mark.stream_budget(tokens_after_stop=0)
def test_red(stream_audit, pace):
    stream_audit(f"{PAGES}/fault-e.html?upstream={pace.url}", scenarios=["stop"])

@pytest.mark.stream_budget(tokens_after_stop=0)
def test_inconclusive(stream_audit, pace):
    stream_audit(f"{PAGES}/clean-text.html?upstream={pace.url}", scenarios=["steady-100"])
"""

BESIDE_PLAYWRIGHT = """
import os

def test_both(page, stream_audit, pace):
    address = f"{os.environ['PAGES']}/clean-text.html?upstream={pace.url}"
    page.goto(address)
    assert page.title() == "Clean, text"
    result = stream_audit.measure(address, scenarios=["stop"])
    assert {f.metric.name for f in result.findings} >= {"tokens_after_stop"}
    assert page.title() == "Clean, text"
"""


def run(folder: Path, test: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """pytest as a user calls it, on one file in an empty folder."""
    folder.mkdir()
    (folder / "test_page.py").write_text(test, encoding="utf-8")
    with AuditPages() as pages:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            cwd=folder,
            env={**os.environ, "PAGES": pages.url},
            capture_output=True,
            text=True,
            timeout=280,
        )


def test_one_red_one_green_one_inconclusive(tmp_path: Path) -> None:
    ran = run(tmp_path / "project", GREEN_RED_AND_INCONCLUSIVE, "-rA")
    assert "1 failed, 1 passed, 1 skipped" in ran.stdout, ran.stdout
    assert "PASSED test_page.py::test_green" in ran.stdout
    assert "FAILED test_page.py::test_red" in ran.stdout
    assert "fault E: Stop stops only the page" in ran.stdout
    assert "INCONCLUSIVE" in ran.stdout
    assert "Traceback" not in ran.stdout


def test_beside_pytest_playwright(tmp_path: Path) -> None:
    browser = subprocess.run(
        [sys.executable, "-c", FIND], capture_output=True, text=True, check=True
    ).stdout.strip()
    folder = tmp_path / "project"
    test = f"{CONFTEST}\n{BESIDE_PLAYWRIGHT}".replace("BROWSER", repr(browser))
    ran = run(folder, test, "-rA")
    assert "1 passed" in ran.stdout, ran.stdout


FIND = """
from playwright.sync_api import sync_playwright
from pageside.browser.discovery import find_browser
with sync_playwright() as playwright:
    print(find_browser(None, playwright.chromium.executable_path))
"""

# How a project tells pytest-playwright to use the system's Chromium as root.
CONFTEST = """
import pytest

@pytest.fixture(scope="session")
def browser_type_launch_args():
    return {"executable_path": BROWSER, "chromium_sandbox": False}
"""


@pytest.mark.parametrize(
    ("marker", "line"),
    [
        ("lag_p95=1", "no metric is called 'lag_p95'"),
        ("lag_p95_ms='x'", "has a most that is no number"),
    ],
)
def test_a_budget_that_cannot_be_meant_is_named(tmp_path: Path, marker: str, line: str) -> None:
    test = f"""
import pytest

@pytest.mark.stream_budget({marker})
def test_page(stream_audit, pace):
    stream_audit(f"http://127.0.0.1:1/?upstream={{pace.url}}")
"""
    ran = run(tmp_path / "project", test)
    assert line in ran.stdout
    assert "1 failed" in ran.stdout


def test_an_unknown_choice_in_the_settings_is_wrong_usage(tmp_path: Path) -> None:
    ran = run(tmp_path / "project", "", "-o", "stream_audit_inconclusive=perhaps")
    assert ran.returncode == 4
    assert "write skip or fail" in ran.stderr


def test_inconclusive_can_be_made_a_failure(tmp_path: Path) -> None:
    test = """
import os
import pytest

@pytest.mark.stream_budget(tokens_after_stop=0)
def test_page(stream_audit, pace):
    address = f"{os.environ['PAGES']}/clean-text.html?upstream={pace.url}"
    stream_audit(address, scenarios=["steady-100"])
"""
    ran = run(tmp_path / "project", test, "-o", "stream_audit_inconclusive=fail")
    assert "1 failed" in ran.stdout, ran.stdout
    assert "INCONCLUSIVE" in ran.stdout
