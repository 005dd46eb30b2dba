"""What the tests of models share: small GGUF files, running graphs, a reference llama."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import gguf
import numpy as np
import onnxruntime
import pytest

Session = onnxruntime.InferenceSession
Array = np.ndarray
Forward = Callable[[list[int]], Array]

TINY = {"hidden": 64, "heads": 4, "kv_heads": 2, "layers": 2, "feed_forward": 96}
CONTROL_TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
CHAT_TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}"


@pytest.fixture(scope="session")
def write_llama() -> Callable[..., Path]:
    """write_llama(path, matrix="Q4_1", embedding="Q8_0", tied=True, **metadata)."""
    return _write_llama


@pytest.fixture
def limit_file_size() -> Callable[[int], AbstractContextManager[None]]:
    """`with limit_file_size(n):` no file of this process may grow beyond n bytes."""
    return _limit_file_size


@pytest.fixture(scope="session")
def open_skeleton() -> Callable[[Path], Session]:
    return _open_skeleton


@pytest.fixture(scope="session")
def open_four_bit() -> Callable[[Path], Session]:
    return lambda folder: Session(folder / "onnx" / "model_q4.onnx", _options())


@pytest.fixture(scope="session")
def open_reference() -> Callable[[Path], Forward]:
    return lambda path: ReferenceLlama(path).logits


@pytest.fixture(scope="session")
def logits_of() -> Callable[[Session, list[int]], Array]:
    """[positions, vocabulary] for ids that are all new."""
    return lambda session, ids: _step(session, ids, len(ids), _empty_cache(session), keep=0)[0]


@pytest.fixture(scope="session")
def greedy() -> Callable[[Session, list[int], int], list[int]]:
    return _greedy


@pytest.fixture(scope="session")
def continued() -> Callable[[Session, list[int], list[int]], Array]:
    """The logits that follow `ids`, and then each of `more`, which is fed with a full cache."""
    return _continued


@contextmanager
def _limit_file_size(size_bytes: int) -> Iterator[None]:
    import resource  # there is none on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _write_llama(
    path: Path,
    *,
    matrix: str = "Q4_1",
    embedding: str = "Q8_0",
    tied: bool = True,
    architecture: str = "llama",
    extra_tensor: str = "",
    seed: int = 0,
    **metadata: str | int | float,
) -> Path:
    """A llama of two layers with random weights, written by llama.cpp's own package."""
    tokens, merges = _byte_level_vocabulary()
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_block_count(TINY["layers"])
    writer.add_context_length(128)
    writer.add_embedding_length(TINY["hidden"])
    writer.add_feed_forward_length(TINY["feed_forward"])
    writer.add_head_count(TINY["heads"])
    writer.add_head_count_kv(TINY["kv_heads"])
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_tokenizer_model(str(metadata.pop("tokenizer", "gpt2")))
    writer.add_tokenizer_pre(str(metadata.pop("pre", "smollm")))
    writer.add_token_list(tokens)
    control = gguf.TokenType.CONTROL
    writer.add_token_types([control] * 3 + [gguf.TokenType.NORMAL] * (len(tokens) - 3))
    writer.add_token_merges(merges)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(CHAT_TEMPLATE)
    for key, value in metadata.items():
        _add_metadata(writer, key.replace("__", "."), value)
    for name, weights, kind in _tiny_tensors(len(tokens), matrix, embedding, tied, seed):
        type_ = gguf.GGMLQuantizationType[kind]
        writer.add_tensor(name, gguf.quantize(weights, type_), raw_dtype=type_)
    if extra_tensor:
        writer.add_tensor(extra_tensor, np.zeros(32, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _tiny_tensors(
    vocabulary: int, matrix: str, embedding: str, tied: bool, seed: int
) -> list[tuple[str, Array, str]]:
    random = np.random.default_rng(seed)
    hidden, wide = TINY["hidden"], TINY["feed_forward"]
    keys = hidden * TINY["kv_heads"] // TINY["heads"]

    def weights(rows: int, columns: int) -> Array:
        return random.normal(0.02, 0.3, (rows, columns)).astype(np.float32)

    tensors = [("token_embd.weight", weights(vocabulary, hidden), embedding)]
    if not tied:
        tensors.append(("output.weight", weights(vocabulary, hidden), matrix))
    norms = ["output_norm"]
    for layer in range(TINY["layers"]):
        norms += [f"blk.{layer}.attn_norm", f"blk.{layer}.ffn_norm"]
        shapes = {"attn_q": (hidden, hidden), "attn_k": (keys, hidden), "attn_v": (keys, hidden)}
        shapes |= {"attn_output": (hidden, hidden), "ffn_gate": (wide, hidden)}
        shapes |= {"ffn_up": (wide, hidden), "ffn_down": (hidden, wide)}
        tensors += [
            (f"blk.{layer}.{n}.weight", weights(*size), matrix) for n, size in shapes.items()
        ]
    one = np.float32(1)
    tensors += [(f"{name}.weight", one + weights(1, hidden)[0] / 3, "F32") for name in norms]
    return tensors


def _byte_level_vocabulary() -> tuple[list[str], list[str]]:
    """Control tokens, GPT-2's 256 characters for bytes, and a few merges."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = [chr(byte) for byte in plain] + [chr(256 + n) for n in range(len(others))]
    merges = ["h e", "l l", "he ll", "Ġ w", "o r"]
    return [*CONTROL_TOKENS, *letters, *(merge.replace(" ", "") for merge in merges)], merges


def _add_metadata(writer: gguf.GGUFWriter, key: str, value: str | int | float) -> None:
    writer.kv_data[0].pop(key, None)
    if isinstance(value, str):
        writer.add_string(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    else:
        writer.add_uint32(key, value)


def _options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    return options


def _open_skeleton(folder: Path) -> Session:
    """As the worker does: dequantise the GGUF's bytes, pass them as external data."""
    table = json.loads((folder / "onnx" / "weights.json").read_bytes())
    content = np.zeros(table["total_bytes"], np.uint8)
    source = np.memmap(folder / "model.gguf", np.uint8, "r")
    for tensor in table["tensors"]:
        rows = _dequantised(source, tensor).reshape(-1).view(np.uint8)
        content[tensor["offset_bytes"] :][: rows.size] = rows
    options = _options()
    options.add_external_initializers_from_files_in_memory(
        [table["location"]], [content], [content.size]
    )
    return Session((folder / "onnx" / "model.onnx").read_bytes(), options)


def _dequantised(source: Array, tensor: dict) -> Array:
    kind = gguf.GGMLQuantizationType[tensor["type"]]
    length, size = gguf.GGML_QUANT_SIZES[kind]
    row_bytes = tensor["columns"] // length * size
    start = tensor["source_offset_bytes"]
    rows = source[start : start + tensor["rows"] * row_bytes].reshape(tensor["rows"], row_bytes)
    if kind in (gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16):
        rows = rows.view(np.float32 if kind == gguf.GGMLQuantizationType.F32 else np.float16)
    weights = gguf.dequantize(rows, kind).astype(np.float32)
    if not tensor["heads"]:
        return weights
    ordered = np.empty_like(weights)
    head_size = tensor["rows"] // tensor["heads"]
    for row in range(tensor["rows"]):
        head, within = divmod(row, head_size)
        ordered[head * head_size + within % 2 * head_size // 2 + within // 2] = weights[row]
    return ordered


def _greedy(session: Session, ids: list[int], count: int) -> list[int]:
    """`count` tokens, each from the last position's largest logit, through the KV cache."""
    answer: list[int] = []
    cache, new = _empty_cache(session), ids
    while len(answer) < count:
        logits, cache = _step(session, new, len(ids) + len(answer), cache, keep=1)
        answer.append(int(logits[-1].argmax()))
        new = answer[-1:]
    return answer


def _continued(session: Session, ids: list[int], more: list[int]) -> Array:
    first, cache = _step(session, ids, len(ids), _empty_cache(session), keep=1)
    rest, _ = _step(session, more, len(ids) + len(more), cache, keep=0)
    return np.concatenate([first, rest])


def _step(
    session: Session, new: list[int], length: int, cache: dict[str, Array], keep: int
) -> tuple[Array, dict[str, Array]]:
    feeds = {
        "input_ids": np.array([new], np.int64),
        "attention_mask": np.ones((1, length), np.int64),
        "num_logits_to_keep": np.array(keep, np.int64),
    }
    names = [output.name for output in session.get_outputs()]
    logits, *present = session.run(names, feeds | cache)
    past = [name.replace("present", "past_key_values") for name in names[1:]]
    return logits[0], dict(zip(past, present, strict=True))


def _empty_cache(session: Session) -> dict[str, Array]:
    shapes = {entry.name: entry.shape for entry in session.get_inputs() if len(entry.shape) == 4}
    return {
        name: np.zeros((1, heads, 0, size), np.float32)
        for name, (_, heads, _, size) in shapes.items()
    }


class ReferenceLlama:
    """Llama as published (arXiv 2302.13971), over float32 weights from llama.cpp's `gguf`."""

    def __init__(self, path: Path) -> None:
        reader = gguf.GGUFReader(path)
        about = {key: field.contents() for key, field in reader.fields.items()}
        self._weights = {
            tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
            for tensor in reader.tensors
        }
        self._layers = about["llama.block_count"]
        self._heads = about["llama.attention.head_count"]
        self._kv_heads = about["llama.attention.head_count_kv"]
        self._base = about["llama.rope.freq_base"]
        self._epsilon = about["llama.attention.layer_norm_rms_epsilon"]

    def logits(self, ids: list[int]) -> Array:
        """[positions, vocabulary]."""
        x = self._weights["token_embd.weight"][ids]
        for layer in range(self._layers):
            x = x + self._attention(self._norm(x, f"blk.{layer}.attn_norm"), f"blk.{layer}")
            x = x + self._feed_forward(self._norm(x, f"blk.{layer}.ffn_norm"), f"blk.{layer}")
        head = self._weights.get("output.weight", self._weights["token_embd.weight"])
        return np.asarray(self._norm(x, "output_norm") @ head.T)

    def _attention(self, x: Array, block: str) -> Array:
        q = self._rope(self._project(x, f"{block}.attn_q", self._heads))
        k = self._rope(self._project(x, f"{block}.attn_k", self._kv_heads))
        v = self._project(x, f"{block}.attn_v", self._kv_heads)
        group = self._heads // self._kv_heads
        k, v = np.repeat(k, group, axis=0), np.repeat(v, group, axis=0)
        scores = q @ k.swapaxes(1, 2) / np.sqrt(np.float32(q.shape[-1]))
        scores[:, np.triu(np.ones(scores.shape[1:], bool), 1)] = -np.inf
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = weights / weights.sum(-1, keepdims=True) @ v
        joined = mixed.swapaxes(0, 1).reshape(len(x), -1)
        return np.asarray(joined @ self._weights[f"{block}.attn_output.weight"].T)

    def _project(self, x: Array, name: str, heads: int) -> Array:
        """[heads, positions, head size]."""
        projected = x @ self._weights[f"{name}.weight"].T
        return projected.reshape(len(x), heads, -1).swapaxes(0, 1)

    def _rope(self, x: Array) -> Array:
        size = x.shape[-1]
        frequencies = self._base ** (-np.arange(0, size, 2) / size)
        angles = np.outer(np.arange(x.shape[1]), frequencies)
        turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
        return np.stack([turned.real, turned.imag], -1).reshape(x.shape).astype(np.float32)

    def _feed_forward(self, x: Array, block: str) -> Array:
        gate = x @ self._weights[f"{block}.ffn_gate.weight"].T
        silu = gate / (1 + np.exp(-gate))
        up = x @ self._weights[f"{block}.ffn_up.weight"].T
        return np.asarray((silu * up) @ self._weights[f"{block}.ffn_down.weight"].T)

    def _norm(self, x: Array, name: str) -> Array:
        square = np.mean(x.astype(np.float64) ** 2, axis=-1, keepdims=True)
        normed = (x / np.sqrt(square + self._epsilon)).astype(np.float32)
        return np.asarray(normed * self._weights[f"{name}.weight"].reshape(-1))
