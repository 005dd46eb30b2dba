"""What a finished audit leaves behind: a page for people, and two files for programs.

AuditResult ─┬─ report.html   page: charts and tables, one file, nothing loaded
             ├─ result.json   jsonfile: all of it, and read back
             ├─ junit.xml     junit: a testcase a budget
             └─ the terminal  console: 25 lines
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pageside.audit.report.console import summary_lines
from pageside.audit.report.errors import ReportUnwritable, ResultInvalid
from pageside.audit.report.jsonfile import read_result, result_json
from pageside.audit.report.junit import junit_xml
from pageside.audit.report.page import report_html
from pageside.audit.result import AuditResult

__all__ = [
    "Report",
    "ReportUnwritable",
    "ResultInvalid",
    "check_folder",
    "junit_xml",
    "read_result",
    "report_html",
    "result_json",
    "summary_lines",
    "write_report",
    "writing",
]


@dataclass(frozen=True)
class Report:
    """Where the files are."""

    html: Path
    json: Path
    junit: Path


def write_report(result: AuditResult, folder: Path) -> Report:
    """Writes the three files into `folder`, made as needed, each whole or not at all.

    Files of an earlier report are replaced, others left alone. Raises ReportUnwritable.
    """
    report = Report(folder / "report.html", folder / "result.json", folder / "junit.xml")
    with writing(folder):
        _replace(report.json, result_json(result).encode())
        _replace(report.junit, junit_xml(result))
        _replace(report.html, report_html(result))
    return report


def check_folder(folder: Path) -> None:
    """ReportUnwritable if `folder` can be neither written to nor made; makes nothing."""
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise ReportUnwritable(
            f"cannot write the report to {folder} ({there} is no folder that can be written to)",
            hint="name another folder with --out",
        )


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Makes `folder` as needed; what cannot be written in the block raises ReportUnwritable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ReportUnwritable(
            f"cannot write the report to {folder} ({error.strerror or error})",
            hint="name another folder with --out",
        ) from error


def _replace(path: Path, content: bytes) -> None:
    """Somebody who reads `path` meanwhile sees the old file or the new one, never half of it."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        temporary.chmod(0o644)  # mkstemp lets only its owner read
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
