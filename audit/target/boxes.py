"""Where something is on the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Box:
    """A rectangle in CSS pixels of the viewport, as `page.mouse` counts them."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def of(cls, found: Mapping[str, float]) -> Self:
        """From what the eye or Playwright gives."""
        return cls(found["x"], found["y"], found["width"], found["height"])

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2
