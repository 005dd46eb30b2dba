"""The browser's own word on long frames, as evidence: blind to a firehose, so not judged."""

from pageside.audit.result import Metric

LONG_FRAMES = Metric(
    "long_frames",
    "frames",
    "wall",
    "Long Animation Frames of 50 ms and more while text arrives (PerformanceObserver in the page "
    "probe).",
)
LONG_FRAMES_BLOCKING_MS = Metric(
    "long_frames_blocking_ms",
    "ms",
    "wall",
    "Sum of what Long Animation Frames call their blocking duration while text arrives "
    "(PerformanceObserver in the page probe).",
)
DEFINITIONS = (LONG_FRAMES, LONG_FRAMES_BLOCKING_MS)
