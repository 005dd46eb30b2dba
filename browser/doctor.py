"""`pageside doctor`: what is here, what is missing, and what to do about it."""

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pageside.browser.checks import Check

_EXAMPLES = """\
examples:
  pageside doctor
  pageside doctor --json                        for programs
  PAGESIDE_BROWSER=/opt/chrome pageside doctor  look at another browser
"""


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "doctor",
        help="what is here, what is missing, what to do",
        description="Looks at the browser, its GPU and threads, the disk, the models and the "
        "vendored files. Ends with 0 if Pageside can be used, else with 1.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--browser", metavar="PATH", help="the Chromium to look at")
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    parser.set_defaults(run=doctor)


def doctor(options: argparse.Namespace) -> int:
    """Prints every check; 0 if nothing is missing."""
    from pageside.browser.checks import all_checks
    from pageside.browser.interrupts import Interrupts, run_interruptibly
    from pageside.models.store import ModelStore, default_root

    async def look(interrupts: Interrupts) -> int:
        checks = await all_checks(ModelStore(default_root()), options.browser)
        usable = all(check.state != "missing" for check in checks)
        print(_as_json(checks, usable) if options.json else _as_text(checks, usable))
        return 0 if usable else 1

    return run_interruptibly(look)


def _as_json(checks: "list[Check]", usable: bool) -> str:
    from dataclasses import asdict

    return json.dumps({"usable": usable, "checks": [asdict(check) for check in checks]}, indent=1)


def _as_text(checks: "list[Check]", usable: bool) -> str:
    lines = []
    for check in checks:
        lines.append(f"{check.state:<8} {check.name:<9} {check.detail}")
        if check.remedy:
            lines.append(f"{'':<18} → {check.remedy}")
    verdict = "Pageside can be used here." if usable else "Pageside cannot be used here yet."
    return "\n".join([*lines, verdict])
