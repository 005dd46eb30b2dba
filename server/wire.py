"""HTTP/1.1 on the wire, with uvicorn's own answers in our shape.

What h11 cannot read (no Host, two of them, a bad header) never reaches the
application; uvicorn would answer it with bare text and none of our headers.
"""

import json
from http import HTTPStatus

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from pageside.server.errors import failure
from pageside.server.headers import security_headers


class Http11(H11Protocol):
    """One connection."""

    def send_400_response(self, msg: str) -> None:
        """Answers what is not HTTP, unless an answer has begun, and hangs up."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(self._bad_request())
        self.transport.close()

    def _bad_request(self) -> bytes:
        body = json.dumps(
            failure("request_invalid", "the request is not valid HTTP/1.1 with one Host header")
        ).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
            *security_headers(""),
        ]
        status = HTTPStatus.BAD_REQUEST
        events: list[h11.Event] = [
            h11.Response(status_code=status, headers=headers, reason=status.phrase.encode()),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ]
        return b"".join(self.conn.send(event) or b"" for event in events)
