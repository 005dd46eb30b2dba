"""How far a pull has come, as it is reported and as a terminal or a log shows it."""

import sys
from types import TracebackType
from typing import Protocol, Self

from tqdm import tqdm


class Progress(Protocol):
    """Called with a stage and how much of it is done.

    Stages: "fetch", "verify", "convert"; first "wait", of 0 bytes, if another process pulls.
    """

    def __call__(self, stage: str, done_bytes: int, total_bytes: int) -> None: ...


class ProgressLine:
    """One line on stderr for each stage; in a log, only that the stage began."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self._stage = ""
        self._bar: tqdm[None] | None = None

    def __call__(self, stage: str, done_bytes: int, total_bytes: int) -> None:
        if stage != self._stage:
            self._begin(stage, total_bytes)
        if self._bar is not None:
            self._bar.total = total_bytes or None
            self._bar.update(done_bytes - self._bar.n)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()

    def _begin(self, stage: str, total_bytes: int) -> None:
        self._end()
        self._stage = stage
        label = f"{self.subject}: {stage}"
        if sys.stderr.isatty():
            self._bar = tqdm(desc=label, total=total_bytes, unit="B", unit_scale=True)
        else:
            print(label, file=sys.stderr, flush=True)

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
