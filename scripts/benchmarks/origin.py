"""One origin for all: Pageside as it is served, and beside it the bench's own pages and peers."""

from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pageside.models.errors import PagesideError
from pageside.models.store import ModelStore
from pageside.server.app import create_app
from pageside.server.assets import AssetFolder
from pageside.server.errors import answer_error
from pageside.server.live import LiveServer
from pageside.server.settings import Settings

PAGES = Path(__file__).resolve().parent / "pages"

_ISOLATED = [
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-embedder-policy", b"require-corp"),
]


def origin(store: ModelStore, settings: Settings, peers: Path | None = None) -> LiveServer:
    """A server, started on entering: Pageside at /, pages at /bench/, a peer's files at /peer/."""
    routes: list[Route | Mount] = [Route("/bench/{name:path}", AssetFolder(PAGES).serve)]
    if peers is not None:
        routes.append(Route("/peer/{name:path}", AssetFolder(peers).serve))
    app = Starlette(
        routes=[*routes, Mount("/", app=create_app(store, settings))],
        middleware=[Middleware(Isolated)],
        exception_handlers={PagesideError: answer_error},
    )
    app.router.redirect_slashes = False
    return LiveServer(app)


class Isolated:
    """Gives the bench's pages the isolation that threads need; Pageside's bring their own."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_isolated(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_ISOLATED]
            await send(message)

        is_ours = scope["path"].startswith(("/bench/", "/peer/"))
        await self.app(scope, receive, send_isolated if is_ours else send)
