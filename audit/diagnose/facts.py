"""What a diagnosis may look at: figures by metric and scenario, and the takes they came from."""

import fnmatch
from collections.abc import Sequence
from statistics import median

from pageside.audit.result import Blame, Sample
from pageside.audit.scenarios import Kind
from pageside.audit.take import Take


class Facts:
    """Figures are medians over the runs."""

    def __init__(self, samples: Sequence[Sample], takes: Sequence[Take]) -> None:
        self._values: dict[tuple[str, str], list[float]] = {}
        for sample in samples:
            self._values.setdefault((sample.metric, sample.scenario), []).append(sample.value)
        self._takes = takes

    def value(self, metric: str, scenario: str) -> float | None:
        values = self._values.get((metric, scenario))
        return median(values) if values else None

    def each(self, metric: str, pattern: str = "*") -> dict[str, float]:
        """Scenario → value, of scenarios that match the glob."""
        return {
            scenario: median(values)
            for (name, scenario), values in self._values.items()
            if name == metric and fnmatch.fnmatchcase(scenario, pattern)
        }

    def worst(self, metric: str, pattern: str = "*") -> tuple[str, float] | None:
        """The scenario with the highest value, and the value."""
        values = self.each(metric, pattern)
        return max(values.items(), key=lambda item: item[1]) if values else None

    def takes(self, scenario: str, kind: Kind) -> list[Take]:
        return [t for t in self._takes if t.scenario.name == scenario and t.kind == kind]

    def blame(self, scenario: str, is_hidden: bool = False) -> tuple[Blame, ...]:
        """The page's own code that spent most there: with the profiler if it ran."""
        for kind in ("evidence", "cost"):
            for take in self.takes(scenario, kind):
                window = take.shown if is_hidden else take.stream
                if window is not None and (blamed := window.blame()):
                    return blamed
        return ()

    def long_frame_script(self, scenario: str) -> str:
        """The script that the browser's Long Animation Frames attribute most to, in words."""
        spent: dict[str, float] = {}
        for take in self.takes(scenario, "evidence"):
            for frame in take.evidence.long_frames if take.evidence else ():
                for script in frame["scripts"]:
                    name = script["function"] or script["invoker"]
                    place = f"{name} in {script['url']}" if script["url"] else name
                    spent[place] = spent.get(place, 0) + script["duration"]
        if not spent:
            return ""
        place, duration_ms = max(spent.items(), key=lambda item: item[1])
        return f"Long Animation Frames attribute {duration_ms:.0f} ms to {place}."

    def stages(self, scenario: str) -> dict[str, float]:
        """Stage → its share of the main thread's CPU time there, 0 to 1."""
        for take in (*self.takes(scenario, "cost"), *self.takes(scenario, "evidence")):
            if take.stream is not None and take.stream.cpu_ms:
                total = take.stream.cpu_ms
                return {stage: ms / total for stage, ms in take.stream.stages.items()}
        return {}
