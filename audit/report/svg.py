"""Pieces of SVG for charts that keep their text's size at any width.

A chart is as wide as its column and of fixed height: across, everything is placed in per cent,
so nothing has to be scaled but `plot`, whose drawing stretches while its lines do not thicken.
Labels of the axes stand in the margin that style.css leaves beside `svg.chart`.
"""

from collections.abc import Iterable

from pageside.audit.report.html import Child, Html, Value, el
from pageside.audit.report.scale import Point

# The drawing inside `plot` goes from 0 to this, both ways.
UNITS = 1000


def chart(
    name: str, title: str, about: str, height: float, *children: Child, **more: Value
) -> Html:
    """`name` is unique on the page; `about` says in words what the chart shows."""
    ids = {"title": f"{name}-title", "about": f"{name}-about"}
    return el(
        "svg",
        el("title", title, id=ids["title"]),
        el("desc", about, id=ids["about"]),
        *children,
        class_="chart",
        role="img",
        aria_labelledby=f"{ids['title']} {ids['about']}",
        height=height,
        **more,
    )


def plot(y: float, height: float, *children: Child, class_: str = "plot") -> Html:
    """A stretched drawing over the whole width, from `y` px on."""
    return el(
        "svg",
        *children,
        class_=class_,
        x=0,
        y=round(y, 1),
        width="100%",
        height=round(height, 1),
        viewBox=f"0 0 {UNITS} {UNITS}",
        preserveAspectRatio="none",
    )


def text(x: Value, y: float, *words: Child, class_: str = "label", anchor: str = "start") -> Html:
    return el("text", *words, class_=class_, x=x, y=round(y, 1), text_anchor=anchor)


def percent(share: float) -> str:
    return f"{share * 100:.2f}".rstrip("0").rstrip(".") + "%"


def line(x1: Value, y1: float, x2: Value, y2: float, class_: str) -> Html:
    return el("line", class_=class_, x1=x1, y1=round(y1, 1), x2=x2, y2=round(y2, 1))


def rect(x: str, y: float, width: str, height: float, class_: str, *children: Child) -> Html:
    return el("rect", *children, class_=class_, x=x, y=y, width=width, height=height)


def steps(places: Iterable[Point]) -> Html:
    """A path's `d` that holds each value until the next; places are 0..1, y upward."""
    return Html("".join(_step(i, x, y) for i, (x, y) in enumerate(places)))


def straight(places: Iterable[Point], gap: float = 2) -> Html:
    """A path's `d` from point to point, broken where nothing is for `gap`; y is upward."""
    parts, last = [], -gap
    for x, y in places:
        parts.append(f"{'M' if x - last >= gap else 'L'}{_unit(x)} {_unit(1 - y)}")
        last = x
    return Html("".join(parts))


def strokes(shares: Iterable[float]) -> Html:
    """A path's `d` of upright lines over the whole height; those that would touch are one."""
    seen = dict.fromkeys(round(share * UNITS) for share in shares)
    return Html("".join(f"M{x} 0V{UNITS}" for x in seen))


def bar(x: float, width: float) -> Html:
    """A path's `d` of a bar over the whole height, wide enough to be seen."""
    return Html(f"M{_unit(x)} 0h{_unit(max(0.0015, width))}v{UNITS}H{_unit(x)}z")


def _step(index: int, x: float, y: float) -> str:
    return f"{'H' if index else 'M'}{_unit(x)}{'V' if index else ' '}{_unit(1 - y)}"


def _unit(share: float) -> str:
    return f"{share * UNITS:.1f}".removesuffix(".0")
