"""What can go wrong in serving, and the one shape in which a response says so.

    PagesideError                 (pageside.models.errors)
    ├── PortTaken                 another program listens there
    ├── AddressUnusable           the system refuses the address
    ├── ScriptInvalid             a script that cannot be played, with the line
    ├── FileDamaged               500  a file that is not what its manifest says
    └── RequestRefused
        ├── TargetInvalid         400  a path that is none
        ├── HostInvalid           400  no Host, two of them, or not a host
        ├── CrossSite             403  another site's page is asking
        ├── FileUnknown           404
        ├── PreconditionFailed    412
        ├── RangeUnsatisfiable    416
        └── HostUnknown           421  a name this server does not answer to

The errors of `pageside.models` are 404 when a model is not here, else 500.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pageside.models.errors import ModelAbsent, ModelUnknown, PagesideError
from pageside.server.headers import security_headers


class PortTaken(PagesideError):
    code = "port_taken"


class AddressUnusable(PagesideError):
    code = "address_unusable"


class ScriptInvalid(PagesideError):
    code = "script_invalid"


class FileDamaged(PagesideError):
    code = "file_damaged"


class RequestRefused(PagesideError):
    """A request that cannot be served as it stands: `status` is the response's."""

    status: ClassVar[HTTPStatus] = HTTPStatus.BAD_REQUEST

    def __init__(
        self, message: str, *, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.headers = dict(headers or {})


class TargetInvalid(RequestRefused):
    code = "target_invalid"


class HostInvalid(RequestRefused):
    code = "host_invalid"


class CrossSite(RequestRefused):
    code = "cross_site"
    status = HTTPStatus.FORBIDDEN


class FileUnknown(RequestRefused):
    code = "file_unknown"
    status = HTTPStatus.NOT_FOUND


class PreconditionFailed(RequestRefused):
    code = "precondition_failed"
    status = HTTPStatus.PRECONDITION_FAILED


class RangeUnsatisfiable(RequestRefused):
    code = "range_unsatisfiable"
    status = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE


class HostUnknown(RequestRefused):
    code = "host_unknown"
    status = HTTPStatus.MISDIRECTED_REQUEST


def failure(code: str, message: str, hint: str = "") -> dict[str, dict[str, str]]:
    """The body of every response from 400 on."""
    return {"error": {"code": code, "message": message, "hint": hint}}


def error_response(error: PagesideError) -> Response:
    """`error` as a response; it must not be cached where files are immutable."""
    headers = error.headers if isinstance(error, RequestRefused) else {}
    return JSONResponse(
        failure(error.code, error.message, error.hint),
        status_code=_status(error),
        headers={"cache-control": "no-store", **headers},
    )


def _status(error: PagesideError) -> HTTPStatus:
    if isinstance(error, RequestRefused):
        return error.status
    if isinstance(error, ModelUnknown | ModelAbsent):
        return HTTPStatus.NOT_FOUND
    return HTTPStatus.INTERNAL_SERVER_ERROR


async def answer_error(request: Request, error: Exception) -> Response:
    """Starlette's handler for PagesideError."""
    assert isinstance(error, PagesideError)
    return error_response(error)


async def answer_http(request: Request, error: Exception) -> Response:
    """Starlette's handler for what its router says: 404 and 405."""
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    allowed = (error.headers or {}).get("Allow")
    body = failure(
        status.phrase.lower().replace(" ", "_"),
        f"{request.method[:20]} {request.scope['path'][:200]}: {status.phrase.lower()}",
        f"use {allowed}" if allowed else "",
    )
    headers = {"cache-control": "no-store", **(error.headers or {})}
    return JSONResponse(body, status_code=status, headers=headers)


async def answer_fault(request: Request, error: Exception) -> Response:
    """Starlette's handler for a defect of ours; the traceback goes to the log alone."""
    response = JSONResponse(
        failure("internal", "the server failed", "its log says why"),
        status_code=HTTPStatus.INTERNAL_SERVER_ERROR,
        headers={"cache-control": "no-store"},
    )
    # Starlette answers faults outside all other middleware, so nothing adds these later.
    response.raw_headers.extend(security_headers(request.scope["path"]))
    return response
