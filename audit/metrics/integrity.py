"""Whether the page shows what it was sent."""

from pageside.audit.result import Metric

WORDS_MISSING = Metric(
    "words_missing",
    "words",
    "count",
    "Numbered words sent that are not on the page in their place when the answer has ended; after "
    "a Stop, words out of place.",
)
DEFINITIONS = (WORDS_MISSING,)
