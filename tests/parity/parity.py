#!/usr/bin/env python3
"""Holds `octavo quantize --preset ort` to ONNX Runtime's own quantize_dynamic.

Both quantize the same models with the same options; then nodes (operators,
names, inputs, outputs, attributes) and initializers must be the same to the
last byte, and so must the outputs, on the same runtime. A model that octavo
refuses must be one whose result by the peer does not load, or fails while it
is made, or whose refusal's reason is listed here as a fault of the peer.

Usage: parity.py OCTAVO [MODEL ...]     ends with 77 where Python lacks onnx,
onnxruntime or numpy. Models: *.onnx files beside those that are built here.
"""
import itertools
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import onnx
    import onnx.reference  # before onnxruntime, which else breaks it
    import onnxruntime as ort
    from onnxruntime.quantization import QuantType, quantize_dynamic
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(__file__))
import models  # noqa: E402

VERSION = tuple(int(p) for p in ort.__version__.split(".")[:2])
PRESET = "ort" if VERSION < (1, 31) else "ort-1.32"
# Refusals of results that load, and are wrong or lose something.
FAULTS = ("turns its weight", "drops its input", "drops its layout",
          "gives two nodes of one name", "of any domain for its own",
          "does not keep opset", "only float32 is reproduced",
          "would define the value", "one scale a column",
          "that others read, too, over in place")
OPTIONS = [dict(weight_type=w, per_channel=c, reduce_range=r)
           for w, c, r in itertools.product(("int8", "uint8"), (False, True),
                                            (False, True))]


def attribute(a):
    if a.type == onnx.AttributeProto.GRAPH:
        return graph_nodes(a.g)
    value = onnx.helper.get_attribute_value(a)
    if isinstance(value, onnx.TensorProto):
        return tensor(value)
    return list(value) if hasattr(value, "__len__") and not isinstance(
        value, bytes) else value


def node(n):
    inputs, outputs = list(n.input), list(n.output)
    while inputs and not inputs[-1]:
        inputs.pop()
    return (n.op_type, n.domain or "", n.name, tuple(inputs), tuple(outputs),
            repr(sorted((a.name, attribute(a)) for a in n.attribute)))


def graph_nodes(g):
    return repr((sorted(map(node, g.node)), sorted(map(tensor, g.initializer)),
                 [o.name for o in g.output]))


def tensor(t):
    a = onnx.numpy_helper.to_array(t)
    return t.name, str(a.dtype), a.shape, a.tobytes()


def difference(a, b):
    """What differs between two models, in words, or nothing."""
    for what, x, y in (
            ("nodes", sorted(map(node, a.graph.node)),
             sorted(map(node, b.graph.node))),
            ("initializers", sorted(map(tensor, a.graph.initializer)),
             sorted(map(tensor, b.graph.initializer)))):
        only_x = [v for v in x if v not in y]
        only_y = [v for v in y if v not in x]
        if only_x or only_y:
            return f"{what}: peer has {only_x[:2]}, octavo has {only_y[:2]}"
    return ""


def run(path, feed):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(path, options,
                                   providers=["CPUExecutionProvider"])
    if feed is None:
        return None
    return session.run(None, feed)


def with_shapes(mine, peer):
    """Octavo's result with the shapes that the peer inferred and stored: they
    let the runtime fuse more, which rounds otherwise."""
    model = onnx.load(mine)
    del model.graph.value_info[:]
    model.graph.value_info.extend(onnx.load(peer).graph.value_info)
    path = mine + ".shapes.onnx"
    onnx.save(model, path)
    return path


def same(x, y):
    return all(a.dtype == b.dtype and a.shape == b.shape and
               a.tobytes() == b.tobytes() for a, b in zip(x, y))


def by_peer(source, target, options):
    kind = QuantType.QInt8 if options["weight_type"] == "int8" else \
        QuantType.QUInt8
    quantize_dynamic(source, target, weight_type=kind,
                     per_channel=options["per_channel"],
                     reduce_range=options["reduce_range"])


def by_octavo(octavo, source, target, options):
    command = [octavo, "quantize", source, "-o", target, "--preset", PRESET,
               "--no-check", "--no-sync", "--no-source-hash", "--force",
               "--weight-type", options["weight_type"]]
    command += ["--per-channel"] * options["per_channel"]
    command += ["--reduce-range"] * options["reduce_range"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    if done.returncode != 2 or os.path.exists(target):
        return f"CRASH {done.returncode}: {done.stderr}"
    return done.stderr.strip()


def try_one(octavo, source, feed, options, folder):
    """'equal', 'refused: ...' or 'DIFFERENT: ...'."""
    peer, mine = f"{folder}/peer.onnx", f"{folder}/octavo.onnx"
    for path in (peer, mine):
        if os.path.exists(path):
            os.remove(path)
    fault, theirs = "", None
    try:
        by_peer(source, peer, options)
        theirs = run(peer, feed)
    except Exception as e:  # whatever stops the peer
        fault = f"{type(e).__name__}: {str(e).strip()[:70]}".replace("\n", " ")
    refusal = by_octavo(octavo, source, mine, options)
    if refusal.startswith("CRASH"):
        return f"DIFFERENT: {refusal}"
    if refusal:
        if fault:
            return f"refused; the peer: {fault}"
        reason = refusal.split("the peer ", 1)[-1]
        if any(f in refusal for f in FAULTS):
            return f"refused: the peer {reason.split('. Use')[0]}"
        return f"DIFFERENT: refused without need: {refusal}"
    if not os.path.exists(peer):
        return f"not made by this peer: {fault}"
    found = difference(onnx.load(peer), onnx.load(mine))
    if found:
        return f"DIFFERENT: {found[:600]}"
    if fault:  # equal to the last byte, and neither loads here
        return f"equal, and this runtime does not load it: {fault}"
    if feed is not None and not same(theirs, run(with_shapes(mine, peer),
                                                 feed)):
        return "DIFFERENT: outputs"
    return "equal"


def feeds_of_file(path):
    """A plausible feed for a shipped model, by its held-out data."""
    data = pathlib.Path(path).with_suffix(".test.npz")
    if not data.exists():
        return None
    arrays = np.load(data)
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    return {n: arrays[n][:4] for n in names} if all(
        n in arrays for n in names) else None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    octavo = os.path.abspath(sys.argv[1])
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    bad = 0
    print(f"peer: onnxruntime {ort.__version__}, onnx {onnx.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for name, b in {**models.GOOD, **models.BAD}.items():
            path = f"{folder}/m.onnx"
            cases.append((name, b.build(), b.feed, name in models.GOOD))
        for path in sys.argv[2:]:
            cases.append((path, path, feeds_of_file(path), False))
        for name, model, feed, good in cases:
            if isinstance(model, str):
                source = model
            else:
                source = f"{folder}/m.onnx"
                onnx.save(model, source)
            results = {}
            for options in OPTIONS:
                verdict = try_one(octavo, source, feed, options, folder)
                if good and not verdict.startswith("equal"):
                    verdict = f"DIFFERENT: {verdict}"
                bad += verdict.startswith("DIFFERENT")
                key = "{weight_type}{}{}".format(
                    " per-channel" * options["per_channel"],
                    " reduced" * options["reduce_range"], **options)
                results.setdefault(verdict, []).append(key)
            for verdict, keys in results.items():
                which = "all 8" if len(keys) == 8 else ", ".join(keys)
                print(f"{name:38} {which}: {verdict}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
