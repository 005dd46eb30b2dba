"""A running upstream."""

from collections.abc import Callable, Collection, Sequence
from types import TracebackType
from typing import Self

from pageside.audit.pace.app import MODEL, Upstream, create_app
from pageside.audit.pace.delivery import Delivery
from pageside.audit.pace.faults import Faults
from pageside.audit.pace.plan import Plan
from pageside.server.guard import check_target
from pageside.server.hosts import AllowedHosts
from pageside.server.live import LiveServer
from pageside.server.script import Event


class Pace:
    """Answers every prompt with `events` while the context lasts, in a thread of its own.

    `events` may hold several answers, each ended by an `end` event: prompts get them in turn.
    Two answers of the same events, faults and seed differ in their numbers and the time of day
    alone, which are always as long; so chunk borders that a fault draws are the same, too.
    `max_tokens` and the like are passed over: a script is played to its end.
    Requests must address it by a loopback name, `host` or one of `allow_hosts`; pages of other
    origins can read it only if they are `allow_origins`. `ended` is called, in the server's
    thread, with each delivery that has ended. Entering raises PortTaken or AddressUnusable;
    leaving cuts what is under way.
    """

    model = MODEL

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        events: Sequence[Event] = (),
        faults: Faults = Faults(),  # noqa: B008 - frozen
        allow_origins: Collection[str] = (),
        allow_hosts: Collection[str] = (),
        ended: Callable[[Delivery], None] = lambda delivery: None,
    ) -> None:
        self._faults = faults
        self._upstream = Upstream(Plan(events, faults), ended)
        hosts = AllowedHosts((host, *allow_hosts))
        app = create_app(self._upstream, (hosts.check, check_target), allow_origins)
        self._server = LiveServer(app, host=host, port=port)

    @property
    def url(self) -> str:
        """Without a slash at the end; OpenAI's base URL is this and `/v1`."""
        return self._server.url

    @property
    def deliveries(self) -> list[Delivery]:
        """One for each prompt that was meant, in the order of their arrival."""
        return self._upstream.deliveries

    def play(
        self, events: Sequence[Event], *, faults: Faults | None = None, match: str | None = None
    ) -> None:
        """What prompts get from now on, until the next call; without `faults` those that the
        server began with. With `match`, only requests whose last user message contains it get
        `events` and are delivered; others, for titles and the like, get a short answer at once.
        """
        self._upstream.plan = Plan(events, self._faults if faults is None else faults, match)

    def wait(self) -> None:
        """Until somebody stops the server; raises what ended it otherwise."""
        self._server.wait()

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._upstream.cut()
        self._server.stop()
