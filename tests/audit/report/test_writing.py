"""The folder of a report: whole files, replaced, and nothing else."""

import sys
from pathlib import Path

import pytest

from pageside.audit.report import ReportUnwritable, write_report

from . import results


def test_three_files_are_written_into_a_folder_that_was_not_there(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    report = write_report(results.passing(), folder)
    assert {report.html, report.json, report.junit} == set(folder.iterdir())


def test_an_earlier_report_is_replaced_and_other_files_are_left(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    write_report(results.failing(), tmp_path)
    report = write_report(results.passing(), tmp_path)
    assert b"banner pass" in report.html.read_bytes()
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"mine.txt", "report.html", "result.json", "junit.xml"}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_others_may_read_it(tmp_path: Path) -> None:
    report = write_report(results.passing(), tmp_path)
    assert report.html.stat().st_mode & 0o777 == 0o644


def test_where_it_cannot_write_it_names_the_folder_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportUnwritable, match="file") as caught:
        write_report(results.passing(), tmp_path / "file" / "out")
    assert "--out" in caught.value.hint

    (tmp_path / "out" / "report.html" / "child").mkdir(parents=True)
    with pytest.raises(ReportUnwritable):
        write_report(results.passing(), tmp_path / "out")
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.startswith(".")]
