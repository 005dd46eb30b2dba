"""What is audited: an address with the upstream behind it, or Pageside's own page."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from pageside.audit.errors import AuditError
from pageside.audit.pace import Pace
from pageside.audit.target import Recipe, load_recipe

# In an address it stands for the upstream's.
PLACEHOLDER = "{pace}"

_OWN = "pageside"


@dataclass(frozen=True)
class Subject:
    url: str
    recipe: Recipe
    pace: Pace | None


@contextmanager
def subjects(
    urls: Sequence[str | None], recipe: str | None, *, pace_port: int = 0
) -> Iterator[list[Subject]]:
    """With every server that they need, while the block runs. None is Pageside's own page with
    the scripted engine, on a free port. All pages share one recipe and one upstream."""
    with ExitStack() as running:
        if None in urls:
            url = running.enter_context(own_page())
            yield [Subject(url, load_recipe(recipe or _OWN), None)] * len(urls)
            return
        addresses = [_checked(url) for url in urls if url is not None]
        known = load_recipe(recipe) if recipe else Recipe()
        if known.feed == "page":
            raise AuditError(
                f"the recipe {known.name} says that the page makes its own answers",
                hint="point the page at `pageside pace`: what is not known to have been sent "
                "cannot be held against what is shown",
            )
        if known.feed == "script":
            yield [Subject(address, known, None) for address in addresses]
            return
        origins = sorted({_origin(address) for address in addresses})
        pace = running.enter_context(Pace(port=pace_port, allow_origins=origins))
        yield [
            Subject(address.replace(PLACEHOLDER, pace.url), known, pace) for address in addresses
        ]


@contextmanager
def own_page() -> Iterator[str]:
    """The address of Pageside's page, served by this process with the scripted engine."""
    from pageside.models.store import ModelStore, default_root
    from pageside.server.app import create_app
    from pageside.server.live import LiveServer
    from pageside.server.settings import Settings

    app = create_app(ModelStore(default_root()), Settings(engine="scripted"))
    with LiveServer(app) as server:
        yield f"{server.url}/"


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AuditError(f"{url!r} is no address of a page", hint="give http://… or https://…")
    return url


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
