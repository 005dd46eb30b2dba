"""Collects the nodes and constants of one ONNX graph, in the order in which they run."""

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

# The oldest that transformers.js's runtime and onnx's checker both take without converting.
OPSET = 21
IR_VERSION = 10
MICROSOFT = "com.microsoft"  # ONNX Runtime's own operators

Array = npt.NDArray[Any]


class Nodes:
    """A graph being written. Values are named after the operator that makes them."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Appends an operator of ONNX; the name of its one result."""
        outputs = [output or self._fresh(operator)]
        (result,) = self._append(operator, inputs, outputs, "", attributes)
        return result

    def microsoft(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Appends an operator of ONNX Runtime with one result."""
        outputs = [output or self._fresh(operator)]
        (result,) = self._append(operator, inputs, outputs, MICROSOFT, attributes)
        return result

    def microsoft_many(
        self, operator: str, *inputs: str, outputs: list[str], **attributes: Any
    ) -> list[str]:
        """The same with several results; an empty name stands for one that nobody reads."""
        return self._append(operator, inputs, outputs, MICROSOFT, attributes)

    def constant(self, name: str, value: Array) -> str:
        """The name of a constant, kept once however often it is asked for."""
        if name not in self._constants:
            # order="C" and not ascontiguousarray, which gives a scalar a dimension
            self._constants[name] = numpy_helper.from_array(np.asarray(value, order="C"), name)
        return name

    def integers(self, *values: int) -> str:
        """A constant int64 vector."""
        name = "ints_" + "_".join(map(str, values)).replace("-", "m")
        return self.constant(name, np.array(values, np.int64))

    def integer(self, value: int) -> str:
        """A constant int64 scalar."""
        return self.constant(f"int_{value}".replace("-", "m"), np.array(value, np.int64))

    def external(self, name: str, shape: tuple[int, int], location: str, offset: int) -> str:
        """A float32 matrix whose bytes lie outside the graph."""
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        fields = {"location": location, "offset": offset, "length": shape[0] * shape[1] * 4}
        for key, value in fields.items():
            tensor.external_data.add(key=key, value=str(value))
        self._constants[name] = tensor
        return name

    def model(self, inputs: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]) -> bytes:
        """The finished graph's file; the same bytes for the same calls."""
        constants = list(self._constants.values())
        graph = helper.make_graph(self._nodes, "llama", inputs, outputs, constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="pageside"
        )
        return bytes(model.SerializeToString(deterministic=True))

    def _append(
        self,
        operator: str,
        inputs: tuple[str, ...],
        outputs: list[str],
        domain: str,
        attributes: dict[str, Any],
    ) -> list[str]:
        name = f"{operator}_{len(self._nodes)}"
        node = helper.make_node(operator, inputs, outputs, name=name, domain=domain, **attributes)
        self._nodes.append(node)
        return outputs

    def _fresh(self, operator: str) -> str:
        return f"{operator.lower()}_{len(self._nodes)}"
