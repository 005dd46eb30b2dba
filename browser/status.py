"""One line on a terminal that says what is being waited for, and leaves no trace."""

import sys
from types import TracebackType
from typing import Self


class StatusLine:
    """Stages and how much of each is done, on stderr; silent where that is no terminal.

    It can be given as `on_progress`. Leaving the context clears the line.
    """

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._shown = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        text = f"{stage} {100 * done // total}%" if total else stage
        if self._is_terminal and text != self._shown:
            self._shown = text
            self._write(f"\r\x1b[K{text}")

    def say(self, message: str) -> None:
        """A line that stays."""
        self.clear()
        self._write(f"pageside: {message}\n")

    def clear(self) -> None:
        """Gives the line back to whatever is printed next."""
        if self._shown:
            self._shown = ""
            self._write("\r\x1b[K")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.clear()

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
