"""Small models for the parity test: each operator form that the peer's dynamic
quantization knows, and forms that it breaks. Weights come from a seed."""
import numpy as np
from onnx import TensorProto as T, helper as h, numpy_helper as nh

FLOAT, INT64 = T.FLOAT, T.INT64


def rng(seed=0):
    return np.random.default_rng(seed)


def floats(*shape, seed=0):
    return rng(seed).normal(0, 1, shape).astype(np.float32)


class Builder:
    def __init__(self, opset=17, ir=8):
        self.nodes, self.inputs, self.outputs, self.inits = [], [], [], []
        self.opset, self.ir, self.feed, self.domains = opset, ir, {}, []

    def input(self, name, value, shape=None):
        value = np.asarray(value)
        kind = h.np_dtype_to_tensor_dtype(value.dtype)
        self.inputs.append(h.make_tensor_value_info(
            name, kind, value.shape if shape is None else shape))
        self.feed[name] = value
        return self

    def init(self, name, value):
        self.inits.append(nh.from_array(np.asarray(value), name))
        return self

    def node(self, op, inputs, outputs, name="", **attributes):
        self.nodes.append(h.make_node(op, inputs, outputs, name, **attributes))
        return self

    def output(self, name, kind=FLOAT, shape=None):
        self.outputs.append(h.make_tensor_value_info(name, kind, shape))
        return self

    def build(self):
        graph = h.make_graph(self.nodes, "g", self.inputs, self.outputs,
                             self.inits)
        imports = [h.make_opsetid("", self.opset)]
        imports += [h.make_opsetid(d, 1) for d in self.domains]
        return h.make_model(graph, opset_imports=imports, ir_version=self.ir)


def matmul(named=True):
    return (Builder().input("x", floats(3, 8, seed=1)).init("W", floats(8, 5))
            .node("MatMul", ["x", "W"], ["y"], "mm" if named else "")
            .output("y"))


def two_users(named=True):
    b = Builder().input("x", floats(3, 8, seed=1))
    b.init("W", floats(8, 5)).init("V", floats(8, 5, seed=2))
    b.node("MatMul", ["x", "W"], ["a"], "m1" if named else "")
    b.node("MatMul", ["x", "V"], ["b"], "m2" if named else "")
    b.node("MatMul", ["x", "W"], ["c"], "m3" if named else "")
    b.node("Sum", ["a", "b", "c"], ["y"])
    return b.output("y")


def gemm(**attributes):
    b = Builder().input("x", floats(3, 8, seed=1))
    shape = (5, 8) if attributes.get("transB") else (8, 5)
    if attributes.get("transA"):
        b = Builder().input("x", floats(8, 3, seed=1))
    b.init("W", floats(*shape)).init("C", floats(5, seed=3))
    b.node("Gemm", ["x", "W", "C"], ["y"], "/fc/Gemm", **attributes)
    return b.output("y")


def gemm_without_bias():
    b = Builder().input("x", floats(3, 8, seed=1)).init("W", floats(5, 8))
    return b.node("Gemm", ["x", "W"], ["y"], "g", transB=1).output("y")


def gemm_computed():
    b = Builder().input("x", floats(3, 8, seed=1)).input("B", floats(5, 8))
    return b.node("Gemm", ["x", "B"], ["y"], "g", transB=1).output("y")


