"""One answer in one dialect."""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pageside.audit.pace.dialects.body import Body
from pageside.audit.pace.framing import Payload


@dataclass
class Figures:
    """What a server tells of itself. Times are the script's, not the clock's: the same answer
    has the same bytes. `decode_ms` is from the first token to the last."""

    prompt_tokens: int
    read: float = 0
    prefill_ms: float = 0
    tokens: int = 0
    decode_ms: float = 0

    @property
    def prompt_read(self) -> int:
        return round(self.read * self.prompt_tokens)


class Voice(ABC):
    """Reads a request (BodyInvalid if it cannot be meant) and gives the answer its shapes.

    `number` counts the server's answers and makes their ids. `head_first` says that the head of
    the response is sent when the request has come, not with the first event.
    """

    dialect: ClassVar[str]
    framing: ClassVar[str] = "sse"
    head_first: ClassVar[bool] = False

    model: str
    prompt: str
    streams: bool
    prompt_tokens: int

    def __init__(self, body: Body, *, number: int, model: str) -> None:
        self.body = body
        self.number = number
        self.default_model = model
        self.created = int(time.time())
        self.read(body)

    @abstractmethod
    def read(self, body: Body) -> None:
        """Sets model, prompt, streams and prompt_tokens."""

    def greeting(self) -> dict[str, Any] | None:
        """The whole answer to a request that asks for none, such as one to load the model."""
        return None

    def progress(self, figures: Figures) -> Sequence[Payload]:
        """So much of the prompt has been read."""
        return ()

    def opening(self) -> Sequence[Payload]:
        """Before the first token."""
        return ()

    @abstractmethod
    def token(self, text: str, figures: Figures) -> dict[str, Any]: ...

    @abstractmethod
    def ending(self, figures: Figures, *, usage: bool) -> Sequence[Payload]:
        """After the last token; the last payload marks the end. `usage`: asked for or not."""

    @abstractmethod
    def whole(self, text: str, figures: Figures) -> dict[str, Any]:
        """The answer when it is not streamed."""

    @abstractmethod
    def error(self, message: str) -> Payload:
        """In the middle of a stream."""
