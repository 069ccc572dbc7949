"""A model whose outputs are of many kinds."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def tensor(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def save(path, nodes, inputs, outputs, initializers=(), ml=False):
    opsets = [helper.make_opsetid("", 17)]
    if ml:
        opsets.append(helper.make_opsetid("ai.onnx.ml", 1))
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def kinds(path, factor, extra=False):
    """One input [N,3]; outputs of many kinds, `factor` apart."""
    f = TensorProto.FLOAT
    constants = [numpy_helper.from_array(np.array(v, t), n) for n, v, t in (
        ("factor", factor, np.float32), ("zero", 0, np.float32),
        ("half", 0.5 * factor, np.float32), ("two", 2, np.float32))]
    node = helper.make_node
    nodes = [
        node("Mul", ["x", "factor"], ["scaled"]),
        node("Softmax", ["scaled"], ["probabilities"], axis=-1),
        node("Cast", ["scaled"], ["integers"], to=TensorProto.INT64),
        node("Cast", ["scaled"], ["small"], to=TensorProto.FLOAT16),
        node("Greater", ["scaled", "half"], ["flags"]),
        node("Cast", ["integers"], ["words"], to=TensorProto.STRING),
        node("Div", ["scaled", "zero"], ["infinite"]),
        node("Mul", ["scaled", "zero"], ["nothing"]),
        node("SequenceConstruct", ["scaled", "small32"], ["sequence"]),
        node("NonZero", ["flags"], ["places"]),
        node("ZipMap", ["probabilities"], ["classes"], domain="ai.onnx.ml",
             classlabels_strings=["a", "b", "c"]),
    ]
    nodes.insert(8, node("Cast", ["small"], ["small32"], to=f))
    outputs = [
        tensor("scaled", f, ["n", 3]), tensor("probabilities", f, ["n", 3]),
        tensor("integers", TensorProto.INT64, ["n", 3]),
        tensor("small", TensorProto.FLOAT16, ["n", 3]),
        tensor("flags", TensorProto.BOOL, ["n", 3]),
        tensor("words", TensorProto.STRING, ["n", 3]),
        tensor("infinite", f, ["n", 3]), tensor("nothing", f, ["n", 3]),
        tensor("places", TensorProto.INT64, [2, "m"]),
        helper.make_value_info("sequence", helper.make_sequence_type_proto(
            helper.make_tensor_type_proto(f, ["n", 3]))),
        helper.make_value_info("classes", helper.make_sequence_type_proto(
            helper.make_map_type_proto(TensorProto.STRING,
                                       helper.make_tensor_type_proto(f, [])))),
    ]
    if extra:
        nodes.append(node("Mul", ["scaled", "two"], ["more"]))
        outputs.append(tensor("more", f, ["n", 3]))
    save(path, nodes, [tensor("x", f, ["n", 3])], outputs, constants, ml=True)