def conv(bias, **attributes):
    group = attributes.get("group", 1)
    b = Builder().input("x", floats(1, 4, 7, 7, seed=1))
    b.init("W", floats(6 if group == 1 else 4, 4 // group, 3, 3))
    names = ["x", "W"]
    if bias:
        b.init("B", floats(6 if group == 1 else 4, seed=3))
        names.append("B")
    return b.node("Conv", names, ["y"], "c", **attributes).output("y")


def conv_chain():
    b = Builder().input("x", floats(1, 3, 8, 8, seed=1))
    b.init("W1", floats(4, 3, 3, 3)).init("B1", floats(4))
    b.init("W2", floats(2, 4, 1, 1, seed=5))
    b.node("Conv", ["x", "W1", "B1"], ["a"], pads=[1, 1, 1, 1])
    b.node("Relu", ["a"], ["r"]).node("Conv", ["r", "W2"], ["y"])
    return b.output("y")


def gather(consumer):
    b = Builder().input("ids", np.array([[0, 3], [2, 1]], np.int64))
    b.init("E", floats(6, 8))
    b.node("Gather", ["E", "ids"], ["e"], "embed")
    if consumer == "output":
        return b.output("e")
    if consumer == "matmul":
        b.init("W", floats(8, 5, seed=4))
        return b.node("MatMul", ["e", "W"], ["y"], "mm").output("y")
    if consumer == "transpose":
        b.node("Transpose", ["e"], ["t"], "tr", perm=[0, 2, 1])
        return b.node("Relu", ["t"], ["y"]).output("y").output("e")
    b.node("Relu", ["e"], ["r"]).node("Add", ["e", "r"], ["y"])
    return b.output("y")


def transpose_after():
    b = Builder().input("x", floats(3, 8, seed=1)).init("W", floats(8, 5))
    b.node("MatMul", ["x", "W"], ["a"], "mm")
    b.node("Transpose", ["x"], ["t"], "tr")
    b.node("Relu", ["t"], ["y"])
    return b.output("a").output("y")


def transpose_before():
    b = Builder().input("x", floats(3, 8, seed=1)).init("W", floats(8, 5))
    b.node("Transpose", ["x"], ["t"], "tr").node("Relu", ["t"], ["y"])
    b.node("MatMul", ["x", "W"], ["a"], "mm")
    return b.output("a").output("y")


def tied(gather_first):
    b = Builder().input("ids", np.array([0, 3], np.int64))
    b.input("x", floats(2, 6, seed=7)).init("E", floats(6, 8))
    steps = [("Gather", ["E", "ids"], ["e"], "embed"),
             ("MatMul", ["x", "E"], ["y"], "head")]
    for step in steps if gather_first else steps[::-1]:
        b.node(*step)
    b.node("Relu", ["e"], ["r"])
    return b.output("y").output("r")


def lstm(directions=1, bias=True, **attributes):
    hidden, size = 4, 5
    b = Builder().input("x", floats(3, 2, size, seed=1))
    b.init("W", floats(directions, 4 * hidden, size))
    b.init("R", floats(directions, 4 * hidden, hidden, seed=2))
    names = ["x", "W", "R"]
    if bias:
        b.init("B", floats(directions, 8 * hidden, seed=3))
        names.append("B")
    direction = "bidirectional" if directions == 2 else "forward"
    b.node("LSTM", names, ["y", "h"], "lstm", hidden_size=hidden,
           direction=direction, **attributes)
    return b.output("y").output("h")


def attention(mask=False):
    b = Builder().input("x", floats(2, 3, 8, seed=1))
    b.domains = ["com.microsoft"]
    b.init("W", floats(8, 24)).init("B", floats(24, seed=2))
    names = ["x", "W", "B"]
    if mask:
        b.input("m", np.array([3, 2], np.int32))
        names.append("m")
    return b.node("Attention", names, ["y"], "att", domain="com.microsoft",
                  num_heads=2).output("y")


def embedding():
    b = Builder().input("ids", np.array([[1, 2, 0]], np.int32))
    b.input("segments", np.array([[0, 1, 1]], np.int32))
    b.domains = ["com.microsoft"]
    for i, (name, shape) in enumerate([("word", (5, 8)), ("position", (4, 8)),
                                       ("segment", (2, 8)), ("gamma", (8,)),
                                       ("beta", (8,))]):
        b.init(name, floats(*shape, seed=i))
    b.node("EmbedLayerNormalization",
           ["ids", "segments", "word", "position", "segment", "gamma", "beta"],
           ["y", "mask_index"], "emb", domain="com.microsoft")
    return b.output("y").output("mask_index", T.INT32)


def opset10():
    b = Builder(opset=10, ir=5)
    b.input("x", np.concatenate([floats(3, 8, seed=1)])).init("W", floats(8, 5))
    return b.node("MatMul", ["x", "W"], ["y"], "mm").output("y")


def leak():
    """The weight is read as float after it was quantized."""
    b = Builder().input("x", floats(8, 8, seed=1)).init("W", floats(8, 8))
    b.node("MatMul", ["x", "W"], ["a"], "mm").node("Add", ["a", "W"], ["y"])
    return b.output("y")


def captured():
    b = Builder().input("x", floats(2, 8, seed=1)).input("c", np.array(True))
    b.init("W", floats(8, 8))
    b.node("MatMul", ["x", "W"], ["a"], "mm")
    bodies = {}
    for name, op in (("then_branch", "Relu"), ("else_branch", "Neg")):
        bodies[name] = h.make_graph(
            [h.make_node("MatMul", ["a", "W"], ["m"], "inner"),
             h.make_node(op, ["m"], ["o"])], name, [],
            [h.make_tensor_value_info("o", FLOAT, None)])
    b.node("If", ["c"], ["y"], "if", **bodies)
    return b.output("y")


def odd_weights():
    w = floats(8, 5)
    w[:, 0] = 0
    w[:, 1] = 1e-42
    w[:, 2] = np.abs(w[:, 2])
    w[:, 3] = -np.abs(w[:, 3])
    return (Builder().input("x", floats(3, 8, seed=1)).init("W", w)
            .node("MatMul", ["x", "W"], ["y"], "mm").output("y"))


def constant_left():
    b = Builder().init("A", floats(3, 8, seed=1)).init("W", floats(8, 5))
    b.input("x", floats(5, seed=3))
    b.node("MatMul", ["A", "W"], ["m"], "mm").node("Add", ["m", "x"], ["y"])
    return b.output("y")


def batched():
    return (Builder().input("x", floats(2, 3, 8, seed=1))
            .init("W", floats(2, 8, 5)).node("MatMul", ["x", "W"], ["y"], "mm")
            .output("y"))


def vector():
    return (Builder().input("x", floats(3, 8, seed=1)).init("W", floats(8))
            .node("MatMul", ["x", "W"], ["y"], "mm").output("y"))


def half():
    x = floats(3, 8, seed=1).astype(np.float16)
    b = Builder().input("x", x).init("W", floats(8, 5).astype(np.float16))
    return b.node("MatMul", ["x", "W"], ["y"], "mm").output("y", T.FLOAT16)


def taken_name():
    return matmul().init("x_scale", np.float32(2)).node(
        "Mul", ["y", "x_scale"], ["z"]).output("z")


def shared_gemm():
    b = Builder().input("x", floats(3, 5, seed=1)).init("W", floats(5, 5))
    b.node("Gemm", ["x", "W"], ["a"], "g1", transB=1)
    b.node("Gemm", ["a", "W"], ["y"], "g2", transB=1)
    return b.output("y")


def same_names():
    b = Builder().input("x", floats(3, 5, seed=1))
    b.init("W", floats(5, 5)).init("V", floats(5, 5, seed=9) * 7)
    b.node("MatMul", ["x", "W"], ["a"], "mm")
    b.node("MatMul", ["a", "V"], ["y"], "mm")
    return b.output("y")


def attention_bias():
    b = attention()
    b.input("bias", floats(2, 2, 3, 3))
    b.nodes[0].input.extend(["", "", "bias"])
    return b


def opset9():
    b = Builder(opset=9, ir=4).input("x", floats(3, 8, seed=1))
    b.init("W", floats(8, 5)).node("MatMul", ["x", "W"], ["a"], "mm")
    return b.node("Slice", ["a"], ["y"], starts=[0], ends=[2]).output("y")


def own_domain():
    b = Builder().input("x", floats(3, 8, seed=1)).init("W", floats(8, 5))
    b.domains = ["my.own"]
    return b.node("MatMul", ["x", "W"], ["y"], "mm",
                  domain="my.own").output("y")


def empty_bias():
    b = conv(True)
    b.nodes[0].input[2] = ""
    return b


def flat_conv():
    b = conv(True)
    b.inits[0] = nh.from_array(floats(6, 4), "W")
    return b


# Those that the peer quantizes well.
GOOD = {
    "MatMul": matmul(),
    "MatMul, unnamed": matmul(False),
    "MatMul, one input for three": two_users(),
    "MatMul, unnamed, one input for three": two_users(False),
    "MatMul, odd weights": odd_weights(),
    "MatMul, both constant": constant_left(),
    "Gemm": gemm(),
    "Gemm, transB": gemm(transB=1),
    "Gemm, transA": gemm(transA=1),
    "Gemm, alpha": gemm(alpha=0.5),
    "Gemm, no bias": gemm_without_bias(),
    "Gemm, computed weight": gemm_computed(),
    "Conv": conv(False),
    "Conv, bias": conv(True),
    "Conv, strides and pads": conv(True, strides=[2, 2], pads=[1, 0, 1, 2]),
    "Conv, depthwise": conv(True, group=4),
    "Conv, unnamed chain": conv_chain(),
    "Gather, output": gather("output"),
    "Gather, MatMul": gather("matmul"),
    "Gather, Transpose": gather("transpose"),
    "Gather, two users": gather("two"),
    "Transpose behind MatMul": transpose_after(),
    "Transpose before MatMul": transpose_before(),
    "tied, Gather first": tied(True),
    "LSTM": lstm(),
    "LSTM, no bias": lstm(bias=False),
    "LSTM, two directions": lstm(2),
    "Attention": attention(),
    "Attention, mask": attention(True),
    "EmbedLayerNormalization": embedding(),
    "opset 10": opset10(),
    "weight captured by bodies": captured(),
}
# Those whose peer's result is wrong, does not load, or depends on options.
BAD = {
    "weight also read as float": leak(),
    "tied, MatMul first": tied(False),
    "MatMul, rank 3": batched(),
    "MatMul, rank 1": vector(),
    "float16": half(),
    "a name that is taken": taken_name(),
    "shared weight of transB": shared_gemm(),
    "two nodes of one name": same_names(),
    "Attention, bias input": attention_bias(),
    "LSTM, layout 1": lstm(bias=False, layout=1),
    "opset 9 with Slice": opset9(),
    "MatMul of another domain": own_domain(),
    "Conv, empty bias": empty_bias(),
    "Conv, weight of rank 2": flat_conv(),
}
