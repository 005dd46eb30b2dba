"""Two pages side by side in one browser; one beside itself is no slower."""

import json
from pathlib import Path

import pytest

from harness.auditpages import AuditPages
from pageside.audit import play, scenarios, versus, windows
from pageside.audit.compare import Comparison, ComparisonResult
from pageside.audit.errors import AuditError
from pageside.audit.feed import PaceFeed
from pageside.audit.pace import Pace
from pageside.audit.scenarios import Kind, Scenario
from pageside.audit.session import Options
from pageside.audit.stage import Stage
from pageside.audit.take import Take
from pageside.audit.target import Recipe

from . import takes

KEY = ("cpu_ms_per_token", "length-2000")


def compared(b_costs: float, pairs: int = 60) -> ComparisonResult:
    """B costs so many times what A does, give or take little."""
    comparison = Comparison([KEY], most_pairs=pairs)
    for pair in range(pairs):
        wobble = 1 + 0.002 * (pair % 5 - 2)
        a = takes.samples(KEY[1], **{KEY[0]: 2.0})
        b = takes.samples(KEY[1], **{KEY[0]: 2.0 * b_costs * wobble})
        if pair % versus.CONTROL_EVERY == 0:
            comparison.feed_control(a, takes.samples(KEY[1], **{KEY[0]: 2.0 * wobble}))
        if comparison.feed(a, b):
            break
    return comparison.result()


@pytest.mark.parametrize(
    ("b_costs", "pairs", "outcome", "status"),
    [(2, 60, "slower", 3), (0.5, 60, "faster", 0), (1, 60, "same", 0), (2, 2, "inconclusive", 4)],
)
def test_every_outcome_has_its_lines_and_its_exit_status(
    b_costs: float, pairs: int, outcome: str, status: int
) -> None:
    result = compared(b_costs, pairs)
    assert result.outcome == outcome
    assert versus.EXIT_STATUS[result.outcome] == status
    first, count = versus.lines(result)
    assert first.startswith(f"{outcome.upper()} ")
    assert count == f"  {result.pairs} pairs, and {result.control_pairs} of page A with itself"


def test_the_file_is_the_json_that_is_printed(tmp_path: Path) -> None:
    result = compared(2, 4)
    path = versus.write(result, tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "comparison.json"
    assert path.read_text() == versus.as_json(result)
    told = json.loads(path.read_text())
    assert told["outcome"] == "inconclusive"
    assert told["pairs"] == 4
    assert told["control_pairs"] == 2
    assert told["effects"][0]["metric"] == "cpu_ms_per_token"
    assert versus.write(result, path.parent) == path, "it may be written again"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AuditError, match="file"):
        versus.write(compared(1, 2), tmp_path / "file")


@pytest.mark.anyio
@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
async def test_a_page_that_loses_words_loses_the_pair(
    monkeypatch: pytest.MonkeyPatch, order: tuple[str, str]
) -> None:
    """Both are played, in the order of the coin, each scenario once."""
    played = []

    async def play(stage: Stage, scenario: Scenario, kind: Kind, run: int) -> Take:
        played.append((stage.url, scenario.name, kind, run))
        spans = {"idle_span": takes.span(1000, 0), "stream_span": takes.span(1000, 50)}
        made = takes.take(kind, scenario, run=run, **spans)
        if stage.url == "b" and scenario.name == "two":
            made.words.pop()
        return made

    monkeypatch.setattr(versus, "play_within", play)
    with Pace() as pace:
        feed = PaceFeed(pace, "marker")
        arms = {arm: Stage(None, arm, Recipe(), feed, "marker") for arm in "ab"}  # type: ignore[arg-type]
        chosen = [takes.scenario(name, kinds=("counters",)) for name in ("one", "two")]
        a, b = await versus._pair(arms, order, chosen, 7)
    assert played == [(arm, name, "counters", 7) for arm in order for name in ("one", "two")]
    assert {sample.scenario for sample in a} == {"one", "two"}
    assert {sample.scenario for sample in b} == {"one"}
    assert {(s.value, s.run) for s in a if s.metric == "cpu_ms_per_token"} == {(5, 7)}


@pytest.mark.anyio
async def test_a_clean_page_beside_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pairs and a control of one: too few to say anything, and all were measured."""
    for module, name in ((play, "SETTLE_S"), (windows, "RAMP_S"), (scenarios, "RAMP_S")):
        monkeypatch.setattr(module, name, 0.1)
    monkeypatch.setattr(windows, "CONTROL_S", 0.2)
    short = takes.scenario("short", rate=100, seconds=0.3, before=50, kinds=("counters",))
    monkeypatch.setattr(versus, "choose", lambda profile, names: [short])
    told = []
    with AuditPages() as pages, Pace(allow_origins=[pages.url]) as pace:
        options = Options(
            url=pages.address("clean-text", pace.url),
            recipe=Recipe(),
            scenarios=[],
            budgets=[],
            pace=pace,
        )
        result = await versus.compare(
            options, options, most_pairs=2, on_progress=lambda *progress: told.append(progress)
        )
        played = [delivery.end for delivery in pace.deliveries]
    assert told == [("comparing, pair by pair", pair, 2) for pair in range(2)]
    assert played == ["done"] * 6
    assert (result.pairs, result.control_pairs) == (2, 1)
    assert result.outcome == "inconclusive"
    for effects, pairs in ((result.effects, 2), (result.control, 1)):
        (effect,) = effects
        assert (effect.metric, effect.scenario, effect.pairs) == (KEY[0], "short", pairs)
