"""The examples of CommonMark's and GFM's specifications; scripts/specifications.py fetches them."""

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / ".cache" / "specifications"
NAMES = ("commonmark", "gfm")


def markdown_of(name: str) -> list[str]:
    """What the examples begin with, in their order."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").replace("→", "\t")
    fence = "`" * 32
    return re.findall(rf"^{fence} example[^\n]*\n(.*?)^\.\n", text, flags=re.DOTALL | re.MULTILINE)
