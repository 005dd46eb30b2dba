"""The real model's two graphs against a llama written from the paper, in NumPy.

The reference shares no code with the converter: llama.cpp's own `gguf` package reads and
dequantises the file, and RoPE turns neighbouring pairs of the file's own row order, as
llama.cpp does, so that nothing is un-permuted.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from tokenizers import Tokenizer

from pageside.models.catalogue import CATALOGUE, DEFAULT_MODEL

LOGIT_ERROR_MAX = 1e-3
KL_MAX = 1e-6
GREEDY_TOKENS = 48
VOCABULARY = 49_152

PROMPTS = [
    "What is the capital of France?",
    "Write one sentence about rain.",
    "List three prime numbers and say why 51 is not one of them.",
    "def fibonacci(n):\n    # complete this in Python\n",
    "把“早上好”翻译成英文。 🌧️ Merci!",
]

Session = onnxruntime.InferenceSession
Logits = np.ndarray
Forward = Callable[[list[int]], Logits]
Greedy = Callable[[Session, list[int], int], list[int]]


@pytest.fixture(scope="module")
def prompts(default_folder: Path) -> list[list[int]]:
    tokenizer = Tokenizer.from_file(str(default_folder / "tokenizer.json"))
    chats = (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
        f"Face<|im_end|>\n<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n"
        for prompt in PROMPTS
    )
    return [tokenizer.encode(chat).ids for chat in chats]


@pytest.fixture(scope="module")
def skeleton(default_folder: Path, open_skeleton: Callable[[Path], Session]) -> Session:
    return open_skeleton(default_folder)


@pytest.fixture(scope="module")
def four_bit(default_folder: Path, open_four_bit: Callable[[Path], Session]) -> Session:
    return open_four_bit(default_folder)


@pytest.fixture(scope="module")
def answers(skeleton: Session, prompts: list[list[int]], greedy: Greedy) -> list[list[int]]:
    """The skeleton's greedy answers, decoded one token at a time through its cache."""
    return [greedy(skeleton, ids, GREEDY_TOKENS) for ids in prompts]


@pytest.fixture(scope="module")
def expected(
    default_folder: Path,
    open_reference: Callable[[Path], Forward],
    prompts: list[list[int]],
    answers: list[list[int]],
) -> list[Logits]:
    """The reference's logits over each prompt and, behind it, the skeleton's answer."""
    reference = open_reference(default_folder / "model.gguf")
    return [reference(ids + answer) for ids, answer in zip(prompts, answers, strict=True)]


@pytest.mark.parametrize("graph", ["skeleton", "four_bit"])
def test_every_logit_of_every_prompt(
    graph: str,
    request: pytest.FixtureRequest,
    prompts: list[list[int]],
    expected: list[Logits],
    logits_of: Callable[[Session, list[int]], Logits],
) -> None:
    session = request.getfixturevalue(graph)
    for ids, reference in zip(prompts, expected, strict=True):
        found, wanted = logits_of(session, ids), reference[: len(ids)]
        assert found.shape == wanted.shape == (len(ids), VOCABULARY)
        assert np.abs(found - wanted).max() <= LOGIT_ERROR_MAX
        assert _divergence(wanted, found).max() <= KL_MAX


def test_the_skeleton_decodes_as_the_reference_does(
    prompts: list[list[int]], answers: list[list[int]], expected: list[Logits]
) -> None:
    """After the prompt and each token of the answer, the reference chooses the next one."""
    for ids, answer, reference in zip(prompts, answers, expected, strict=True):
        assert len(answer) == GREEDY_TOKENS
        assert reference[len(ids) - 1 : -1].argmax(-1).tolist() == answer


def test_the_four_bit_graph_chooses_the_same_tokens(
    four_bit: Session,
    prompts: list[list[int]],
    answers: list[list[int]],
    continued: Callable[[Session, list[int], list[int]], Logits],
) -> None:
    """Native MatMulNBits takes 0.2 s a token, so the answer goes in as one piece."""
    for ids, answer in zip(prompts, answers, strict=True):
        assert continued(four_bit, ids, answer[:-1]).argmax(-1).tolist() == answer


@pytest.mark.parametrize("graph", ["skeleton", "four_bit"])
def test_the_known_answer_is_known_by_far(
    graph: str,
    request: pytest.FixtureRequest,
    default_folder: Path,
    logits_of: Callable[[Session, list[int]], Logits],
) -> None:
    """A backend that computes a little differently must not fail the check at load."""
    known = CATALOGUE[DEFAULT_MODEL].known_answer
    assert known is not None
    tokenizer = Tokenizer.from_file(str(default_folder / "tokenizer.json"))
    last = logits_of(request.getfixturevalue(graph), tokenizer.encode(known.prompt).ids)[-1]
    second, best = np.sort(last)[-2:]
    assert tokenizer.decode([int(last.argmax())]) == known.next
    assert best - second > 4


def _divergence(expected: Logits, found: Logits) -> Logits:
    """KL(expected ‖ found) of each position's distribution, in nats."""
    log_p, log_q = _log_softmax(expected), _log_softmax(found)
    return np.asarray((np.exp(log_p) * (log_p - log_q)).sum(-1))


def _log_softmax(logits: Logits) -> Logits:
    shifted = logits.astype(np.float64) - logits.max(-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))
