"""Two pages in one session, pair by pair, until it is clear which costs more.

Each pair plays one short scenario on both, in the order of a coin, each on a fresh tab; every
third pair is page A beside itself, the control.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from pageside.audit import measure
from pageside.audit.compare import Comparison, ComparisonResult, orders
from pageside.audit.feed import Feed, PaceFeed, ScriptFeed
from pageside.audit.play import play_within
from pageside.audit.report import writing
from pageside.audit.result import Sample
from pageside.audit.scenarios import Scenario, choose
from pageside.audit.session import MARKER, Options, Progress, host_of, lost_is_told
from pageside.audit.stage import Stage
from pageside.browser.launch import Browser, launch

METRICS = ("cpu_ms_per_token",)
SCENARIOS = ("length-2000",)
CONTROL_EVERY = 3
# Less is the machine's own noise.
FLOORS = {"cpu_ms_per_token": 0.05}
EXIT_STATUS = {"same": 0, "faster": 0, "slower": 3, "inconclusive": 4}


async def compare(
    a: Options,
    b: Options,
    *,
    scenarios: Sequence[str] = SCENARIOS,
    most_pairs: int = 60,
    seed: int = 0,
    on_progress: Progress = lambda *_: None,
) -> ComparisonResult:
    """B beside A. The errors are those of `audit`."""
    chosen = choose("quick", scenarios)
    keys = [(metric, scenario.name) for metric in METRICS for scenario in chosen]
    comparison = Comparison(keys, most_pairs=most_pairs, floors=FLOORS)
    async with launch(
        a.browser,
        host=host_of(a.url),
        other_hosts=[host_of(b.url), *a.allow_hosts],
        software_webgpu=a.software_webgpu,
        later_collections=False,
    ) as browser:
        arms = {"a": _stage(a, browser), "b": _stage(b, browser)}
        coin = orders(seed)
        for pair in range(most_pairs):
            on_progress("comparing, pair by pair", pair, most_pairs)
            if pair % CONTROL_EVERY == 0:
                alike = {"a": arms["a"], "b": arms["a"]}
                comparison.feed_control(*await _pair(alike, next(coin), chosen, pair))
            if comparison.feed(*await _pair(arms, next(coin), chosen, pair)):
                break
    return comparison.result()


def lines(result: ComparisonResult) -> list[str]:
    """For a terminal."""
    told = [f"{result.outcome.upper()} {result.reason}"]
    for effect in result.effects if len(result.effects) > 1 else ():
        told.append(f"  {effect.metric}, {effect.scenario}: {effect.reason}")
    told.append(f"  {result.pairs} pairs, and {result.control_pairs} of page A with itself")
    return told


def as_json(result: ComparisonResult) -> str:
    return json.dumps(asdict(result), ensure_ascii=False, indent=1) + "\n"


def write(result: ComparisonResult, folder: Path) -> Path:
    """comparison.json in `folder`."""
    path = folder / "comparison.json"
    with writing(folder):
        path.write_text(as_json(result), encoding="utf-8")
    return path


def _stage(options: Options, browser: Browser) -> Stage:
    feed: Feed = PaceFeed(options.pace, MARKER) if options.pace else ScriptFeed(browser.context)
    return Stage(browser.context, options.url, options.recipe, feed, MARKER)


async def _pair(
    arms: dict[str, Stage], order: Sequence[str], scenarios: Sequence[Scenario], run: int
) -> tuple[list[Sample], list[Sample]]:
    samples: dict[str, list[Sample]] = {"a": [], "b": []}
    for arm in order:
        for scenario in scenarios:
            with lost_is_told(arms[arm].url):
                take = await play_within(arms[arm], scenario, "counters", run)
            # A page that loses words has not been measured: its pair is lost.
            if measure.words_missing(take) == 0:
                samples[arm] += measure.samples(take)
    return samples["a"], samples["b"]
