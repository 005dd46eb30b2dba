"""What is audited: an address with the upstream behind it, or Pageside's own page."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from pageside.audit.errors import AuditError
from pageside.audit.pace import Pace
from pageside.audit.target import Recipe, load_recipe
from pageside.server.errors import PortTaken

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
        pace = running.enter_context(_upstream(pace_port, origins))
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


@contextmanager
def _upstream(port: int, origins: Sequence[str]) -> Iterator[Pace]:
    try:
        running = Pace(port=port, allow_origins=origins).__enter__()
    except PortTaken as error:
        raise AuditError(
            f"the upstream's port {port} is taken",
            hint="end what listens there, or choose another with --pace-port and point the page "
            "at it",
        ) from error
    try:
        yield running
    finally:
        running.__exit__(None, None, None)


def _checked(url: str) -> str:
    refused = AuditError(f"{url!r} is no address of a page", hint="give http://… or https://…")
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as error:  # brackets that do not match, a port that is none
        raise refused from error
    if not is_one:
        raise refused
    return url


def _origin(url: str) -> str:
    """As browsers send it: no default port, no user, lower case."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    is_default = parts.port in (None, {"http": 80, "https": 443}[parts.scheme])
    return f"{parts.scheme}://{host}" + ("" if is_default else f":{parts.port}")
