"""Trains models/digits_mlp.onnx: an MLP on handwritten digits.

scikit-learn's MLPClassifier (64 -> 128 -> 64 -> 10, ReLU) on load_digits,
pixels divided by 16; its weights are written with onnx.helper as Gemm, Relu,
Gemm, Relu, Gemm, Softmax. The 397 digits that RandomState(0) puts last are
held out: the same ones as in models/digits_mlp.test.npz.

    python3 digits_mlp.py --out FOLDER
"""

import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.neural_network import MLPClassifier

import digits


def to_onnx(network):
    """The trained network as a ModelProto; x float[N,64] -> prob [N,10]."""
    nodes, weights, value = [], [], "x"
    layers = list(zip(network.coefs_, network.intercepts_))
    for i, (w, b) in enumerate(layers):
        for name, array in ((f"W{i}", w), (f"B{i}", b)):
            weights.append(
                numpy_helper.from_array(array.astype(np.float32), name))
        nodes.append(helper.make_node(
            "Gemm", [value, f"W{i}", f"B{i}"], [f"g{i}"], name=f"gemm{i}"))
        value = f"g{i}"
        if i + 1 < len(layers):
            nodes.append(helper.make_node(
                "Relu", [value], [f"r{i}"], name=f"relu{i}"))
            value = f"r{i}"
    nodes.append(helper.make_node(
        "Softmax", [value], ["prob"], name="softmax", axis=1))
    graph = helper.make_graph(
        nodes, "digits_mlp",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 64])],
        [helper.make_tensor_value_info("prob", TensorProto.FLOAT, ["N", 10])],
        weights)
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True,
                        help="an existing folder for the model and samples")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    train, test = digits.split()
    network = MLPClassifier((128, 64), max_iter=300, random_state=args.seed)
    network.fit(train.pixels, train.labels)

    path = args.out / "digits_mlp.onnx"
    onnx.save(to_onnx(network), path)
    np.savez_compressed(args.out / "digits_mlp.test.npz",
                        x=test.pixels, y=test.labels)
    digits.report(path, network.predict(test.pixels), test.labels)


if __name__ == "__main__":
    main()
