"""The HTTP application: everything it serves is in one list of routes."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import Route

from pageside.models.errors import PagesideError
from pageside.models.store import ModelStore
from pageside.server.api import Api
from pageside.server.assets import WEB, WORKER, AssetFolder
from pageside.server.errors import answer_error, answer_fault, answer_http
from pageside.server.files import FileResponse
from pageside.server.guard import Guard, check_target
from pageside.server.headers import SecurityHeaders
from pageside.server.hosts import AllowedHosts
from pageside.server.settings import Settings
from pageside.server.sites import check_site
from pageside.server.weights import ModelFiles


def create_app(store: ModelStore, settings: Settings) -> Starlette:
    """The page, its worker and the models of `store`, as one origin."""
    web, worker = AssetFolder(WEB), AssetFolder(WORKER)
    models, api = ModelFiles(store), Api(store, settings)
    hosts = AllowedHosts((settings.host, *settings.allowed_hosts))

    def page(request: Request) -> FileResponse:
        return FileResponse(web.content("index.html"))

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/web/{name:path}", web.serve),
            Route("/worker/{name:path}", worker.serve),
            Route("/models/{id}/{revision}/{name:path}", models.serve),
            Route("/api/models", api.models),
            Route("/api/settings", api.settings_in_force),
            Route("/api/script", api.script),
            Route("/api/health", api.health),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(Guard, checks=(hosts.check, check_target, check_site)),
        ],
        exception_handlers={
            PagesideError: answer_error,
            HTTPException: answer_http,
            Exception: answer_fault,
        },
    )
    # A redirect's URL would be built from Host, and a missing file is a 404, not a 307.
    app.router.redirect_slashes = False
    return app
