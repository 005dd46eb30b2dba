"""What an answer leaves in memory, after a garbage collection."""

from pageside.audit.result import Metric

NODES_PER_1000_TOKENS = Metric(
    "nodes_per_1000_tokens",
    "nodes",
    "count",
    "Live DOM nodes after the answer less those before it, both after a garbage collection, for "
    "each 1,000 tokens.",
)
HEAP_KB_PER_1000_TOKENS = Metric(
    "heap_kb_per_1000_tokens",
    "kB",
    "count",
    "JavaScript heap in use after the answer less that before it, both after a garbage "
    "collection, for each 1,000 tokens.",
)
DEFINITIONS = (NODES_PER_1000_TOKENS, HEAP_KB_PER_1000_TOKENS)
