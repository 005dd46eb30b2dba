"""Measures the budgets of Pageside and prints one table a subject."""

import argparse
import asyncio
import json
import shlex
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import layout
import machine
from pageside.browser.launch import launch
from pageside.models.store import ModelStore, default_root
from subjects import decode, depth, firehose, load, overhead, parsers, streaming, tokenpath
from table import Table
from workshop import Workshop

SUBJECTS: dict[str, Callable[[Workshop], Awaitable[Table]]] = {
    "overhead": overhead.measure,
    "decode": decode.measure,
    "depth": depth.measure,
    "load": load.measure,
    "tokenpath": tokenpath.measure,
    "firehose": firehose.measure,
    "peers": streaming.measure,
    "parsers": parsers.measure,
}

EPILOG = """\
Repeats are interleaved: each round runs every arm once, every other round backwards. A table
shows the median and the spread of the rounds; a ratio is taken within a round. PASS or miss
stands beside each budget; a miss is a figure and no failure, so the exit status is 0 unless
something broke. Run it on a machine that does nothing else.
"""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--repeats", type=_rounds, default=5, help="rounds (%(default)s)")
    parser.add_argument(
        "--only", choices=SUBJECTS, action="append", metavar="NAME", help=", ".join(SUBJECTS)
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every value there too")
    return parser.parse_args()


def _rounds(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rounds from 1")
    return int(text)


async def main(chosen: argparse.Namespace) -> None:
    versions = machine.versions(await chromium())
    command = shlex.join(["scripts/bench", *sys.argv[1:]])
    about = [command, versions, machine.hardware()]
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        workshop = Workshop(ModelStore(default_root()), Path(scratch), chosen.repeats)
        for name in chosen.only or SUBJECTS:
            before = machine.business()
            table = await SUBJECTS[name](workshop)
            others = machine.in_words(before, machine.business(), is_first=not found)
            print("\n".join(layout.lines(table, [*about, *others])), flush=True)
            found.append({**table.to_json(), "others": others})
    if chosen.json:
        write(chosen.json, {"about": about, "subjects": found})


async def chromium() -> str:
    async with launch() as browser:
        return browser.version


def write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


asyncio.run(main(options()))
