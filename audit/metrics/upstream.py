"""What the producer of the tokens notices of a Stop."""

from pageside.audit.result import Metric

TOKENS_AFTER_STOP = Metric(
    "tokens_after_stop",
    "tokens",
    "count",
    "Tokens that the upstream wrote later than 1 s after the Stop click, because nobody had told "
    "it.",
)
STOP_TO_DISCONNECT_MS = Metric(
    "stop_to_disconnect_ms",
    "ms",
    "wall",
    "Time from the Stop click's own timestamp to the upstream's noticing that its client left.",
)
DEFINITIONS = (TOKENS_AFTER_STOP, STOP_TO_DISCONNECT_MS)
