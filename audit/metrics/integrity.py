"""Whether the page shows what it was sent, and whether it is still there."""

from pageside.audit.result import Metric

WORDS_MISSING = Metric(
    "words_missing",
    "words",
    "count",
    "Numbered words sent that are not on the page in their place when the answer has ended, and "
    "words too many; after a Stop, words out of place.",
)
PAGE_LOST = Metric(
    "page_lost",
    "times",
    "count",
    "How often the page crashed, went to another address, or did not answer for minutes.",
)
DEFINITIONS = (WORDS_MISSING, PAGE_LOST)
