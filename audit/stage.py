"""What every take of an audit is played on."""

from dataclasses import dataclass

from playwright.async_api import BrowserContext

from pageside.audit.feed import Feed
from pageside.audit.target import Recipe


@dataclass(frozen=True)
class Stage:
    """`marker` is a word in each prompt, by which the feed knows it. `throttle` is how many times
    slower evidence takes run the page's thread."""

    context: BrowserContext
    url: str
    recipe: Recipe
    feed: Feed
    marker: str
    throttle: float = 1.0
