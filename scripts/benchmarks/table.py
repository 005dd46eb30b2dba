"""What a subject found: rows of measured values, some with a budget."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Budget:
    """What a median must not exceed, or must reach. One of the two is given."""

    most: float | None = None
    least: float | None = None

    def holds(self, value: float) -> bool:
        return value <= self.most if self.most is not None else value >= (self.least or 0)

    def __str__(self) -> str:
        return f"≤ {self.most:g}" if self.most is not None else f"≥ {self.least:g}"


@dataclass(frozen=True)
class Row:
    """One figure; `values` has one entry a repeat."""

    label: str
    unit: str
    values: Sequence[float]
    budget: Budget | None = None

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def verdict(self) -> str:
        """PASS, miss, or nothing where there is no budget."""
        if self.budget is None:
            return ""
        return "PASS" if self.budget.holds(self.median) else "miss"

    def to_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "unit": self.unit,
            "values": list(self.values),
            "median": self.median,
            "min": min(self.values),
            "max": max(self.values),
            "budget": str(self.budget) if self.budget else None,
            "verdict": self.verdict or None,
        }


@dataclass
class Table:
    """The result of one subject. `definitions` say between which two events a figure lies;
    `guards` are what shows that the measurement measured something."""

    name: str
    title: str
    definitions: Sequence[str]
    rows: list[Row] = field(default_factory=list)
    guards: list[str] = field(default_factory=list)

    def add(
        self, label: str, unit: str, values: Iterable[float], budget: Budget | None = None
    ) -> None:
        self.rows.append(Row(label, unit, tuple(values), budget))

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "definitions": list(self.definitions),
            "rows": [row.to_json() for row in self.rows],
            "guards": self.guards,
        }


def ratios(of: Iterable[float], to: Iterable[float]) -> list[float]:
    """Paired: both values of a ratio come from the same round."""
    return [one / other for one, other in zip(of, to, strict=True)]
