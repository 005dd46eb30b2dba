"""Our tokenizer files, read by independent libraries, against a real llama.cpp."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import jinja2
import pytest
import xllamacpp
from tokenizers import Tokenizer

CORPUS = [
    "Hello, world!",
    "",
    " ",
    "   leading and trailing   ",
    "tabs\tand\t\ttabs, \r\nCRLF\r\n\r\n and \n\n\n newlines   \n  ",
    "it's we'll I'm they've he'd you're DON'T SHOUT'S",
    "1234567890 3.14159 1,000,000 0x1F 2026-11-29T14:30:00Z ½ ² Ⅻ ٣٤",
    "def f(x: int) -> str:\n    return f'{x!r}'  # comment\n\n\nclass A:\n\tpass\n",
    '<html><body class="a">&amp; <!-- c --></body></html>',
    "const f = async (x) => { await g(x ?? null); };\n",
    "你好世界，早上好。 こんにちは、世界！ 안녕하세요 세계",
    "Größe, naïve café, Łódź, İstanbul, Ελληνικά, Русский, עברית, العربية, हिन्दी, ไทย",
    "🌍 🌧️ 👩‍💻 👨‍👩‍👧‍👦 🇫🇷 ☺️ a🙂b",
    "e\u0301 \u00e9 \ufb01 \u200b\u200d zero\u00a0width\u3000space \u2028 line",
    "$\\frac{a_i}{b_i}=\\sum_{k=1}^{n}x_k^2$ | a | b |\n|---|---|\n",
    "\x00\x01\x7f control \u0085 and \ufeff bom",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" * 4,
    "supercalifragilisticexpialidocious antidisestablishmentarianism Donaudampfschiff",
    "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    "x<|endoftext|>y <|im_end|><|im_end|> <|unknown|> <repo_name>a<file_sep>b",
    "\U0001f9d1\U0001f3fd\u200d\U0001f680 astral \U00020000 \U0010fffd",
]

CHATS = [
    [{"role": "user", "content": "Hi"}],
    [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "你好 🌍"}],
    [
        {"role": "user", "content": "One\n\ntwo"},
        {"role": "assistant", "content": "  spaces kept "},
        {"role": "user", "content": "{{ not a template }} <|im_end|>"},
    ],
]


@pytest.fixture(scope="module")
def llama_cpp(default_folder: Path) -> Iterator[httpx.Client]:
    """A llama.cpp server in this process, on a free port, with the same GGUF."""
    params = xllamacpp.CommonParams()
    params.model.path = str(default_folder / "model.gguf")
    params.port, params.n_ctx, params.n_parallel = 0, 256, 1
    params.warmup, params.n_gpu_layers, params.verbosity = False, 0, 0
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    with httpx.Client(base_url=server.listening_address, trust_env=False) as client:
        yield client
    del server


@pytest.fixture(scope="module")
def tokenizer(default_folder: Path) -> Tokenizer:
    return Tokenizer.from_file(str(default_folder / "tokenizer.json"))


@pytest.mark.parametrize("text", CORPUS)
def test_the_same_ids_as_llama_cpp(
    text: str, llama_cpp: httpx.Client, tokenizer: Tokenizer
) -> None:
    asked = {"content": text, "add_special": False, "parse_special": True}
    expected = llama_cpp.post("/tokenize", json=asked).raise_for_status().json()["tokens"]
    assert tokenizer.encode(text, add_special_tokens=False).ids == expected


@pytest.mark.parametrize("text", CORPUS)
def test_decoding_gives_the_text_back(text: str, tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert tokenizer.decode(ids, skip_special_tokens=False) == text


@pytest.mark.parametrize("messages", CHATS)
def test_the_same_prompt_as_llama_cpp(
    messages: list[dict[str, str]], llama_cpp: httpx.Client, default_folder: Path
) -> None:
    config = json.loads((default_folder / "tokenizer_config.json").read_bytes())
    template = jinja2.Environment().from_string(config["chat_template"])
    answer = llama_cpp.post("/apply-template", json={"messages": messages}).raise_for_status()
    assert template.render(messages=messages, add_generation_prompt=True) == answer.json()["prompt"]


def test_an_answer_ends_with_the_turn_or_the_text(
    default_folder: Path, tokenizer: Tokenizer
) -> None:
    config = json.loads((default_folder / "generation_config.json").read_bytes())
    ends = [tokenizer.id_to_token(id) for id in config["eos_token_id"]]
    assert ends == ["<|endoftext|>", "<|im_end|>"]
    assert tokenizer.id_to_token(config["bos_token_id"]) == "<|im_start|>"
