"""What the next prompt gets."""

from collections.abc import Iterable, Sequence

from pageside.audit.pace.faults import Faults
from pageside.audit.pace.schedule import answers_of
from pageside.server.script import Event

# For what a page asks beside its user's prompt: a title, tags, suggestions.
_SHORT = (Event("text", text="OK"),)


class Plan:
    """The answers of one script, one a prompt, in turn; after the last it starts over.

    With `match`, only prompts that contain it get them. The others get a short answer at once.
    """

    def __init__(self, events: Sequence[Event], faults: Faults, match: str | None = None) -> None:
        self.faults = faults
        self._answers = answers_of(events)
        self._match = match
        self._played = 0

    def is_meant(self, prompt: str) -> bool:
        return self._match is None or self._match in prompt

    def next_answer(self) -> Sequence[Event]:
        answer = self._answers[self._played % len(self._answers)]
        self._played += 1
        return answer

    @staticmethod
    def aside() -> tuple[Iterable[Event], Faults]:
        return _SHORT, Faults()
