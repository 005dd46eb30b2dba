"""A running server: uvicorn in a thread of its own, from a bound port to a closed one."""

import asyncio
import errno
import socket
import threading
from types import TracebackType
from typing import Self

import uvicorn
from starlette.types import ASGIApp

from pageside.server.errors import AddressUnusable, PortTaken
from pageside.server.wire import Http11

# How long transfers may go on once the server is told to stop.
GRACE_S = 1.0
_STUCK_S = 5

# What a browser on this machine types for "every address".
_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}


class LiveServer:
    """Runs `app` on `host` and `port` (0: a free one) while the context lasts.

    Entering raises PortTaken or AddressUnusable at once. Leaving gives transfers
    GRACE_S to end, then cuts them; no thread and no socket is left.
    """

    def __init__(self, app: ASGIApp, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self.host = host
        self.port = port
        self._server = _Server(_config(app))
        self._thread = threading.Thread(target=self._run, name="pageside-server", daemon=True)
        self._socket: socket.socket | None = None
        self._failure: BaseException | None = None
        self._ended = threading.Event()

    @property
    def url(self) -> str:
        """Where a browser on this machine finds it, without a slash at the end."""
        host = _EVERY_ADDRESS.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    def __enter__(self) -> Self:
        self._socket = _listen(self.host, self.port)
        self.port = self._socket.getsockname()[1]
        self._thread.start()
        self._server.ready.wait()
        self._raise_failure()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def wait(self) -> None:
        """Until somebody stops the server; raises what ended it otherwise."""
        # Not by joining the thread: Ctrl-C in a join marks it as ended (Python 3.11 and 3.12),
        # and `stop` would not wait for it. Without a timeout Windows hears no Ctrl-C.
        while not self._ended.wait(timeout=0.5):
            pass
        self._raise_failure()

    def stop(self) -> None:
        """Ends the server and waits for it; a second call does nothing."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join()
        if self._socket is not None:
            self._socket.close()

    def _run(self) -> None:
        assert self._socket is not None
        try:
            self._server.run(sockets=[self._socket])
        except BaseException as error:  # SystemExit is how uvicorn reports a failed startup
            self._failure = error
        finally:
            self._ended.set()
            self._server.ready.set()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            self.stop()
            raise RuntimeError(f"the server on {self.url} ended by itself") from self._failure


class _Server(uvicorn.Server):
    """uvicorn, telling when it serves, and not waiting for a client that never reads."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().call_later(GRACE_S, self._cut)
        await super().shutdown(sockets=sockets)

    def _cut(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="asyncio",
        http=Http11,
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_STUCK_S,
    )


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket; the system decides here, not later in a thread, who has the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, UnicodeError) as error:  # Unicode: a host with an endless label
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"port {port} on {host} is taken",
                hint="choose another with --port, or 0 for a free one",
            ) from error
        reason = getattr(error, "strerror", None) or str(error)
        raise AddressUnusable(
            f"cannot listen on {host} port {port} ({reason})", hint="check --host and --port"
        ) from error
