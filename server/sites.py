"""Pages of other sites, and what they may ask of this server: to be visited.

Without CORS they could not read an answer, but they could make the server work, and
learn what is here from what loads. Programs send none of these headers and may ask.
"""

from starlette.datastructures import Headers
from starlette.types import Scope

from pageside.server.errors import CrossSite
from pageside.server.hosts import host_header


def check_site(scope: Scope) -> None:
    """CrossSite, unless the request is our own page's, a program's, or a visit."""
    headers = Headers(scope=scope)
    site = headers.get("sec-fetch-site", "none")
    if site == "cross-site" and not _is_visit(scope["method"], headers):
        raise CrossSite("this is another site's request", hint="open the page itself")
    origin = headers.get("origin")
    if origin is not None and not _is_own(origin, host_header(scope)):
        raise CrossSite("the request's Origin is not this server", hint="open the page itself")


def _is_visit(method: str, headers: Headers) -> bool:
    """A link followed in a tab: not a frame, not a form that posts."""
    return (
        method == "GET"
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest", "document") == "document"
    )


def _is_own(origin: str, host: str) -> bool:
    """`null` is a sandboxed frame's or a file's origin, and nobody's own."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")
