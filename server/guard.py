"""Requests that are refused before they are routed."""

import re
from collections.abc import Callable, Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from pageside.server.errors import RequestRefused, TargetInvalid, error_response

Check = Callable[[Scope], None]

_NOT_IN_A_PATH = re.compile(r"[\x00-\x1f\x7f\\]")


class Guard:
    """Middleware: the first of `checks` that raises RequestRefused answers."""

    def __init__(self, app: ASGIApp, checks: Sequence[Check]) -> None:
        self.app = app
        self.checks = checks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app
        if scope["type"] == "http":
            try:
                for check in self.checks:
                    check(scope)
            except RequestRefused as error:
                app = error_response(error)
        await app(scope, receive, send)


def check_target(scope: Scope) -> None:
    """Only a path: no `*`, no other host's URL, no control characters, no backslash.

    Starlette's patterns end in `$`, which would overlook a last line feed.
    """
    path = scope["path"]
    if not path.startswith("/") or _NOT_IN_A_PATH.search(path):
        raise TargetInvalid("the request's target is not a plain path")
