"""A GGUF's tokenizer as the files that transformers.js and `tokenizers` read.

Byte-level BPE only (`tokenizer.ggml.model` is "gpt2"), with the pre-tokenizers that a
test holds against llama.cpp.
"""

from typing import Any

from pageside.models.errors import ConversionUnsupported, GgufInvalid
from pageside.models.gguf import Gguf
from pageside.models.llama import LlamaShape

_CONTROL, _USER_DEFINED = 3, 4  # llama.cpp's token types

_BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
_PRE_TOKENIZERS: dict[str, list[dict[str, Any]]] = {
    "smollm": [{"type": "Digits", "individual_digits": True}, _BYTE_LEVEL],
}

# Control tokens that end an answer by what they are called, as llama.cpp also takes them.
_ENDS = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>")


def tokenizer_json(file: Gguf, shape: LlamaShape) -> dict[str, Any]:
    """The content of `tokenizer.json`."""
    tokens = _tokens(file, shape)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _added_tokens(file, tokens),
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": _pre_tokenizer(file)},
        "post_processor": None,
        "decoder": _BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: id for id, token in enumerate(tokens)},
            "merges": file.metadata.texts("tokenizer.ggml.merges"),
        },
    }


def tokenizer_config(file: Gguf, shape: LlamaShape) -> dict[str, Any]:
    """The content of `tokenizer_config.json`, the chat template included."""
    tokens, about = _tokens(file, shape), file.metadata
    named = {name: _special(file, name, shape) for name in ("bos", "eos", "padding", "unknown")}
    texts = {name: None if id is None else tokens[id] for name, id in named.items()}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "add_bos_token": about.boolean("tokenizer.ggml.add_bos_token", False),
        "add_prefix_space": False,
        "clean_up_tokenization_spaces": False,
        "model_max_length": shape.context_window,
        "bos_token": texts["bos"],
        "eos_token": texts["eos"],
        "pad_token": texts["padding"],
        "unk_token": texts["unknown"],
        "chat_template": about.text("tokenizer.chat_template"),
    }


def generation_config(file: Gguf, shape: LlamaShape) -> dict[str, Any]:
    """The content of `generation_config.json`: which tokens begin, end and pad."""
    return {
        "bos_token_id": _special(file, "bos", shape),
        "eos_token_id": _end_ids(file, shape),
        "pad_token_id": _special(file, "padding", shape),
    }


def _tokens(file: Gguf, shape: LlamaShape) -> list[str]:
    tokens = file.metadata.texts("tokenizer.ggml.tokens")
    if len(tokens) != shape.vocabulary:
        raise GgufInvalid(f"{len(tokens)} tokens for {shape.vocabulary} rows of embeddings")
    if len(set(tokens)) < len(tokens):
        raise GgufInvalid("the GGUF header has one token twice")
    return tokens


def _types(file: Gguf) -> list[int]:
    types = file.metadata.integers("tokenizer.ggml.token_type")
    if len(types) != len(file.metadata.texts("tokenizer.ggml.tokens")):
        raise GgufInvalid("the GGUF header has not one type for each token")
    return types


def _pre_tokenizer(file: Gguf) -> list[dict[str, Any]]:
    model = file.metadata.text("tokenizer.ggml.model")
    if model != "gpt2":
        raise ConversionUnsupported(
            f"a tokenizer of type {model[:40]!r} cannot be converted", hint="supported: gpt2"
        )
    name = file.metadata.text("tokenizer.ggml.pre", "default")
    if name not in _PRE_TOKENIZERS:
        known = ", ".join(_PRE_TOKENIZERS)
        raise ConversionUnsupported(
            f"the pre-tokenizer {name[:40]!r} cannot be converted", hint=f"supported: {known}"
        )
    return _PRE_TOKENIZERS[name]


def _added_tokens(file: Gguf, tokens: list[str]) -> list[dict[str, Any]]:
    """Tokens that are found in the text before it is split."""
    return [
        {
            "id": id,
            "content": tokens[id],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": type_ == _CONTROL,
        }
        for id, type_ in enumerate(_types(file))
        if type_ in (_CONTROL, _USER_DEFINED)
    ]


def _special(file: Gguf, name: str, shape: LlamaShape) -> int | None:
    key = f"tokenizer.ggml.{name}_token_id"
    if key not in file.metadata:
        return None
    return file.metadata.integer(key, 0, shape.vocabulary - 1)


def _end_ids(file: Gguf, shape: LlamaShape) -> list[int]:
    tokens, types = _tokens(file, shape), _types(file)
    named = {tokens.index(text) for text in _ENDS if text in tokens}
    ends = {id for id in named if types[id] == _CONTROL}
    declared = _special(file, "eos", shape)
    return sorted(ends if declared is None else ends | {declared})
