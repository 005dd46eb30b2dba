"""A table as text."""

import textwrap
from collections.abc import Iterator

from table import Row, Table

WIDTH = 100
HEADINGS = ("", "median", "min – max", "unit", "budget", "")


def lines(table: Table, about: list[str]) -> Iterator[str]:
    """The table with what it was measured on above it, and its definitions below."""
    yield f"── {table.name}: {table.title} ".ljust(WIDTH, "─")
    for line in about:
        yield from textwrap.wrap(line, WIDTH, break_on_hyphens=False)
    yield ""
    yield from _columns([HEADINGS, *map(_cells, table.rows)])
    yield ""
    for text in table.definitions:
        yield from _item(text)
    for text in table.guards:
        yield from _item(f"Guard: {text}")
    yield ""


def _cells(row: Row) -> tuple[str, ...]:
    spread = f"{number(min(row.values))} – {number(max(row.values))}"
    return (
        row.label,
        number(row.median),
        spread if len(row.values) > 1 else "one run",
        row.unit,
        str(row.budget or ""),
        row.verdict,
    )


def _columns(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if 0 < i < 3 else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _item(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="· ", subsequent_indent="  ")


def number(value: float) -> str:
    """Counts as they are, others with the digits that matter; thousands apart."""
    size = abs(value)
    decimals = 0 if size >= 100 or size == int(size) else 1 if size >= 10 else 3
    return f"{value:,.{decimals}f}"
