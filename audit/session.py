"""One audit: every scenario, every run, and what they say together.

launch → (scenario × kind × run) takes → samples, guards → diagnoses → verdict → AuditResult
"""

import gzip
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError

from pageside.audit import guards as guard_checks
from pageside.audit import machine, measure
from pageside.audit.diagnose import Facts, diagnose
from pageside.audit.errors import AnswerNotFound, AuditError, PageLost
from pageside.audit.feed import Feed, PaceFeed, ScriptFeed
from pageside.audit.growth import growth, of_bases
from pageside.audit.metrics import METRICS, arrival, integrity, upstream
from pageside.audit.pace import Pace
from pageside.audit.play import play_within
from pageside.audit.report import writing
from pageside.audit.result import (
    AuditResult,
    Budget,
    Diagnosis,
    Finding,
    Guard,
    Sample,
    SavedTrace,
)
from pageside.audit.scenarios import Kind, Scenario
from pageside.audit.stage import Stage
from pageside.audit.take import Take
from pageside.audit.target import Recipe
from pageside.audit.verdict import budget_of, judge, overall
from pageside.browser.launch import Browser, launch

# Of one take, when the machine was too busy to measure in. What disturbs it without an end would
# make the audit three times as long; then the last take counts, as inconclusive.
MOST_RETAKES = 2

# A word that no page has by chance.
MARKER = "qzauditqz"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Options:
    """What to measure and how. `pace` is running, or None where the page has its own feed."""

    url: str
    recipe: Recipe
    scenarios: Sequence[Scenario]
    budgets: Sequence[Budget]
    pace: Pace | None = None
    runs: int = 1
    browser: str | Path | None = None
    allow_hosts: Sequence[str] = ()
    software_webgpu: bool = False
    throttle: float = 1.0


@dataclass
class Outcome:
    """The result, and the traces that are saved beside its report, gzipped: name → content."""

    result: AuditResult
    traces: dict[str, bytes] = field(default_factory=dict)


async def audit(options: Options, on_progress: Progress = lambda *_: None) -> Outcome:
    """Raises an AuditError where the page cannot be opened or used, and a BrowserError."""
    if options.runs < 1 or not options.scenarios:
        raise AuditError("there is nothing to play", hint="ask for one run or more of a scenario")
    began = time.monotonic()
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    async with launch(
        options.browser,
        host=host_of(options.url),
        other_hosts=options.allow_hosts,
        software_webgpu=options.software_webgpu,
        # Ours, before a stretch is measured, would have others fall into it.
        later_collections=False,
    ) as browser:
        session = _Session(options, browser, on_progress)
        await session.run()
        about = machine.fingerprint(browser.version)
    return session.outcome(started_at, time.monotonic() - began, about)


