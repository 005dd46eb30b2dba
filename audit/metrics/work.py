"""What the browser had to do again for each token or update, counted and so exact."""

from bisect import bisect_left
from statistics import median

from pageside.audit.metrics.robust import ratio
from pageside.audit.result import Metric
from pageside.audit.trace.window import Window

LAYOUTS_PER_TOKEN = Metric(
    "layouts_per_token",
    "layouts",
    "count",
    "Layouts (LayoutCount of Performance.getMetrics) in the measured stretch of the stream, "
    "divided by the tokens sent.",
)
DIRTY_OBJECTS_PER_UPDATE = Metric(
    "dirty_objects_per_update",
    "objects",
    "count",
    "Layout objects that had to be laid out again (Layout.beginData.dirtyObjects in the trace) "
    "in the measured stretch of the stream, divided by the frames committed.",
)
RESTYLED_ELEMENTS_PER_UPDATE = Metric(
    "restyled_elements_per_update",
    "elements",
    "count",
    "Elements whose style was computed again (UpdateLayoutTree.elementCount in the trace) in the "
    "measured stretch of the stream, divided by the frames committed.",
)
DIRTY_GROWTH = Metric(
    "dirty_growth",
    "×",
    "count",
    "Dirty layout objects of the median update (Layout.beginData.dirtyObjects in the trace, summed "
    "from Commit to Commit) onto a long answer divided by that onto a short one.",
)
DEFINITIONS = (
    LAYOUTS_PER_TOKEN,
    DIRTY_OBJECTS_PER_UPDATE,
    RESTYLED_ELEMENTS_PER_UPDATE,
    DIRTY_GROWTH,
)


def layouts_per_token(stream: Window, tokens: int) -> float | None:
    return len(stream.layouts) / tokens if tokens else None


def dirty_objects_per_update(stream: Window) -> float | None:
    dirty = sum(layout.dirty_objects for layout in stream.layouts)
    return dirty / len(stream.updates) if stream.updates else None


def restyled_elements_per_update(stream: Window) -> float | None:
    elements = sum(restyle.elements for restyle in stream.restyles)
    return elements / len(stream.updates) if stream.updates else None


def dirty_growth(short: Window, long: Window) -> float | None:
    """Medians: one layout of the whole page, as when a scroll bar appears, is not growth."""
    return ratio(_median_dirty(long), _median_dirty(short))


def _median_dirty(window: Window) -> float | None:
    commits = [update.committed_ms for update in window.updates]
    dirty = [0] * len(commits)
    for layout in window.layouts:
        update = bisect_left(commits, layout.start_ms)
        if update < len(commits):
            dirty[update] += layout.dirty_objects
    return median(dirty) if dirty else None


def of_window(stream: Window, tokens: int) -> dict[str, float | None]:
    return {
        LAYOUTS_PER_TOKEN.name: layouts_per_token(stream, tokens),
        DIRTY_OBJECTS_PER_UPDATE.name: dirty_objects_per_update(stream),
        RESTYLED_ELEMENTS_PER_UPDATE.name: restyled_elements_per_update(stream),
    }
