"""Budgets from TOML: how much of a metric is too much. default_budgets.toml explains the format.

Read strictly: a budget that is misspelt would never be exceeded.
"""

import difflib
import fnmatch
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pageside.audit.errors import BudgetInvalid
from pageside.audit.result import Budget, Kind, Metric
from pageside.audit.scenarios import SCENARIOS

DEFAULT_BUDGETS = Path(__file__).resolve().parent / "default_budgets.toml"

# Of `most`. CPU time varies by up to 15 % on a quiet machine, time on the clock by far more.
_SLACK_SHARE: Mapping[Kind, float] = {"count": 0.0, "cpu": 0.15, "wall": 0.5}

_FIELDS = ("most", "slack", "scenario")
_EXAMPLE = "write [lag_p95_ms] and, below it, most = 100"


def default_budgets() -> list[Budget]:
    """Those of "smooth at 4×"."""
    from pageside.audit.metrics import METRICS

    return load_budgets(DEFAULT_BUDGETS, METRICS)


def load_budgets(path: Path, known_metrics: Mapping[str, Metric]) -> list[Budget]:
    """The file's budgets in its order; BudgetInvalid names the key that is wrong."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BudgetInvalid(
            f"the budgets {path} cannot be read ({error.strerror or error})",
            hint="name a TOML file, or leave it out for the default budgets",
        ) from error
    return parse_budgets(content, known_metrics, name=str(path))


def parse_budgets(
    content: bytes, known_metrics: Mapping[str, Metric], *, name: str
) -> list[Budget]:
    """BudgetInvalid calls the file `name`."""
    budgets = []
    for metric_name, value in _parsed(content, name).items():
        metric = known_metrics.get(metric_name)
        if metric is None:
            raise _invalid(
                name,
                f"no metric is called {_short(metric_name)}",
                _nearest(metric_name, known_metrics),
            )
        budgets += [
            _Table(name, key, table).budget(metric) for key, table in _tables(name, metric, value)
        ]
    if not budgets:
        raise _invalid(name, "there is no budget in it", _EXAMPLE)
    return budgets


def budgets_of(most: Mapping[str, object], known_metrics: Mapping[str, Metric]) -> list[Budget]:
    """Budgets from metric → the most it may be, or → (most, glob of scenarios), as a marker of
    the pytest plugin has them. BudgetInvalid as for a file."""
    name = "the marker stream_budget"
    budgets = []
    for metric_name, value in most.items():
        metric = known_metrics.get(metric_name)
        if metric is None:
            raise _invalid(
                name,
                f"no metric is called {_short(metric_name)}",
                _nearest(metric_name, known_metrics),
            )
        table = {"most": value}
        if isinstance(value, tuple | list) and len(value) == 2:
            table = {"most": value[0], "scenario": value[1]}
        budgets.append(_Table(name, metric_name, table).budget(metric))
    return budgets


def _parsed(content: bytes, name: str) -> dict[str, object]:
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _invalid(name, f"byte {error.start + 1} is not UTF-8", _EXAMPLE) from error
    except (ValueError, RecursionError) as error:
        raise _invalid(name, f"it is not TOML ({error})", _EXAMPLE) from error


def _tables(name: str, metric: Metric, value: object) -> Iterator[tuple[str, dict[str, object]]]:
    """Each table of the metric, and what to call it."""
    if isinstance(value, dict):
        yield metric.name, value
        return
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise _invalid(
            name, f"{metric.name} is not a table", f"write [{metric.name}] and, below it, most = …"
        )
    for number, table in enumerate(value, start=1):
        yield f"{metric.name}, number {number},", table


class _Table:
    """One budget's table; each reader takes a field and checks it."""

    def __init__(self, name: str, key: str, table: Mapping[str, object]) -> None:
        self._name = name
        self._key = key
        self._table = table

    def budget(self, metric: Metric) -> Budget:
        for field in self._table:
            if field not in _FIELDS:
                raise self._wrong(f"has an unknown field {_short(field)}", _nearest(field, _FIELDS))
        if "most" not in self._table:
            raise self._wrong("has no most", f"write most = and a number of {metric.unit}")
        most = self._number("most", metric)
        slack = _SLACK_SHARE[metric.kind] * most
        if "slack" in self._table:
            slack = self._number("slack", metric)
        return Budget(metric.name, most, self._scenario(), slack)

    def _number(self, field: str, metric: Metric) -> float:
        value = self._table[field]
        # bool is a subclass of int
        if type(value) not in (int, float):
            raise self._wrong(
                f"has a {field} that is no number", f"write a number of {metric.unit}"
            )
        assert isinstance(value, int | float)
        if not 0 <= value <= sys.float_info.max:  # nan is neither; an int may be past any float
            raise self._wrong(
                f"has {field} = {_short(value)}", f"write 0 or more {metric.unit}, not nan or inf"
            )
        return float(value)

    def _scenario(self) -> str:
        pattern = self._table.get("scenario", "*")
        if not isinstance(pattern, str):
            raise self._wrong("has a scenario that is no text", 'write scenario = "steady-*"')
        names = [scenario.name for scenario in SCENARIOS]
        # Any rate can be asked for, so steady-7 need not be in the list.
        if pattern.startswith("steady-") or fnmatch.filter(names, pattern):
            return pattern
        raise self._wrong(f"matches no scenario with {_short(pattern)}", _nearest(pattern, names))

    def _wrong(self, what: str, hint: str) -> BudgetInvalid:
        return _invalid(self._name, f"{self._key} {what}", hint)


def _invalid(name: str, what: str, hint: str) -> BudgetInvalid:
    return BudgetInvalid(f"the budgets {name}: {what}", hint=hint)


def _nearest(wrong: str, right: Iterable[str]) -> str:
    known = list(right)
    found = difflib.get_close_matches(wrong, known, n=1, cutoff=0.5)
    return f"did you mean {found[0]}?" if found else "one of " + ", ".join(known)


def _short(value: object) -> str:
    return repr(value)[:80]