class _Session:
    def __init__(self, options: Options, browser: Browser, on_progress: Progress) -> None:
        self._options = options
        self._on_progress = on_progress
        self._step = 0, 0
        self._refused: set[str] = set()
        self._retaken: list[str] = []
        context = browser.context
        context.on("requestfailed", lambda request: self._note(request.url, request.failure))
        feed: Feed = PaceFeed(options.pace, MARKER) if options.pace else ScriptFeed(context)
        self._stage = Stage(context, options.url, options.recipe, feed, MARKER, options.throttle)
        self._takes: list[Take] = []
        self._samples: list[Sample] = []
        self._guards: list[Guard] = []
        self._diagnoses: tuple[Diagnosis, ...] = ()

    async def run(self) -> None:
        """Plays everything."""
        count = self._options.runs * sum(len(s.kinds) for s in self._options.scenarios)
        for done, (scenario, kind, run) in enumerate(self._plan()):
            self._step = done, count
            self._tell(f"{scenario.title} ({kind})")
            await self._play(scenario, kind, run)
        self._samples += growth(self._samples, self._takes)
        self._diagnoses = diagnose(self._facts)
        await self._look_closer()

    def outcome(self, started_at: str, duration_s: float, about: Mapping[str, str]) -> Outcome:
        options = self._options
        names = [scenario.name for scenario in options.scenarios]
        guards = [*self._guards, *of_bases(self._guards, names)]
        findings = judge(self._samples, METRICS, self._budgets, guards, names)
        findings = [self._with_notes(finding) for finding in findings]
        traces = dict(self._traces())
        timelines = (measure.timeline(take) for take in self._takes if take.run == 0)
        costs = (measure.cost(take) for take in self._takes if take.run == 0)
        result = AuditResult(
            url=options.url,
            title=self._takes[0].title,
            recipe=options.recipe.name,
            started_at=started_at,
            duration_s=duration_s,
            verdict=overall(findings),
            findings=tuple(findings),
            guards=tuple(self._guards),
            diagnoses=self._diagnoses,
            timelines=tuple(timeline for timeline in timelines if timeline is not None),
            costs=tuple(cost for cost in costs if cost is not None),
            traces=tuple(
                SavedTrace(name.removesuffix(".json.gz"), f"traces/{name}", len(content))
                for name, content in traces.items()
            ),
            machine=about,
            options=self._described(),
            notes=tuple(self._notes()),
        )
        return Outcome(result, traces)

    def _with_notes(self, finding: Finding) -> Finding:
        """Why a figure is missing, as the takes that should have given it tell."""
        if finding.verdict is None or finding.values:
            return finding
        told = dict.fromkeys(
            note
            for take in self._takes
            if take.scenario.name == finding.scenario
            for note in take.notes
        )
        return replace(finding, reason=". ".join([finding.reason, *told])) if told else finding

    @property
    def _budgets(self) -> list[Budget]:
        """Without an upstream of ours nobody can say what it noticed. A lost page is a fail
        whatever the budgets."""
        never = Budget(integrity.PAGE_LOST.name, 0)
        unknown = {metric.name for metric in (*upstream.DEFINITIONS, *arrival.DEFINITIONS)}
        known = [
            budget
            for budget in self._options.budgets
            if self._options.pace is not None or budget.metric not in unknown
        ]
        was_lost = any(sample.metric == never.metric for sample in self._samples)
        return [*known, never] if was_lost else known

    def _plan(self) -> Iterator[tuple[Scenario, Kind, int]]:
        """Runs go round, so that what the machine does meanwhile falls on all scenarios."""
        for run in range(self._options.runs):
            for scenario in self._options.scenarios:
                for kind in scenario.kinds:
                    yield scenario, kind, run

    async def _play(self, scenario: Scenario, kind: Kind, run: int) -> None:
        try:
            take = await self._measured(scenario, kind, run)
        except (AnswerNotFound, PageLost) as error:
            if all(take.held_back for take in self._takes):
                raise
            # It could be used before: that it cannot now is what this scenario found.
            take = Take(scenario, kind, run, notes=[f"In {scenario.name}: {error.message}."])
            self._samples.append(Sample(integrity.PAGE_LOST.name, scenario.name, run, 1))
        self._takes.append(take)
        self._samples += measure.samples(take)
        self._guards += guard_checks.guards(take)

    async def _measured(self, scenario: Scenario, kind: Kind, run: int) -> Take:
        """A take that the machine has disturbed has measured the machine: it is played again,
        whatever its figures are."""
        for retakes in range(MOST_RETAKES + 1):
            take = await self._played(scenario, kind, run)
            why = self._disturbed(take)
            if why is None or retakes == MOST_RETAKES:
                break
            self._retaken.append(f"{scenario.name}: {why}")
            self._tell(f"{scenario.title} ({kind}, again: the machine was busy)")
        return take

    def _disturbed(self, take: Take) -> str | None:
        """What the machine did meanwhile, if it spoils a figure that is to be judged."""
        name = take.scenario.name
        metrics = [METRICS[sample.metric] for sample in measure.samples(take)]
        judged = {metric.kind for metric in metrics if budget_of(metric, name, self._budgets)}
        for guard in guard_checks.disturbed(guard_checks.guards(take)):
            if judged & guard.spoils:
                return guard.detail
        return None

    def _tell(self, stage: str) -> None:
        self._on_progress(stage, *self._step)

    async def _played(self, scenario: Scenario, kind: Kind, run: int) -> Take:
        with lost_is_told(self._options.url):
            return await play_within(self._stage, scenario, kind, run)

    async def _look_closer(self) -> None:
        """A fault found in a take without the profiler is played once more with it, so that the
        line to blame can be named; its figures are not used."""
        by_name = {scenario.name: scenario for scenario in self._options.scenarios}
        again = [
            by_name[diagnosis.scenario]
            for diagnosis in self._diagnoses
            if not self._facts.takes(diagnosis.scenario, "evidence")
            and diagnosis.scenario in by_name
        ]
        for scenario in again:
            self._tell(f"{scenario.title} (who is to blame)")
            self._takes.append(await self._played(scenario, "evidence", 0))
        if again:
            self._diagnoses = diagnose(self._facts)

    @property
    def _facts(self) -> Facts:
        return Facts(self._samples, self._takes)

    def _traces(self) -> Iterator[tuple[str, bytes]]:
        for take in self._takes:
            if take.run == 0 and take.trace_json:
                name = f"{take.scenario.name}-{take.kind}.json.gz"
                yield name, gzip.compress(take.trace_json, compresslevel=5)

    def _note(self, url: str, failure: str | None) -> None:
        if failure and "ERR_NAME_NOT_RESOLVED" in failure:
            self._refused.add(urlsplit(url).hostname or url)

    def _notes(self) -> Iterator[str]:
        for host in sorted(self._refused):
            yield (
                f"The page asked for {host}, which the audit does not let through: "
                f"--allow-host {host} would."
            )
        for why in dict.fromkeys(self._retaken):
            yield f"Played again, as the machine was busy: {why}."
        yield from dict.fromkeys(note for take in self._takes for note in take.notes)

    def _described(self) -> dict[str, str]:
        options = self._options
        return {
            "scenarios": ", ".join(scenario.name for scenario in options.scenarios),
            "runs": str(options.runs),
            "feed": "pageside pace" if options.pace else "Pageside's scripted engine",
            "throttle of evidence runs": f"{options.throttle:g}×",
            "software WebGPU": "yes" if options.software_webgpu else "no",
        }


def host_of(url: str) -> str:
    return urlsplit(url).hostname or "127.0.0.1"


@contextmanager
def lost_is_told(url: str) -> Iterator[None]:
    """Maps what Playwright raises when a page or its browser ends."""
    try:
        yield
    except PlaywrightError as error:
        raise PageLost(
            f"{url} was lost while it was measured ({error.message.splitlines()[0]})",
            hint="open it in a browser and see whether it stays there",
        ) from error


def save_traces(outcome: Outcome, folder: Path) -> None:
    """Into `folder`/traces, where the report looks for them."""
    if outcome.traces:
        with writing(folder / "traces"):
            for name, content in outcome.traces.items():
                (folder / "traces" / name).write_bytes(content)
