"""The kernels, compiled with the tests' own exports and called in Node."""

import base64
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
import pytest

import kernels
from harness.node import NODE

HERE = Path(__file__).resolve().parent


class Room:
    """Bytes that a kernel may write, filled with rubbish before."""

    def __init__(self, size_bytes: int) -> None:
        self.size_bytes = size_bytes


Argument = int | float | npt.NDArray[np.generic] | Room


class Kernels:
    """The module in a Node of its own."""

    def __init__(self, module: Path) -> None:
        self._node = subprocess.Popen(
            [NODE, HERE / "calls.mjs", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self, name: str, *arguments: Argument) -> list[npt.NDArray[np.uint8]]:
        """What lies at each array and Room afterwards; nothing behind them may have changed."""
        assert self._node.stdin is not None
        assert self._node.stdout is not None
        request = {"call": name, "args": [_encoded(argument) for argument in arguments]}
        self._node.stdin.write(json.dumps(request) + "\n")
        self._node.stdin.flush()
        answer = json.loads(self._node.stdout.readline())
        assert answer["guarded"], f"{name} wrote behind what it was given"
        return [np.frombuffer(base64.b64decode(text), np.uint8) for text in answer["bytes"]]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._node.communicate()


def _encoded(argument: Argument) -> object:
    if isinstance(argument, np.ndarray):
        return {"bytes": base64.b64encode(np.ascontiguousarray(argument).tobytes()).decode()}
    return {"room": argument.size_bytes} if isinstance(argument, Room) else argument


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernels]:
    module = tmp_path_factory.mktemp("kernels") / "kernels.wasm"
    kernels.compile_kernels(module, [HERE / "exports.c"])
    with Kernels(module) as running:
        yield running
