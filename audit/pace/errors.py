"""Requests that cannot be played, answered in the shape of the dialect they were made in.

RequestRefused                (pageside.server.errors)
├── BodyInvalid         400   not JSON, or not what the dialect asks for
├── PathUnknown         404
├── MethodNotAllowed    405
└── BodyTooLarge        413
"""

from http import HTTPStatus

from pageside.server.errors import RequestRefused


class BodyInvalid(RequestRefused):
    code = "body_invalid"


class PathUnknown(RequestRefused):
    code = "path_unknown"
    status = HTTPStatus.NOT_FOUND


class MethodNotAllowed(RequestRefused):
    code = "method_not_allowed"
    status = HTTPStatus.METHOD_NOT_ALLOWED


class BodyTooLarge(RequestRefused):
    code = "body_too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
