"""Interleaved repeats: what drifts on the machine drifts for all arms alike."""

from collections.abc import Mapping

from arms.timing import Arm, Timing

Rounds = dict[str, list[Timing]]


async def interleaved(arms: Mapping[str, Arm], tokens: int, repeats: int) -> Rounds:
    """`repeats` answers of each arm after one that is not counted.

    Every other round runs backwards, so that neighbours stay neighbours and neither
    is always first. An answer of another length than `tokens` is an error.
    """
    found: Rounds = {name: [] for name in arms}
    for name in arms:
        await _answer(name, arms[name], tokens)
    for number in range(repeats):
        for name in list(arms) if number % 2 == 0 else reversed(list(arms)):
            found[name].append(await _answer(name, arms[name], tokens))
    return found


async def _answer(name: str, arm: Arm, tokens: int) -> Timing:
    timing = await arm.answer()
    if timing.tokens != tokens:
        raise RuntimeError(f"{name} answered with {timing.tokens} tokens instead of {tokens}")
    return timing


def agreement(rounds: Rounds, names: list[str]) -> str:
    """Whether engines that compute alike also said the same."""
    answers = {timing.answer for name in names for timing in rounds[name]}
    said = "the same text" if len(answers) == 1 else f"{len(answers)} DIFFERENT TEXTS"
    return f"in all rounds {said} from {'; '.join(names)}."
