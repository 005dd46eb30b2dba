"""pytest: `stream_audit` and `pace` without a conftest, in any project.

    def test_the_chat_keeps_up(stream_audit, pace):
        stream_audit(f"http://127.0.0.1:3000/?api={pace.url}/v1")

    @pytest.mark.stream_budget(lag_p95_ms=100, cost_growth=1.5)
    def test_it_is_quick(stream_audit, pace): ...

The audit runs in a thread of its own with a browser of its own, so it works beside
pytest-playwright. Pass: the test goes on. Fail: the test fails with the findings. Inconclusive:
the test is skipped with the reason, or fails with `stream_audit_inconclusive = fail`.
"""

import asyncio
import re
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pageside.models.errors import PagesideError

if TYPE_CHECKING:
    from pageside.audit.pace import Pace
    from pageside.audit.result import AuditResult, Budget
    from pageside.audit.session import Outcome

_INCONCLUSIVE = "stream_audit_inconclusive"
_FOLDER = "stream_audit_folder"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pageside")
    group.addoption("--stream-audit-browser", metavar="PATH", help="the Chromium to audit with")
    parser.addini(
        _INCONCLUSIVE,
        help="what an inconclusive audit makes of its test: skip (the default) or fail",
        default="skip",
    )
    parser.addini(
        _FOLDER,
        help="where reports are kept, one folder a test (default: the test's tmp_path)",
        default="",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "stream_budget(**most): the most that metrics of `stream_audit` may be in this test; "
        "others are not judged. A value may be a pair (most, glob of scenarios).",
    )
    chosen = config.getini(_INCONCLUSIVE)
    if chosen not in ("skip", "fail"):
        raise pytest.UsageError(f"{_INCONCLUSIVE} is {chosen!r}: write skip or fail")


@pytest.fixture
def pace() -> "Iterator[Pace]":
    """A running upstream; `pace.url` is its address, which pages of this machine may ask.

    `stream_audit` says what it answers; `pace.play(events)` does so by hand.
    """
    from pageside.audit.pace import Pace

    with Pace(allow_origins=["*"]) as running:
        yield running


class StreamAudit:
    """The fixture: call it with an address to hold a page to its budgets."""

    def __init__(self, request: pytest.FixtureRequest, folder: Path) -> None:
        self._request = request
        self._folder = folder

    def __call__(self, url: str, **options: Any) -> "AuditResult":
        """Measures and judges; returns the result of an audit that passed.

        The options are those of `measure`. Fails or skips the test otherwise.
        """
        __tracebackhide__ = True
        try:
            result = self.measure(url, **options)
        except PagesideError as error:
            pytest.fail(str(error), pytrace=False)
        if result.verdict == "pass":
            return result
        summary = "\n".join(self._summary)
        if result.verdict == "fail":
            pytest.fail(summary, pytrace=False)
        if self._request.config.getini(_INCONCLUSIVE) == "fail":
            pytest.fail(summary, pytrace=False)
        pytest.skip(summary)

    def measure(
        self,
        url: str,
        *,
        recipe: str | None = None,
        profile: str = "quick",
        scenarios: str | Sequence[str] = (),
        budgets: str | Path | None = None,
        runs: int = 1,
        software_webgpu: bool = False,
        allow_hosts: Sequence[str] = (),
    ) -> "AuditResult":
        """Measures without judging the test; the report is written all the same.

        `url`, `recipe`, `profile`, `scenarios`, `runs` and `budgets` (a TOML file) are those of
        `pageside audit`. Where the page streams from the `pace` fixture, its address goes into
        the URL. Raises an AuditError where the page cannot be used.
        """
        from pageside.audit.growth import with_bases
        from pageside.audit.report import summary_lines, write_report
        from pageside.audit.scenarios import choose
        from pageside.audit.session import Options, audit, save_traces
        from pageside.audit.subject import PLACEHOLDER
        from pageside.audit.target import Recipe, load_recipe

        known = load_recipe(recipe) if recipe else Recipe()
        names = [scenarios] if isinstance(scenarios, str) else scenarios
        pace = None if known.feed == "script" else self._request.getfixturevalue("pace")
        options = Options(
            url=url.replace(PLACEHOLDER, pace.url) if pace else url,
            recipe=known,
            scenarios=with_bases(choose(_profile(profile), names)),
            budgets=self._budgets(budgets),
            pace=pace,
            runs=runs,
            browser=self._request.config.getoption("--stream-audit-browser"),
            software_webgpu=software_webgpu,
            allow_hosts=allow_hosts,
        )
        outcome: Outcome = _in_a_thread(audit(options))
        report = write_report(outcome.result, self._folder)
        save_traces(outcome, self._folder)
        self._summary = summary_lines(outcome.result, report.html)
        self._request.node.user_properties.append(("stream_audit", str(report.html)))
        return outcome.result

    def _budgets(self, file: str | Path | None) -> "Sequence[Budget]":
        from pageside.audit.budgets import budgets_of, default_budgets, load_budgets
        from pageside.audit.metrics import METRICS

        marks = list(self._request.node.iter_markers("stream_budget"))
        most: Mapping[str, Any] = {k: v for mark in reversed(marks) for k, v in mark.kwargs.items()}
        if most:
            return budgets_of(most, METRICS)
        return load_budgets(Path(file), METRICS) if file else default_budgets()


@pytest.fixture
def stream_audit(request: pytest.FixtureRequest, tmp_path: Path) -> StreamAudit:
    """Measures a streaming page: `stream_audit(url)`. See `StreamAudit`."""
    folder = request.config.getini(_FOLDER)
    name = re.sub(r"[^\w.-]+", "-", request.node.nodeid)
    return StreamAudit(request, request.config.rootpath / folder / name if folder else tmp_path)


def _profile(name: str) -> Any:
    from pageside.audit.errors import AuditError
    from pageside.audit.scenarios import PROFILES

    if name not in PROFILES:
        raise AuditError(f"there is no profile {name!r}", hint=f"use {', '.join(PROFILES)}")
    return name


def _in_a_thread(work: Coroutine[Any, Any, Any]) -> Any:
    """pytest-playwright keeps an event loop in the test's own thread. Ctrl-C ends the work in good
    order: its browser and its folders go."""
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)
    ended = threading.Event()

    def run() -> None:
        try:
            loop.run_until_complete(asyncio.wait([task]))
        finally:
            loop.close()
            ended.set()

    threading.Thread(target=run, name="stream-audit", daemon=True).start()
    try:
        while not ended.wait(timeout=0.2):
            pass
    except BaseException:
        loop.call_soon_threadsafe(task.cancel)
        ended.wait()
        raise
    return task.result()


__all__ = ["StreamAudit", "pace", "stream_audit"]
