"""Pages that do wrong, or right, in a way that is easily taken for its opposite.

Each plays one short take, with the probe, of the scenario that shows it. Verdicts of one metric
are asserted where the page's other figures depend on how busy the machine is.
"""

from dataclasses import replace
from urllib.parse import urlencode

import psutil
import pytest

from harness.auditpages import AuditPages
from harness.scratch import eventually
from pageside.audit import play, windows
from pageside.audit.budgets import default_budgets
from pageside.audit.errors import AnswerNotFound, PageLost
from pageside.audit.pace import Pace
from pageside.audit.result import AuditResult, Finding
from pageside.audit.scenarios import Scenario, choose
from pageside.audit.session import Options, audit
from pageside.audit.target import Recipe

pytestmark = pytest.mark.anyio

SECONDS = 1.0
# Words of a take's end whose frame a busy machine may show after the window.
ROOM = 3


def scenario(name: str, *, seconds: float = SECONDS, before: int = 100) -> Scenario:
    (chosen,) = choose("quick", [name])
    return replace(chosen, seconds=seconds, before=before, kinds=("evidence",))


STEADY = scenario("steady-33")
# It presses Stop after 1.5 s, and what the upstream wrote a second later counts.
STOP = scenario("stop", seconds=3)


async def audited(mode: str, *scenarios: Scenario, at: int = 0) -> AuditResult:
    """One take of each scenario; words from w<at> on are odd where the mode has a moment."""
    with AuditPages() as pages, Pace(allow_origins=[pages.url]) as pace:
        query = urlencode({"upstream": pace.url, "mode": mode, "at": at})
        options = Options(
            url=f"{pages.url}/odd.html?{query}",
            recipe=Recipe(),
            scenarios=scenarios,
            budgets=default_budgets(),
            pace=pace,
        )
        return (await audit(options)).result


def finding(result: AuditResult, metric: str, scenario: Scenario) -> Finding:
    (found,) = [
        found
        for found in result.findings
        if (found.metric.name, found.scenario) == (metric, scenario.name)
    ]
    return found


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not on the page within a second or two is not waited for."""
    monkeypatch.setattr(play, "LOCATE_PATIENCE_S", 2.0)
    monkeypatch.setattr(play, "FILL_PATIENCE_S", 1.0)
    monkeypatch.setattr(windows, "FINISH_PATIENCE_S", 2.0)


async def test_a_stream_that_is_not_painted_does_not_pass_because_it_was_stopped() -> None:
    result = await audited("nothing", STOP, at=STOP.before)
    missing = finding(result, "words_missing", STOP)
    assert missing.values[0] > 0
    assert missing.verdict == "fail", missing.reason
    assert result.verdict == "fail"


async def test_words_shown_twice_are_out_of_place() -> None:
    result = await audited("twice", STEADY)
    missing = finding(result, "words_missing", STEADY)
    assert missing.values[0] >= STEADY.before + STEADY.part_count
    assert missing.verdict == "fail", missing.reason
    assert result.verdict == "fail"


async def test_an_answer_that_nobody_can_see_is_not_there() -> None:
    result = await audited("unseen", STEADY)
    missing = finding(result, "words_missing", STEADY)
    assert missing.values == (STEADY.before + STEADY.part_count,)
    assert result.verdict == "fail"
    assert "The answer is on the page, and nobody can see it." in result.notes


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("played", [STEADY, STOP], ids=lambda played: str(played.name))
async def test_an_answer_that_comes_when_it_has_ended_does_not_pass(played: Scenario) -> None:
    result = await audited("late", played)
    assert result.verdict != "pass", [found.reason for found in result.findings]


async def test_a_page_that_goes_elsewhere_is_lost_and_the_audit_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(windows, "FINISH_PATIENCE_S", 2.0)
    gone = scenario("steady-20", before=300)
    again = scenario("steady-10")
    result = await audited("navigates", STEADY, gone, again, at=gone.before + 3)
    lost = finding(result, "page_lost", gone)
    assert (lost.values, lost.verdict) == ((1,), "fail")
    assert [f.scenario for f in result.findings if f.metric.name == "page_lost"] == [gone.name]
    assert result.verdict == "fail"
    assert any(gone.name in note for note in result.notes), result.notes
    for kept in (STEADY, again):
        assert finding(result, "words_missing", kept).values == (0,)


@pytest.mark.usefixtures("impatient")
async def test_an_answer_in_a_frame_is_refused_with_the_reason() -> None:
    with pytest.raises(AnswerNotFound) as refused:
        await audited("frame", STEADY)
    assert "frames" in (refused.value.hint or "")


async def test_a_page_that_hangs_ends_the_audit_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(play, "TAKE_PATIENCE_S", 2.0)  # and four times the scenario's seconds
    monkeypatch.setattr(play, "CLOSE_PATIENCE_S", 1.0)
    before = children()
    with pytest.raises(PageLost) as lost:
        await audited("hang", STEADY, at=STEADY.before + 3)
    assert STEADY.name in lost.value.message
    assert lost.value.hint
    eventually(lambda: not children() - before, lambda: f"left running: {children() - before}")


def children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


async def test_words_cut_apart_into_characters_are_read_and_their_lag_is_measured() -> None:
    result = await audited("cutapart", STEADY)
    missing = finding(result, "words_missing", STEADY)
    assert (missing.values, missing.verdict) == ((0,), "pass")
    assert finding(result, "lag_p95_ms", STEADY).values
    (timeline,) = result.timelines
    assert timeline.painted[-1][1] >= STEADY.part_count - ROOM
    assert len(timeline.lags) >= STEADY.part_count - ROOM


async def test_a_stop_button_that_is_always_there_is_found() -> None:
    result = await audited("always-stop", STOP)
    assert not [note for note in result.notes if "Stop" in note]
    assert finding(result, "stop_to_last_mutation_ms", STOP).values
    assert finding(result, "words_missing", STOP).verdict == "pass"
    assert finding(result, "tokens_after_stop", STOP).verdict == "pass"
