"""The peers' renderers and whole UIs that Pageside is measured beside, each at a pinned version.

    peers.prepare(folder)                     installs and builds what is missing in `folder`
    peers.renderers(folder)                   {name: path on the origin} of the renderers' pages
    with peers.origin(folder) as server:      serves these pages
    async with peers.ui(name, pace_url, folder) as url:    a whole UI, running

A renderer's page, and deep-chat's, reads its answers from `?upstream=`, the pace's address
without a path; the pace must allow the page's origin. The other UIs ask the pace themselves,
from Python. `folder` is the caller's cache; nothing of the peers lies anywhere else.
"""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlencode

from pageside.server.live import LiveServer
from peers import bundles, environments, packages, servers
from peers.catalogue import DEEP_CHAT, HEAVY, RENDERERS, SERVERS
from peers.errors import PeerUnknown

NAMES = (*RENDERERS, DEEP_CHAT, *SERVERS)
UIS = (DEEP_CHAT, *SERVERS)


def prepare(folder: Path, only: Collection[str] | None = None) -> None:
    """Installs what of `only` is not in `folder` yet, and says so; without it everything but
    what is HEAVY. Raises PeerUnknown or PeerUnavailable.
    """
    wanted = set(NAMES).difference(HEAVY) if only is None else set(only)
    for name in sorted(wanted.difference(NAMES)):
        raise PeerUnknown(f"no peer is called {name!r}", hint=f"there are {', '.join(NAMES)}")
    if wanted.difference(SERVERS):
        packages.fill(folder)
        bundles.fill(folder)
    for name in SERVERS:
        if name in wanted:
            environments.fill(name, folder)


def renderers(folder: Path) -> dict[str, str]:
    """Path by name, prepared if need be; the floor comes first."""
    prepare(folder, RENDERERS)
    return {name: f"/{bundles.page_of(renderer)}" for name, renderer in RENDERERS.items()}


def origin(folder: Path, port: int = 0) -> LiveServer:
    """A server, started on entering: the renderers' pages and deep-chat's."""
    return bundles.origin(folder, port)


def page_url(origin_url: str, path: str, pace_url: str) -> str:
    """The address of a page of `origin` that reads its answers from the pace."""
    return f"{origin_url}{path}?{urlencode({'upstream': pace_url})}"


@asynccontextmanager
async def ui(name: str, pace_url: str, folder: Path, port: int = 0) -> AsyncIterator[str]:
    """The address of a running UI; afterwards no process of it is left.

    `port` is its own (0: a free one). Raises PeerUnknown, PeerUnavailable or PeerFailed.
    """
    prepare(folder, [name])
    if name == DEEP_CHAT:
        with origin(folder, port) as server:
            yield page_url(server.url, f"/{bundles.DEEP_CHAT_PAGE}", pace_url)
    elif name in SERVERS:
        async with servers.running(name, pace_url, folder, port) as url:
            yield url
    else:
        raise PeerUnknown(f"{name!r} is no whole UI", hint=f"there are {', '.join(UIS)}")


def versions() -> dict[str, str]:
    """What each peer is made of, as pinned: "react-markdown 10.1.0, …"; "" for the page's own."""
    pinned = packages.versions()
    npm = {name: renderer.packages for name, renderer in RENDERERS.items()}
    npm[DEEP_CHAT] = ("deep-chat",)
    found = {
        name: ", ".join(f"{package} {pinned[package]}" for package in made_of)
        for name, made_of in npm.items()
    }
    return found | {name: environments.version(name) for name in SERVERS}
