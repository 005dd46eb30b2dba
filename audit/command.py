"""`pageside audit`: measures a streaming page, and says which stage is to blame."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pageside.audit.scenarios import Profile, Scenario
    from pageside.audit.session import Options, Outcome, Progress
    from pageside.browser.interrupts import Interrupts
    from pageside.browser.status import StatusLine

DEFAULT_PACE_PORT = 8766
DEFAULT_FOLDER = Path("pageside-audit")

_EXAMPLES = """\
examples:
  pageside audit                                   Pageside's own page, scripted engine
  pageside audit http://localhost:3000             any page whose backend asks the upstream at
                                                   http://127.0.0.1:8766/v1 (see `pageside pace`)
  pageside audit 'http://localhost:3000/?api={pace}/v1'   a page that takes it in its address
  pageside audit URL --recipe my.toml --profile quick --budget budgets.toml --json
  pageside audit URL --compare URL2                which of the two is slower

Exit status: 0 passed, 3 a budget was exceeded, 4 inconclusive, 1 failed, 2 wrong usage.
"""


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    from pageside.audit.scenarios import PROFILES, SCENARIOS

    parser = subparsers.add_parser(
        "audit",
        help="measure a streaming chat page",
        description="Opens the page in a headless browser, streams answers to it from an "
        "upstream of its own, and measures whether the page keeps up.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("url", metavar="URL", nargs="?", help="{pace} in it is the upstream's address")
    add("--recipe", metavar="NAME|FILE", help="how to use the page (default: detected)")
    add("--profile", choices=tuple(PROFILES), default="standard", help=_profiles(PROFILES))
    add("--scenario", metavar="GLOB", action="append", default=[], help=_scenarios(SCENARIOS))
    add("--runs", metavar="N", type=int, default=1, help="times each scenario (%(default)s)")
    add("--budget", metavar="FILE", type=Path, help="TOML (default: smooth at 4x)")
    add("--out", metavar="DIR", type=Path, default=DEFAULT_FOLDER, help="report (%(default)s)")
    add("--json", action="store_true", help="print the result as JSON")
    add("--compare", metavar="URL2", help="interleave with this page and compare the two")
    add("--history", metavar="FILE", type=Path, help="append the result; compare with the past")
    add("--pace-port", metavar="P", type=int, default=DEFAULT_PACE_PORT, help="(%(default)s)")
    add("--allow-host", metavar="HOST", action="append", default=[], help="the page may ask it")
    add("--browser", metavar="PATH", help="the Chromium to use (default: the first found)")
    add("--throttle", metavar="K", type=float, default=1.0, help="evidence runs: slower CPU")
    add("--software-webgpu", action="store_true", help="WebGPU on the CPU where there is no GPU")
    parser.set_defaults(run=run, usage_error=parser.error)


def _scenarios(scenarios: "Sequence[Scenario]") -> str:
    return f"only these: {', '.join(s.name for s in scenarios)}; any other number, too"


def _profiles(profiles: Mapping["Profile", str]) -> str:
    return "; ".join(f"{name}: {about}" for name, about in profiles.items())


def run(options: argparse.Namespace) -> int:
    """Measures; everything that can be refused is refused before a browser starts."""
    from pageside.audit.errors import AuditError
    from pageside.audit.scenarios import choose
    from pageside.browser.interrupts import run_interruptibly

    if not 1 <= options.runs <= 1000:
        options.usage_error("--runs must be from 1 to 1000")
    if not 1 <= options.throttle <= 20:
        options.usage_error("--throttle must be from 1 to 20")
    try:
        choose(options.profile, options.scenario)
    except AuditError as error:
        options.usage_error(str(error))
    if options.compare and options.url is None:
        options.usage_error("--compare needs two addresses")
    if not 0 <= options.pace_port <= 65535:
        options.usage_error("--pace-port must be from 0 to 65535")
    return run_interruptibly(lambda interrupts: _run(options, interrupts))


async def _run(options: argparse.Namespace, interrupts: "Interrupts") -> int:
    from pageside.audit.history import check_writable, read_history
    from pageside.audit.report import check_folder
    from pageside.browser.status import StatusLine

    check_folder(options.out)  # before minutes of measuring, not after
    if options.history is not None:
        read_history(options.history, missing_is_empty=True)
        check_writable(options.history)
    with _chosen(options) as chosen, StatusLine() as status:
        progress = status if sys.stderr.isatty() else tell_log
        if options.compare:
            return await _compare(options, chosen, status, progress, interrupts)
        return await _audit(options, chosen[0], status, progress, interrupts)


def tell_log(stage: str, done: int, total: int) -> None:
    """A line a step, where no terminal shows the status: minutes of silence look like a hang."""
    print(f"pageside: {stage}, {done + 1} of {total}", file=sys.stderr, flush=True)


async def _audit(
    options: argparse.Namespace,
    chosen: "Options",
    status: "StatusLine",
    progress: "Progress",
    interrupts: "Interrupts",
) -> int:
    from pageside.audit.report import result_json, summary_lines, write_report
    from pageside.audit.session import audit, save_traces
    from pageside.audit.verdict import exit_status

    outcome = await audit(chosen, progress)
    status.clear()
    report = write_report(outcome.result, options.out)
    save_traces(outcome, options.out)
    said = summary_lines(outcome.result, report.html)
    _say(said, result_json(outcome.result) if options.json else None, interrupts)
    for line in _remember(outcome, options):
        print(line, file=sys.stderr if options.json else sys.stdout)
    return exit_status(outcome.result.verdict)


async def _compare(
    options: argparse.Namespace,
    chosen: list["Options"],
    status: "StatusLine",
    progress: "Progress",
    interrupts: "Interrupts",
) -> int:
    from pageside.audit import versus

    scenarios = options.scenario or versus.SCENARIOS
    result = await versus.compare(*chosen, scenarios=scenarios, on_progress=progress)
    status.clear()
    versus.write(result, options.out)
    _say(versus.lines(result), versus.as_json(result) if options.json else None, interrupts)
    return versus.EXIT_STATUS[result.outcome]


@contextmanager
def _chosen(options: argparse.Namespace) -> Iterator[list["Options"]]:
    """What to measure, with the servers that it needs running."""
    from pageside.audit.budgets import default_budgets, load_budgets
    from pageside.audit.growth import with_bases
    from pageside.audit.metrics import METRICS
    from pageside.audit.scenarios import choose
    from pageside.audit.session import Options
    from pageside.audit.subject import subjects

    budgets = load_budgets(options.budget, METRICS) if options.budget else default_budgets()
    scenarios = with_bases(choose(options.profile, options.scenario))
    urls = [options.url, options.compare] if options.compare else [options.url]
    with subjects(urls, options.recipe, pace_port=options.pace_port) as pages:
        yield [
            Options(
                url=page.url,
                recipe=page.recipe,
                pace=page.pace,
                scenarios=scenarios,
                budgets=budgets,
                runs=options.runs,
                browser=options.browser,
                allow_hosts=options.allow_host,
                software_webgpu=options.software_webgpu,
                throttle=options.throttle,
            )
            for page in pages
        ]


def _remember(outcome: "Outcome", options: argparse.Namespace) -> list[str]:
    """Appends to the history, and says how this audit differs from those in it."""
    if options.history is None:
        return []
    from pageside.audit.history import append, compare_with_past, read_history, record_of

    # As it was asked for: ports of servers of ours are others each time.
    newest = replace(record_of(outcome.result), url=options.url or "pageside")
    past = read_history(options.history, missing_is_empty=True)
    append(options.history, newest)
    compared = compare_with_past(past.records, newest)
    changed = [finding for finding in compared.findings if finding.change in ("more", "less")]
    return [
        f"history: {compared.note}",
        *past.notes,
        *(f"  {found.metric}, {found.scenario}: {found.reason}" for found in changed),
    ]


def _say(lines: list[str], as_json: str | None, interrupts: "Interrupts") -> None:
    text = "\n".join(lines) + "\n"
    with interrupts.blocking_call():
        if as_json is None:
            sys.stdout.write(text)
        else:
            sys.stderr.write(text)
            sys.stdout.write(as_json.rstrip("\n") + "\n")
        sys.stdout.flush()
