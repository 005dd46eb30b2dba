"""The llama architecture as a GGUF header describes it: sizes, and which tensors it must have."""

from dataclasses import dataclass

from pageside.models.errors import ConversionUnsupported, GgufInvalid
from pageside.models.gguf import Gguf, Tensor

ARCHITECTURE = "llama"

LAYERS_MAX = 512
WIDTH_MAX = 1 << 17
HEADS_MAX = 1024
VOCABULARY_MAX = 1 << 20
ANGLES_MAX_BYTES = 1 << 28
CONTEXT_MAX = 1 << 17  # the graphs carry a row of angles for each position


@dataclass(frozen=True)
class LlamaShape:
    """Sizes of the network, in the field's usual terms."""

    layers: int
    hidden: int
    feed_forward: int
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int
    context_window: int
    rope_base: float
    norm_epsilon: float
    tied_head: bool

    @property
    def head_tensor(self) -> str:
        """The tensor that turns the last hidden state into logits."""
        return "token_embd.weight" if self.tied_head else "output.weight"


def read_shape(file: Gguf) -> LlamaShape:
    """The shape in the header. ConversionUnsupported names what goes beyond plain llama."""
    about = file.metadata
    architecture = about.text("general.architecture")
    if architecture != ARCHITECTURE:
        raise ConversionUnsupported(
            f"the architecture {architecture[:40]!r} cannot be converted",
            hint=f"supported: {ARCHITECTURE}",
        )
    _refuse_variants(file)
    heads = about.integer("llama.attention.head_count", 1, HEADS_MAX)
    hidden = about.integer("llama.embedding_length", 2, WIDTH_MAX)
    shape = LlamaShape(
        layers=about.integer("llama.block_count", 1, LAYERS_MAX),
        hidden=hidden,
        feed_forward=about.integer("llama.feed_forward_length", 1, WIDTH_MAX),
        heads=heads,
        kv_heads=about.integer("llama.attention.head_count_kv", 1, heads, heads),
        head_size=about.integer("llama.attention.key_length", 2, WIDTH_MAX, hidden // heads),
        vocabulary=_tensor(file, "token_embd.weight").rows,
        context_window=about.integer("llama.context_length", 1, CONTEXT_MAX),
        rope_base=about.number("llama.rope.freq_base", 10_000.0),
        norm_epsilon=about.number("llama.attention.layer_norm_rms_epsilon"),
        tied_head="output.weight" not in file.tensors,
    )
    _check_angles(shape)
    _check(file, shape)
    return shape


def _check_angles(shape: LlamaShape) -> None:
    """Each is in bounds alone, and a file of kilobytes could ask for gigabytes of both."""
    size_bytes = 4 * shape.context_window * shape.head_size
    if size_bytes > ANGLES_MAX_BYTES:
        raise ConversionUnsupported(
            f"{shape.context_window} positions of heads of {shape.head_size} cannot be converted",
            hint=f"their angles would take {size_bytes >> 20} MiB of {ANGLES_MAX_BYTES >> 20}",
        )


def _refuse_variants(file: Gguf) -> None:
    about = file.metadata
    scaling = about.text("llama.rope.scaling.type", "none")
    if scaling != "none":
        raise ConversionUnsupported(f"RoPE scaling of type {scaling[:40]!r} cannot be converted")
    if about.integer("llama.expert_count", 0, WIDTH_MAX, 0):
        raise ConversionUnsupported("mixtures of experts cannot be converted")


def _check(file: Gguf, shape: LlamaShape) -> None:
    if shape.heads % shape.kv_heads:
        raise GgufInvalid(f"{shape.heads} heads cannot share {shape.kv_heads} key-value heads")
    rotated = file.metadata.integer("llama.rope.dimension_count", 2, WIDTH_MAX, shape.head_size)
    if rotated != shape.head_size or rotated % 2:
        raise ConversionUnsupported(f"RoPE over {rotated} of {shape.head_size} cannot be converted")
    if shape.vocabulary > VOCABULARY_MAX:
        raise GgufInvalid(f"the vocabulary has {shape.vocabulary} tokens")
    expected = tensor_shapes(shape)
    for name, rows_columns in expected.items():
        tensor = _tensor(file, name)
        if (tensor.rows, tensor.columns) != rows_columns:
            found = f"{tensor.rows} × {tensor.columns}"
            raise GgufInvalid(f"the tensor {name} is {found}, not {_times(rows_columns)}")
    for name in file.tensors.keys() - expected.keys():
        raise ConversionUnsupported(f"the tensor {name} is no part of a plain llama")


def tensor_shapes(shape: LlamaShape) -> dict[str, tuple[int, int]]:
    """Every tensor of the network as (rows, columns), a norm's vector as one row."""
    hidden, queries = shape.hidden, shape.heads * shape.head_size
    keys = shape.kv_heads * shape.head_size
    shapes = {"token_embd.weight": (shape.vocabulary, hidden), "output_norm.weight": (1, hidden)}
    shapes[shape.head_tensor] = (shape.vocabulary, hidden)
    for layer in range(shape.layers):
        block = {
            "attn_norm": (1, hidden),
            "attn_q": (queries, hidden),
            "attn_k": (keys, hidden),
            "attn_v": (keys, hidden),
            "attn_output": (hidden, queries),
            "ffn_norm": (1, hidden),
            "ffn_gate": (shape.feed_forward, hidden),
            "ffn_up": (shape.feed_forward, hidden),
            "ffn_down": (hidden, shape.feed_forward),
        }
        shapes |= {f"blk.{layer}.{part}.weight": size for part, size in block.items()}
    return shapes


def _tensor(file: Gguf, name: str) -> Tensor:
    if name not in file.tensors:
        raise GgufInvalid(f"the GGUF file has no tensor {name}")
    return file.tensors[name]


def _times(rows_columns: tuple[int, int]) -> str:
    return f"{rows_columns[0]} × {rows_columns[1]}"
