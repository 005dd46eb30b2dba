"""The upstream's HTTP: every address it answers at is in one of three tables."""

import asyncio
import time
from collections.abc import Callable, Collection
from typing import Any

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from pageside.audit.pace.delivery import Delivery
from pageside.audit.pace.dialects import llamacpp, ollama, openai
from pageside.audit.pace.dialects.body import Body, parse_body
from pageside.audit.pace.dialects.voice import Voice
from pageside.audit.pace.errors import BodyTooLarge, MethodNotAllowed, PathUnknown
from pageside.audit.pace.plan import Plan
from pageside.audit.pace.player import Player, player_of
from pageside.audit.pace.reply import Connected, Reply
from pageside.server.errors import RequestRefused
from pageside.server.guard import Check, Guard

MODEL = "pace"

# Long histories and pictures are megabytes; nothing that a page asks is more.
BODY_BYTES_MOST = 16 << 20

_INFOS: dict[str, Callable[[str], Any]] = {
    "/": lambda model: ollama.RUNNING,
    "/v1/models": openai.models,
    "/models": openai.models,
    "/api/version": ollama.version,
    "/api/tags": ollama.tags,
    "/api/ps": ollama.loaded,
    "/health": llamacpp.health,
    "/v1/health": llamacpp.health,
    "/props": llamacpp.props,
}
_QUESTIONS: dict[str, Callable[[str, Body], Any]] = {"/api/show": ollama.show}
_ANSWERS: dict[str, Callable[..., Voice]] = {
    "/v1/chat/completions": llamacpp.chat,
    "/chat/completions": llamacpp.chat,
    "/v1/completions": openai.Completion,
    "/api/chat": ollama.Chat,
    "/api/generate": ollama.Generate,
    "/completion": llamacpp.Completion,
    "/completions": llamacpp.Completion,
}


class Upstream:
    """Answers prompts by `plan`, and keeps what it delivered in `deliveries`.

    `ended` is called in the server's thread with each delivery that has ended.
    """

    def __init__(self, plan: Plan, ended: Callable[[Delivery], None]) -> None:
        self.plan = plan
        self.deliveries: list[Delivery] = []
        self._ended = ended
        self._count = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._playing: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        self._loop = asyncio.get_running_loop()
        reply = Reply(scope, receive, send)
        path = scope["path"]
        try:
            await self._route(path, scope["method"], receive, reply)
        except RequestRefused as error:
            headers = tuple((k.encode(), v.encode()) for k, v in error.headers.items())
            content = failure(path, error.status, str(error))
            await reply.whole(content, status=error.status, headers=headers)

    def cut(self) -> None:
        """Hangs up on every answer under way; from any thread, while the server runs."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._cut)

    def _cut(self) -> None:
        for task in self._playing:
            task.cancel()

    async def _route(self, path: str, method: str, receive: Receive, reply: Reply) -> None:
        if path in _INFOS:
            _check_method(method, "GET", "HEAD")
            await reply.whole(_INFOS[path](MODEL))
        elif path in _QUESTIONS:
            _check_method(method, "POST")
            await reply.whole(_QUESTIONS[path](MODEL, parse_body(await _read(receive))))
        elif path in _ANSWERS:
            _check_method(method, "POST")
            requested_at = time.monotonic()
            self._count += 1
            body = parse_body(await _read(receive))
            voice = _ANSWERS[path](body, number=self._count, model=MODEL)
            await self._answer(path, voice, requested_at, receive, reply)
        else:
            raise PathUnknown(f"there is no {path[:200]} here")

    async def _answer(
        self, path: str, voice: Voice, requested_at: float, receive: Receive, reply: Reply
    ) -> None:
        if greeting := voice.greeting():
            await reply.whole(greeting)
            return
        delivery = Delivery(path, voice.dialect, voice.prompt, requested_at)
        plan = self.plan
        if not plan.is_meant(voice.prompt):
            player = player_of(voice, *plan.aside(), reply, delivery)
            await self._perform(player, delivery, receive)
            return
        self.deliveries.append(delivery)
        if plan.faults.status is not None:
            message = "this status was asked for with a fault"
            content = failure(path, plan.faults.status, message)
            await reply.whole(content, status=plan.faults.status)
            delivery.close("error", time.monotonic())
        else:
            player = player_of(voice, plan.next_answer(), plan.faults, reply, delivery)
            await self._perform(player, delivery, receive)
        self._ended(delivery)

    async def _perform(self, player: Player, delivery: Delivery, receive: Receive) -> None:
        """Plays until the answer ends, the client leaves, or `cut` is called."""
        playing = asyncio.create_task(player.play())
        watching = asyncio.create_task(_leaving(receive, delivery))
        self._playing.add(playing)
        try:
            await asyncio.wait((playing, watching), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._playing.discard(playing)
            # Before the response ends: uvicorn reports that as a disconnect as well, and waking
            # for it would swallow the signal of the connection's next request.
            await _cancelled(playing, watching)
        if not playing.cancelled():
            playing.result()
            delivery.left_at = None  # it left when it had everything
            await player.close()
            delivery.close(player.end, time.monotonic())
        elif delivery.left_at is not None:
            delivery.close("left", time.monotonic())
        else:
            await player.reply.cut()
            delivery.close("cut", time.monotonic())


def create_app(
    upstream: Upstream, checks: tuple[Check, ...], allow_origins: Collection[str]
) -> ASGIApp:
    """`upstream` behind `checks`; pages of `allow_origins` may read what it answers."""
    app: ASGIApp = upstream
    if allow_origins:
        app = CORSMiddleware(
            app,
            allow_origins=list(allow_origins),
            allow_methods=["GET", "HEAD", "POST"],
            allow_headers=["*"],
            allow_private_network=True,
        )
    return Connected(Guard(app, checks))


def failure(path: str, status: int, message: str) -> dict[str, Any]:
    """An error in the shape of the dialect that is spoken at `path`."""
    if path.startswith("/v1/"):
        return openai.failure(status, message)
    if path.startswith("/api/"):
        return ollama.failure(status, message)
    return llamacpp.failure(status, message)


def _check_method(method: str, *allowed: str) -> None:
    if method not in allowed:
        names = ", ".join(allowed)
        raise MethodNotAllowed(
            f"{method[:20]} is not a method of this address",
            hint=f"use {names}",
            headers={"allow": names},
        )


async def _read(receive: Receive) -> bytes:
    """The body. One that is too large is read to its end and dropped: a client that is still
    writing would not see the answer."""
    body, size = bytearray(), 0
    more = True
    while more:
        message = await receive()
        content = message.get("body", b"")
        size += len(content)
        if size <= BODY_BYTES_MOST:
            body += content
        more = message.get("more_body", False)
    if size > BODY_BYTES_MOST:
        raise BodyTooLarge(f"the body is larger than {BODY_BYTES_MOST} bytes")
    return bytes(body)


async def _leaving(receive: Receive, delivery: Delivery) -> None:
    """Returns when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
    delivery.left_at = time.monotonic()


async def _cancelled(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
