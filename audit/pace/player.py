"""Plays one answer: waits for what is due, writes all of it at once."""

import asyncio
import time
from collections.abc import Iterable
from http import HTTPStatus

from pageside.audit.pace.delivery import Delivery, End
from pageside.audit.pace.dialects.voice import Figures, Voice
from pageside.audit.pace.faults import Faults
from pageside.audit.pace.framing import Framing, Lines, Sse
from pageside.audit.pace.reply import Reply
from pageside.audit.pace.schedule import Step
from pageside.audit.pace.wire import Wire, borders_of
from pageside.server.script import Event

# What is gathered before it is written, however late we are: a reader that is behind finds no
# more than this waiting, beside what the system's own buffers hold.
_WRITE_BYTES = 64 << 10

# A long answer that is due at once must not keep others, or its reader's going, from being seen.
_YIELD_EVERY = 256


class _Answer:
    """What a streamed answer and one in one piece share: the clock, the figures, the end.

    `play` goes up to the last byte but the response's end, and may be cancelled at any await;
    `close` then ends the response as the answer ended.
    """

    def __init__(
        self,
        voice: Voice,
        events: Iterable[Event],
        faults: Faults,
        reply: Reply,
        delivery: Delivery,
    ) -> None:
        self.voice = voice
        self.faults = faults
        self.reply = reply
        self.delivery = delivery
        self.steps = faults.steps(events)
        self.figures = Figures(voice.prompt_tokens)
        self.end: End = "cut"
        self._first_due_s: float | None = None
        self._held_s = 0.0

    def wait_s(self, step: Step) -> float:
        return self.delivery.requested_at + self._held_s + step.due_s - time.monotonic()

    async def pass_gate(self, step: Step) -> None:
        """What follows the gate is due from when it opened."""
        await self.delivery.gate.wait()
        self._held_s -= self.wait_s(step)

    def count(self, step: Step) -> None:
        figures = self.figures
        if step.kind == "progress":
            figures.read = step.fraction
            figures.prefill_ms = step.due_s * 1000
        elif step.kind == "text":
            if self._first_due_s is None:
                self._first_due_s = step.due_s
            figures.tokens += 1
            figures.decode_ms = (step.due_s - self._first_due_s) * 1000


class Stream(_Answer):
    """An answer in pieces."""

    def __init__(
        self,
        voice: Voice,
        events: Iterable[Event],
        faults: Faults,
        reply: Reply,
        delivery: Delivery,
    ) -> None:
        super().__init__(voice, events, faults, reply, delivery)
        self._framing: Framing = Lines(faults) if voice.framing == "lines" else Sse(faults)
        self._wire = Wire(borders_of(faults))
        self._holds = faults.buffer_s is not None
        self._opened = False
        self._failed_at_once: str | None = None

    async def play(self) -> None:
        if self.voice.head_first and not self._holds:
            await self._start()
        for place, step in enumerate(self.steps):
            wait_s = self.wait_s(step)
            if wait_s > 0:
                await self._flush()
                # Writing took a while, too.
                await asyncio.sleep(max(0, self.wait_s(step)))
            elif place % _YIELD_EVERY == 0:
                await asyncio.sleep(0)
            self.count(step)
            self._say(step)
            if step.kind == "release":
                await self._flush(released=True)
            elif step.kind == "gate":
                await self._flush()
                await self.pass_gate(step)
            elif self._wire.held_bytes >= _WRITE_BYTES:
                await self._flush()
        if self._failed_at_once is None:
            await self._flush(last=True)

    async def close(self) -> None:
        if self._failed_at_once is not None:
            await _fail(self.reply, self.voice, self._failed_at_once)
        elif self.end == "cut":
            await self.reply.cut()
        else:
            await self.reply.finish()

    def _say(self, step: Step) -> None:
        match step.kind:
            case "progress":
                self._put(self._framing.reading())
                for payload in self.voice.progress(self.figures):
                    self._put(self._framing.frame(payload))
            case "text":
                self._open()
                self._put(self._framed_token(step.text), step.text)
            case "error":
                self._error(step.text)
            case "crash":
                self.end = "cut"
            case "end":
                self._finish()

    def _framed_token(self, text: str) -> bytes:
        payload = self.voice.token(text, self.figures)
        if self.faults.long_line and self.figures.tokens == 1:
            payload = {**payload, "padding": "x" * self.faults.long_line}
        return self._framing.frame(payload)

    def _error(self, message: str) -> None:
        """A server that has sent nothing yet can still say so with the status."""
        self.end = "error"
        if self.reply.started or self._wire.held_bytes:
            self._put(self._framing.frame(self.voice.error(message)))
        else:
            self._failed_at_once = message

    def _finish(self) -> None:
        self.end = "done"
        self._open()
        payloads = list(self.voice.ending(self.figures, usage=self.faults.empty_choices))
        for payload in payloads[:-1] if self.faults.no_done else payloads:
            self._put(self._framing.frame(payload))

    def _open(self) -> None:
        if not self._opened:
            self._opened = True
            for payload in self.voice.opening():
                self._put(self._framing.frame(payload))

    def _put(self, content: bytes, token: str | None = None) -> None:
        self._wire.put(content, token)

    async def _start(self) -> None:
        await self.reply.start(
            Lines.media_type if self.voice.framing == "lines" else Sse.media_type
        )

    async def _flush(self, *, released: bool = False, last: bool = False) -> None:
        if self._holds and not (released or last):
            return
        if not self.reply.started and (self._wire.held_bytes or last):
            await self._start()
        for chunk in self._wire.chunks(last=last):
            # First, so that nothing can come between the last write and the end.
            await asyncio.sleep(0)
            await self.reply.write(chunk)
            self.delivery.log(self._wire.gone(), time.monotonic())


class Whole(_Answer):
    """An answer that is sent when it is complete."""

    def __init__(
        self,
        voice: Voice,
        events: Iterable[Event],
        faults: Faults,
        reply: Reply,
        delivery: Delivery,
    ) -> None:
        super().__init__(voice, events, faults, reply, delivery)
        self._texts: list[str] = []
        self._error = ""

    async def play(self) -> None:
        for place, step in enumerate(self.steps):
            wait_s = self.wait_s(step)
            if wait_s > 0 or place % _YIELD_EVERY == 0:
                await asyncio.sleep(max(0, wait_s))
            self.count(step)
            if step.kind == "gate":
                await self.pass_gate(step)
            elif step.kind == "text":
                self._texts.append(step.text)
            elif step.kind == "error":
                self.end, self._error = "error", step.text
            elif step.kind == "end":
                self.end = "done"

    async def close(self) -> None:
        if self.end == "cut":
            await self.reply.cut()
        elif self.end == "error":
            await _fail(self.reply, self.voice, self._error)
        else:
            await self.reply.whole(self.voice.whole("".join(self._texts), self.figures))
            self.delivery.log(self._texts, time.monotonic())


Player = Stream | Whole


def player_of(
    voice: Voice, events: Iterable[Event], faults: Faults, reply: Reply, delivery: Delivery
) -> Player:
    kind = Stream if voice.streams else Whole
    return kind(voice, events, faults, reply, delivery)


async def _fail(reply: Reply, voice: Voice, message: str) -> None:
    await reply.whole(voice.error(message), status=HTTPStatus.INTERNAL_SERVER_ERROR)
