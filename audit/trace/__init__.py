"""What Chromium's own trace says about a page: recorded without a probe in it, and read.

    async with record(page) as recording:
        await mark(page, "begin")
        ...
        await mark(page, "end")
    window = recording.trace.window("begin", "end")

The page's main thread is the one that carries the marks.
"""

from pageside.audit.trace.arrivals import Arrival
from pageside.audit.trace.counts import Counters, Layout, LongFrame, Restyle
from pageside.audit.trace.frames import FrameCounts
from pageside.audit.trace.gpu import Gpu
from pageside.audit.trace.reading import Trace
from pageside.audit.trace.recording import Recording, mark, record
from pageside.audit.trace.tasks import STAGES, Task
from pageside.audit.trace.updates import Update
from pageside.audit.trace.window import Window

__all__ = [
    "STAGES",
    "Arrival",
    "Counters",
    "FrameCounts",
    "Gpu",
    "Layout",
    "LongFrame",
    "Recording",
    "Restyle",
    "Task",
    "Trace",
    "Update",
    "Window",
    "mark",
    "record",
]
