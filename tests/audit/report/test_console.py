"""The lines for the terminal: what they say, and that they fit."""

from dataclasses import replace
from pathlib import Path

import pytest

from pageside.audit.report import summary_lines
from pageside.audit.report.console import COLUMNS, LINES
from pageside.audit.report.visible import columns

from . import results


def test_it_says_the_verdict_the_fault_and_its_place_the_worst_and_where_the_report_is() -> None:
    lines = summary_lines(results.failing(), Path("/tmp/out/report.html"))
    text = "\n".join(lines)
    assert lines[0] == "FAIL http://127.0.0.1:3000/chat?conversation=new"
    assert "fault B: Work that grows with the answer (long-answer-10k)" in text
    assert "index-BqX3k2.js:1:48211 renderMarkdown, 3120 ms CPU" in text
    over = [line for line in lines if line.startswith("  over")]
    assert over[0].split()[1] == "dirty_objects_per_token"
    assert len(over) == 4
    assert ": median within the slack" in text
    assert lines[-1] == "report: /tmp/out/report.html"


def test_a_pass_is_short() -> None:
    assert summary_lines(results.passing()) == [
        "PASS http://127.0.0.1:8765/",
        "  6 budgets of 6 kept, on 4 scenarios.",
    ]


def test_an_inconclusive_one_says_why() -> None:
    lines = summary_lines(results.undecided())
    assert lines[0].startswith("INCONCLUSIVE ")
    text = " ".join(" ".join(lines).split())
    assert text.count("unsure") == 1, "the guard says the same as the figure"
    assert "this machine is busy" in text
    assert "try --runs 3" in text


def test_more_runs_are_advised_only_where_they_can_help() -> None:
    result = results.undecided()
    valueless = tuple(
        replace(f, values=(), reason="no value was measured") if f.verdict == "inconclusive" else f
        for f in result.findings
    )
    text = " ".join(summary_lines(replace(result, findings=valueless)))
    assert "no value was measured" in text
    assert "--runs" not in text


@pytest.mark.parametrize("text", ["x" * 5_000, "模型" * 900, "\x1b]0;owned\x07\r\n" * 50, ""])
def test_whatever_was_found_it_fits_and_nothing_acts_on_the_terminal(text: str) -> None:
    failing = results.failing()
    result = replace(
        failing,
        url=text,
        diagnoses=tuple(replace(d, title=text, advice=text) for d in failing.diagnoses * 9),
        findings=tuple(replace(f, scenario=text, reason=text) for f in failing.findings * 9),
        guards=tuple(
            replace(g, holds=False, detail=f"{i} {text}") for i, g in enumerate(failing.guards)
        ),
    )
    lines = summary_lines(result, Path("report.html"))
    assert len(lines) <= LINES
    assert all(columns(line) <= COLUMNS for line in lines)
    assert not any(character < " " for line in lines for character in line)
    assert lines[-1] == "report: report.html"


def test_our_own_signs_can_be_written_on_an_old_code_page() -> None:
    for result in (results.passing(), results.failing(), results.undecided()):
        "\n".join(summary_lines(result)).encode("cp1252")
