"""What was delivered: the times that a page's own times are held against."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from pageside.audit.pace.gate import Gate

# "done": everything was written. "left": the client went first. "cut": we hung up in the middle.
# "error": the answer was, or ended in, an error.
End = Literal["done", "left", "cut", "error"]


@dataclass(frozen=True)
class Sent:
    """Tokens `first` to `first + count - 1`, whose last byte went to the socket at `written_at`.

    `written_at` is monotonic seconds, after the write was accepted: when a slow reader has
    filled the socket it is later than the script asked for.
    """

    text: str
    written_at: float
    first: int
    count: int


@dataclass(eq=False)
class Delivery:
    """One answer. It is filled while it runs and may be read from any thread meanwhile.

    Times are monotonic seconds. `left_at` is when the client's going was noticed, None if it
    stayed to the end; `end` and `ended_at` are None while the answer runs. `gate` ends a `GATE`
    in the answer.
    """

    path: str
    dialect: str
    prompt: str
    requested_at: float
    sent: list[Sent] = field(default_factory=list)
    ended_at: float | None = None
    end: End | None = None
    left_at: float | None = None
    gate: Gate = field(default_factory=Gate, repr=False)

    @property
    def tokens(self) -> int:
        """Tokens written so far."""
        return self.sent[-1].first + self.sent[-1].count if self.sent else 0

    @property
    def text(self) -> str:
        """The text written so far."""
        return "".join(sent.text for sent in self.sent)

    @property
    def rate(self) -> float | None:
        """Tokens a second from the first write to the last; None if there was but one."""
        if len(self.sent) < 2:
            return None
        took_s = self.sent[-1].written_at - self.sent[0].written_at
        return (self.tokens - self.sent[0].count) / took_s if took_s > 0 else None

    def log(self, texts: list[str], now: float) -> None:
        """These tokens have been written."""
        if texts:
            self.sent.append(Sent("".join(texts), now, self.tokens, len(texts)))

    def close(self, end: End, now: float) -> None:
        """`end` last: whoever sees it, sees the rest."""
        self.ended_at = now
        self.end = end

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            **{k: v for k, v in vars(self).items() if k != "gate"},
            "sent": [asdict(s) for s in self.sent],
        }
