"""Markdown parsers fed piece by piece, ours and others', in Node: no document, parsing alone."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers.packages import run, tool
from table import Table, ratios
from workshop import Workshop

REPOSITORY = Path(__file__).resolve().parents[3]
SOURCES = Path(__file__).resolve().parents[1] / "parsers"
CACHE = REPOSITORY / ".cache" / "parsers"

OWN = "Pageside"
PARSERS = (
    OWN,
    "streaming-markdown",
    "@lezer/markdown",
    "@incremark/core",
    "micromark, since the last blank line",
    "markdown-it, the whole",
    "micromark, the whole",
)
TEXTS = ("answers", "paragraph", "fence")

DEFINITIONS = [
    "A text of ten equal parts of 10 kB comes in pieces of 4 characters, each an update, in a "
    "process of its own, after a part that does not count. CPU of the thread that parses.",
    "answers: three answers with prose, lists, code and tables; paragraph: one of 100 kB with "
    "emphasis, code and links; fence: one code block of 100 kB.",
    "CPU per update: over the first part, and over the last; growth: the last ÷ the first. The "
    "parts are equal, so it grows with the length alone.",
    "100 kB: CPU of all updates. Of markdown-it and of the whole by micromark one update in 10 or "
    "100 is counted for all of these; so are the slower ones of a paragraph or a fence.",
    "× Pageside: that of the other ÷ ours, of the same round.",
    "streaming-markdown reads a part of Markdown: no references, no nested emphasis rules, no "
    "HTML. @lezer/markdown makes a tree of positions. Pageside reads CommonMark, GFM's tables, "
    "tasks and strikes, notes and formulas.",
]


@dataclass(frozen=True)
class Cost:
    """`ms` of each part, of so many updates each."""

    ms: list[float]
    updates: int
    headings: int

    @property
    def first_us(self) -> float:
        return self.ms[0] / self.updates * 1000

    @property
    def last_us(self) -> float:
        return self.ms[-1] / self.updates * 1000


async def measure(workshop: Workshop) -> Table:
    home = installed()
    costs: dict[tuple[str, str], list[Cost]] = {}
    for i in range(workshop.repeats):
        for text in TEXTS:
            for parser in PARSERS if i % 2 == 0 else reversed(PARSERS):
                print(f"Round {i + 1}: {text}, {parser} …", file=sys.stderr)
                costs.setdefault((text, parser), []).append(cost_of(home, parser, text))
    table = Table("parsers", "Markdown parsers, a text that grows", DEFINITIONS)
    for text in TEXTS:
        for parser in PARSERS:
            add(table, f"{text}, {parser}", costs[text, parser], costs[text, OWN])
    table.guards.append(f"headings seen in the answers: {headings(costs)}")
    return table


def add(table: Table, label: str, found: list[Cost], own: list[Cost]) -> None:
    table.add(f"{label}: first 10 kB", "µs", [cost.first_us for cost in found])
    table.add(f"{label}: last 10 kB", "µs", [cost.last_us for cost in found])
    table.add(f"{label}: growth", "×", [cost.last_us / cost.first_us for cost in found])
    totals = [sum(cost.ms) for cost in found]
    table.add(f"{label}: 100 kB", "ms", totals)
    if found is not own:
        table.add(f"{label}: 100 kB", "× Pageside", ratios(totals, [sum(cost.ms) for cost in own]))


def headings(costs: dict[tuple[str, str], list[Cost]]) -> str:
    """All must have seen as many."""
    seen = {parser: costs["answers", parser][0].headings for parser in PARSERS}
    return ", ".join(f"{parser} {count}" for parser, count in seen.items())


def cost_of(home: Path, parser: str, text: str) -> Cost:
    command = [tool("node"), str(home / "stream.js"), str(REPOSITORY), parser, text]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return Cost(**found)


def installed() -> Path:
    """The folder with the packages and the sources, which look for packages from where they lie."""
    lock = (SOURCES / "package-lock.json").read_text(encoding="utf-8")
    stamp = CACHE / "INSTALLED"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != lock:
        print(f"Installing the parsers' npm packages in {CACHE} …", file=sys.stderr)
        shutil.rmtree(CACHE, ignore_errors=True)
        shutil.copytree(SOURCES, CACHE)
        run([tool("npm"), "ci", "--ignore-scripts", "--silent"], CACHE, "the npm packages")
        stamp.write_text(lock, encoding="utf-8")
    for source in SOURCES.glob("*.js"):
        shutil.copy2(source, CACHE)
    return CACHE
