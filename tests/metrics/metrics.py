"""Holds the task metrics of `octavo compare` to scikit-learn, scipy and numpy.

Two models pick one half each of a stacked input, so that any two sets of
scores can be compared; what octavo says of them is held against the same
numbers from the libraries.

    metrics.py OCTAVO
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper
from scipy.stats import binomtest
from sklearn import metrics as sk

OCTAVO = os.path.abspath(sys.argv[1])
RNG = np.random.default_rng(0)
FAILURES = []


def model(path, half, zip_map=None):
    """x [N,2,...] -> y = x[:, half], or a ZipMap of it."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, None)
    index = helper.make_tensor("i", TensorProto.INT64, [], [half])
    inner = "t" if zip_map else "y"
    nodes = [helper.make_node("Gather", ["x", "i"], [inner], axis=1)]
    opsets = [helper.make_opsetid("", 13)]
    if zip_map:
        nodes.append(helper.make_node("ZipMap", ["t"], ["y"], domain="ai.onnx.ml",
                                      classlabels_strings=zip_map))
        opsets.append(helper.make_opsetid("ai.onnx.ml", 1))
        y = helper.make_value_info("y", helper.make_sequence_type_proto(
            helper.make_map_type_proto(TensorProto.STRING,
                                       helper.make_tensor_type_proto(TensorProto.FLOAT, []))))
    else:
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "half", [x], [y], [index])
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def run(folder, original, copy, labels, names, zip_map=None, batch=7):
    """Metrics by name, and the whole document."""
    model(folder + "/a.onnx", 0, zip_map)
    model(folder + "/b.onnx", 1, zip_map)
    x = np.stack([original, copy], axis=1).astype(np.float32)
    np.savez(folder + "/x.npz", x=x)
    if not isinstance(labels, str):
        np.save(folder + "/y.npy", labels)
        labels = folder + "/y.npy"
    command = [OCTAVO, "compare", folder + "/a.onnx", folder + "/b.onnx", "--samples",
               folder + "/x.npz", "--labels", labels, "--batch", str(batch), "--json"]
    for name in names:
        command += ["--metric", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    document = json.loads(done.stdout)
    return {m["name"]: m for m in document["metrics"]}, document


def near(what, found, expected, tolerance=1e-9):
    if not abs(found - expected) <= tolerance * max(1, abs(expected)):
        FAILURES.append(f"{what}: octavo says {found}, expected {expected}")


def both(what, metric, function, original, copy):
    near(what + " of the original", metric["original"], function(original))
    near(what + " of the copy", metric["copy"], function(copy))
    near(what + ", difference", metric["difference"], function(copy) - function(original))


def interval(what, metric, difference, n):
    """The percentile interval of 3,000 draws of our own: each end is within a
    fifth of the interval's width, several times what chance does to it."""
    draws = []
    for _ in range(3000):
        draws.append(difference(RNG.integers(0, n, n)))
    low, high = np.nanpercentile(draws, [2.5, 97.5])
    for found, expected in zip(metric["interval_95"], (low, high)):
        near(what + ", interval", found, expected, 0.2 * (high - low))


def classification(folder):
    n, classes = 300, 7
    labels = RNG.integers(0, classes, n)
    original = RNG.normal(size=(n, classes))
    original[np.arange(n), labels] += 1.5
    copy = original + RNG.normal(size=(n, classes)) * 0.4
    original, copy = original.astype(np.float32), copy.astype(np.float32)
    names = ["accuracy", "top-3", "f1-macro", "f1-micro"]
    found, document = run(folder, original, copy, labels, names)
    answer = lambda s: s.argmax(axis=1)
    accuracy = lambda s: sk.accuracy_score(labels, answer(s))
    both("accuracy", found["accuracy"], accuracy, original, copy)
    both("top-3", found["top-3"], lambda s: sk.top_k_accuracy_score(labels, s, k=3), original, copy)
    both("f1-macro", found["f1-macro"],
         lambda s: sk.f1_score(labels, answer(s), average="macro", zero_division=0), original, copy)
    both("f1-micro", found["f1-micro"],
         lambda s: sk.f1_score(labels, answer(s), average="micro"), original, copy)
    right = [answer(s) == labels for s in (original, copy)]
    lost, gained = np.sum(right[0] & ~right[1]), np.sum(~right[0] & right[1])
    near("McNemar's p", found["accuracy"]["mcnemar_p"], binomtest(int(lost), int(lost + gained)).pvalue)
    interval("accuracy", found["accuracy"],
             lambda i: np.mean(right[1][i]) - np.mean(right[0][i]), n)
    answers = document["answers"]
    near("flips", answers["flipped"], np.sum(answer(original) != answer(copy)))
    flip = answers["first_flips"][0]
    sample = np.flatnonzero(answer(original) != answer(copy))[0]
    near("first flip", flip["sample"], sample)
    for side, scores in (("original_gap", original), ("copy_gap", copy)):
        best = np.sort(scores[sample])[::-1].astype(float)
        near("lead", flip[side], best[0] - best[1])


def names_of_classes(folder):
    n, names = 60, ["ant", "bee", "cow"]
    labels = RNG.integers(0, 3, n)
    original = RNG.dirichlet(np.ones(3), n).astype(np.float32)
    copy = RNG.dirichlet(np.ones(3), n).astype(np.float32)
    with open(folder + "/y.csv", "w", encoding="utf-8") as f:
        f.write("id,class\n" + "".join(f"{i},{names[k]}\n" for i, k in enumerate(labels)))
    found, _ = run(folder, original, copy, folder + "/y.csv:class", ["accuracy"], names)
    both("accuracy of a ZipMap", found["accuracy"],
         lambda s: sk.accuracy_score(labels, s.argmax(axis=1)), original, copy)


def regression(folder):
    n = 200
    for width in (1, 3):
        labels = RNG.normal(50, 2, (n, width))
        original = (labels + RNG.normal(0, 1, labels.shape)).astype(np.float32)
        copy = (original + RNG.normal(0.1, 0.3, labels.shape)).astype(np.float32)
        found, _ = run(folder, original, copy, labels, ["mae", "rmse", "r2"])
        flat = labels.ravel()
        both("mae", found["mae"], lambda s: sk.mean_absolute_error(flat, s.ravel().astype(float)), original, copy)
        rmse = lambda s: np.sqrt(sk.mean_squared_error(flat, s.ravel().astype(float)))
        both("rmse", found["rmse"], rmse, original, copy)
        both("r2", found["r2"], lambda s: sk.r2_score(flat, s.ravel().astype(float)), original, copy)
    interval("mae", found["mae"],
             lambda i: np.mean(abs(copy[i] - labels[i])) - np.mean(abs(original[i] - labels[i])), n)
    # Chosen by the labels alone, read from text.
    np.savetxt(folder + "/y.txt", labels[:, 0])
    found, _ = run(folder, original[:, :1], copy[:, :1], folder + "/y.txt", [])
    both("mae of text", found["mae"], lambda s: sk.mean_absolute_error(labels[:, 0], s[:, 0].astype(float)),
         original, copy)


def ranking(folder):
    n = 250
    labels = RNG.integers(0, 2, n)
    original = np.round(labels + RNG.normal(0, 1, n), 1).astype(np.float32)  # with ties
    copy = np.round(original + RNG.normal(0, 0.3, n), 1).astype(np.float32)
    found, _ = run(folder, original, copy, labels, ["auc"])
    both("auc", found["auc"], lambda s: sk.roc_auc_score(labels, s), original, copy)
    interval("auc", found["auc"], lambda i: sk.roc_auc_score(labels[i], copy[i]) -
             sk.roc_auc_score(labels[i], original[i]), n)
    logits = RNG.normal(size=(n, 2)).astype(np.float32)
    logits[:, 1] += labels
    found, _ = run(folder, logits, logits * 0.5, labels, ["auc"])
    both("auc of logits", found["auc"],
         lambda s: sk.roc_auc_score(labels, s[:, 1].astype(float) - s[:, 0]), logits, logits)


def tokens(folder):
    n, length, vocabulary = 40, 6, 11
    labels = RNG.integers(0, vocabulary, (n, length))
    original = RNG.normal(0, 2, (n, length, vocabulary)).astype(np.float32)
    copy = (original + RNG.normal(0, 0.1, original.shape)).astype(np.float32)

    def softmax(s):
        e = np.exp(s.astype(float) - s.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    perplexity = lambda s: np.exp(sk.log_loss(
        labels[kept], softmax(s)[kept], labels=np.arange(vocabulary)))
    kept = RNG.random(labels.shape) > 0.2
    found, _ = run(folder, original, copy, np.where(kept, labels, -100), ["perplexity"])
    both("perplexity", found["perplexity"], perplexity, original, copy)
    probabilities = [softmax(s).astype(np.float32) for s in (original, copy)]
    found, _ = run(folder, *probabilities, np.where(kept, labels, -100), ["perplexity"])
    direct = lambda s: np.exp(-np.mean(np.log(
        np.take_along_axis(s.astype(float), labels[..., None], -1)[..., 0][kept])))
    both("perplexity of probabilities", found["perplexity"], direct, *probabilities)


def retrieval(folder):
    n, width = 120, 16
    labels = RNG.integers(0, 8, n)
    centres = RNG.normal(size=(8, width))
    original = (centres[labels] + RNG.normal(0, 1.3, (n, width))).astype(np.float32)
    copy = (original + RNG.normal(0, 0.5, original.shape)).astype(np.float32)
    found, _ = run(folder, original, copy, labels, ["cosine-retrieval"])

    def recall(s):
        similarity = sk.pairwise.cosine_similarity(s.astype(float))
        np.fill_diagonal(similarity, -2)
        return np.mean(labels[similarity.argmax(axis=1)] == labels)

    both("cosine-retrieval", found["cosine-retrieval"], recall, original, copy)


def main():
    for check in (classification, names_of_classes, regression, ranking, tokens, retrieval):
        with tempfile.TemporaryDirectory() as folder:
            check(folder)
        print(f"{check.__name__}: held")
    if FAILURES:
        raise SystemExit("\n".join(FAILURES))


main()
