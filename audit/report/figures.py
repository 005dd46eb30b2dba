"""Numbers as a person reads them: three significant digits, thousands apart, the unit beside."""

import math

from pageside.audit.result import Finding

# Narrow, and no line breaks there.
THIN = "\u202f"


def number(value: float, thousands: str = THIN) -> str:
    """`0.01234` as "0.0123", `12345.6` as "12 346"; a whole number keeps all its digits."""
    if not math.isfinite(value):
        return "–" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if float(value).is_integer() or abs(value) >= 100:
        text = _grouped(round(value), thousands)
    else:
        digits = _decimals(value)
        text = f"{value:.{digits}f}" if digits <= 6 else f"{value:.2e}"
    return text.replace("-", "−")


def _decimals(value: float) -> int:
    """How many make three significant digits."""
    return 2 - math.floor(math.log10(abs(value)))


def _grouped(whole: int, thousands: str) -> str:
    if abs(whole) >= 10**15:
        return f"{whole:.2e}"
    return f"{whole:,}".replace(",", thousands) if abs(whole) >= 10_000 else str(whole)


def quantity(value: float, unit: str, thousands: str = THIN) -> str:
    """A number and its unit; "7.02×" has none between, "12.3 ms" a space that does not break."""
    if not unit:
        return number(value, thousands)
    between = "" if unit in ("×", "x", "%") else (thousands or " ")
    return f"{number(value, thousands)}{between}{unit}"


def middle(finding: Finding) -> float:
    """The median of the runs; not a number where none gave a value."""
    return finding.median if finding.values else math.nan


def span(finding: Finding) -> str:
    """ "2.1–2.4", the least and the most of the runs."""
    least, most = min(finding.values), max(finding.values)
    if all(value.is_integer() for value in map(float, finding.values)) or not 0.1 <= most < 100:
        ends = [number(least), number(most)]
    else:  # as many decimals at both ends
        ends = [f"{value:.{_decimals(most)}f}".replace("-", "−") for value in (least, most)]
    return "–".join(dict.fromkeys(ends))


def limit(finding: Finding, thousands: str = THIN) -> str:
    """ "≤ 2×, 0.4 slack"; empty without a budget."""
    budget = finding.budget
    if budget is None:
        return ""
    slack = f", {number(budget.slack, thousands)} slack" if budget.slack else ""
    return f"≤ {quantity(budget.most, finding.metric.unit, thousands)}{slack}"


def size(size_bytes: int) -> str:
    return quantity(size_bytes / 1e6, "MB") if size_bytes >= 1e5 else quantity(size_bytes, "bytes")


def count(amount: int, one: str, many: str = "") -> str:
    """ "1 budget", "3 budgets"."""
    return f"{number(amount)} {one if amount == 1 else many or one + 's'}"
