"""The one prompt that every engine answers: the same token ids, the same number of tokens back."""

import json
from dataclasses import dataclass
from pathlib import Path

import jinja2
from tokenizers import Tokenizer

# 83 tokens with the template's own. Greedily, the answer goes on for more than TOKENS.
PROMPT = (
    "Explain to a curious child, in several paragraphs and in simple words, why the sky is blue "
    "at noon, why it turns red in the evening, and what would be different on a planet without "
    "any air around it, such as Mercury, or on the Moon."
)
TOKENS = 64


@dataclass(frozen=True)
class Question:
    """`ids` are the prompt's tokens, by the model's chat template."""

    messages: list[dict[str, str]]
    ids: list[int]
    tokens: int

    def to_page(self) -> dict[str, object]:
        return {"messages": self.messages, "maxTokens": self.tokens}


def question(folder: Path) -> Question:
    """For the model in `folder`."""
    return _asked(folder, PROMPT, TOKENS)


def question_of(folder: Path, prompt_tokens: int, tokens: int) -> Question:
    """One whose prompt has so many tokens, give or take two."""
    words = PROMPT.split() * (1 + prompt_tokens // 40)
    count = len(words)
    while len(_asked(folder, " ".join(words[:count]), tokens).ids) > prompt_tokens:
        count -= 1
    return _asked(folder, " ".join(words[:count]), tokens)


def _asked(folder: Path, prompt: str, tokens: int) -> Question:
    config = json.loads((folder / "tokenizer_config.json").read_bytes())
    template = jinja2.Environment().from_string(config["chat_template"])
    messages = [{"role": "user", "content": prompt}]
    text = template.render(messages=messages, add_generation_prompt=True)
    return Question(messages, tokenizer(folder).encode(text, add_special_tokens=False).ids, tokens)


def tokenizer(folder: Path) -> Tokenizer:
    return Tokenizer.from_file(str(folder / "tokenizer.json"))
