"""Holds every JSON document that octavo prints to its published schema.

Makes models of every kind of output, runs each command that has --json on
them and on the shipped models, in ways that give odd documents, and validates
what it prints against docs/schema. A document with a member that its schema
does not know is an error, as is a schema that no document was held to.

    schema.py OCTAVO
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from jsonschema import Draft202012Validator
from onnx import TensorProto, helper, numpy_helper

from kinds_model import kinds, tensor

OCTAVO = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
SCHEMAS = ROOT / "docs" / "schema"


def old(path):
    """Opset 10, an unnamed node, an unused initializer: hazards and notes."""
    f = TensorProto.FLOAT
    weight = numpy_helper.from_array(
        np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32), "w")
    nan = numpy_helper.from_array(np.full((64, 64), np.nan, np.float32), "bad")
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["h"]),
         helper.make_node("MatMul", ["h", "bad"], ["y"], name="broken")],
        "g", [tensor("x", f, ["n", 64])], [tensor("y", f, ["n", 64])],
        [weight, nan])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 10)],
                              ir_version=5, producer_name="hand",
                              producer_version="1")
    helper.set_model_props(model, {"author": "nobody"})
    onnx.save(model, path)


class Documents:
    """Runs commands and keeps the documents."""

    def __init__(self):
        self.seen = []

    def run(self, *arguments, codes=(0, 1), interrupt=None):
        command = [OCTAVO, *map(str, arguments), "--json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        if interrupt is not None:
            time.sleep(interrupt)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        if process.returncode not in codes:
            sys.exit(f"exit {process.returncode}: {' '.join(command)}\n{err}")
        if out.strip():
            self.seen.append((" ".join(command), json.loads(out)))


def make_documents(folder):
    docs = Documents()
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 3)).astype(np.float32) * 3
    np.savez(folder / "x.npz", x=x)
    np.save(folder / "y.npy", rng.integers(0, 3, 40))
    np.save(folder / "v.npy", rng.normal(size=(40, 3)))
    (folder / "names.txt").write_text("\n".join(rng.choice(list("abc"), 40)))
    kinds(folder / "a.onnx", 1.0, extra=True)
    kinds(folder / "b.onnx", 1.01)
    old(folder / "old.onnx")
    odd = [folder / "a.onnx", folder / "b.onnx", "--samples", folder / "x.npz"]

    docs.run("compare", *odd)
    docs.run("compare", *odd, "--match", "scaled=cosine:0.99", "--match",
             "integers=iou")
    docs.run("compare", *odd, "--batch", 8, "--labels", folder / "y.npy",
             "--label-output", "probabilities", "--axis", 1, "--atol", 0.01,
             "--metric", "accuracy", "--metric", "top-2", "--metric",
             "f1-macro", "--metric", "cosine-retrieval", "--max-abs", 0.1,
             "--min-cosine", 0.9, "--max-drop", 1, "--max-flips", 1,
             "--require", "*.kl <= 0.1", "--scores", "probabilities")
    docs.run("compare", *odd, "--labels", folder / "v.npy", "--metric", "mae",
             "--metric", "rmse", "--metric", "r2")
    docs.run("compare", *odd, "--labels", folder / "names.txt",
             "--label-output", "classes")
    docs.run("run", folder / "a.onnx", "--samples", folder / "x.npz")
    docs.run("inspect", folder / "a.onnx")
    for kind in ("old", "a"):
        model = folder / f"{kind}.onnx"
        docs.run("plan", model)
        docs.run("inspect", model)
        docs.run("quantize", model, "-o", folder / f"{kind}.q.onnx", "--force")
        docs.run("inspect", model, folder / f"{kind}.q.onnx")
        docs.run("plan", folder / f"{kind}.q.onnx")
    for name in ("digits_cnn", "digits_mlp", "langid_bert", "langid_bilstm"):
        model, samples = MODELS / f"{name}.onnx", MODELS / f"{name}.test.npz"
        feed = ["--samples", samples, "--batch", 100]
        labels = ["--labels", f"{samples}:y"]
        copy = folder / f"{name}.onnx"
        docs.run("plan", model)
        docs.run("quantize", model, "--dry-run")
        docs.run("quantize", model, "-o", copy)
        docs.run("inspect", model)
        docs.run("inspect", model, copy)
        docs.run("compare", model, copy, *feed, *labels, "--layers")
        docs.run("trial", model, *feed, *labels, "-o", copy, "--force",
                 "--seconds", 0.2)
        docs.run("run", copy, *feed)
        if name == "langid_bert":
            continue
        docs.run("sensitivity", model, *feed)
        docs.run("tune", model, *feed, *labels, "--require",
                 "*.relative_l2 <= 0.003", "--budget", "2s", "-o", copy,
                 "--force", "--no-state")
    program = folder / "metric.py"
    program.write_text("""print('{"wer": {"original": 1, "copy": 2}, "x": 3}')""")
    docs.run("compare", MODELS / "digits_cnn.onnx", folder / "digits_cnn.onnx",
             "--samples", MODELS / "digits_cnn.test.npz", "--metric-command",
             f"{sys.executable} {program}")
    docs.run("trial", MODELS / "digits_cnn.onnx", "--random", 2, "-o",
             folder / "r.onnx", "--seconds", 0)
    docs.run("quantize", MODELS / "digits_cnn.onnx", "--preset", "ort",
             "--no-check", "-o", folder / "ort.onnx")
    model, samples = MODELS / "langid_bert.onnx", MODELS / "langid_bert.test.npz"
    bert = [model, folder / "langid_bert.onnx", "--samples", samples,
            "--batch", 4]
    docs.run("compare", *bert, "--labels", f"{samples}:y", "--layers",
             interrupt=1.0, codes=(0, 130))
    docs.run("sensitivity", model, *bert[2:], interrupt=1.0, codes=(0, 130))
    docs.run("tune", model, *bert[2:], "--require", "*.cosine >= 0.5",
             "--no-state", "-o", folder / "i.onnx", interrupt=1.0,
             codes=(0, 130))
    docs.run("compare", model, folder / "langid_bert.onnx", "--samples",
             samples, "--batch", 100, "--labels", f"{samples}:y",
             "--save-stats", folder / "s", codes=(2,))
    subprocess.run([OCTAVO, "compare", *map(str, bert[:4]), "--batch", "100",
                    "--save-stats", str(folder / "s")], check=True,
                   capture_output=True)
    docs.run("merge", folder / "s", "--require", "*.cosine >= 0.5")
    docs.run("bench", MODELS / "digits_cnn.onnx", folder / "digits_cnn.onnx",
             "--random", 2, "--batch", "1,4", "--budget", "0.3s", "--ops",
             "--clients", 2)
    docs.run("doctor")
    return docs.seen


def schemas():
    """By the documents' own name, such as octavo.compare/1."""
    out = {}
    for path in sorted(SCHEMAS.glob("*.schema.json")):
        schema = json.loads(path.read_text())
        Draft202012Validator.check_schema(schema)
        out[schema["properties"]["schema"]["const"]] = Draft202012Validator(schema)
    return out


def main():
    with tempfile.TemporaryDirectory() as name:
        seen = make_documents(pathlib.Path(name))
    if len(sys.argv) > 2:  # for whoever writes a schema: keep the documents
        pathlib.Path(sys.argv[2]).write_text(json.dumps([d for _, d in seen]))
    known, bad, held = schemas(), 0, set()
    for command, document in seen:
        name = document["schema"]
        held.add(name)
        if name not in known:
            print(f"{name} has no schema in docs/schema; {command} prints one")
            bad += 1
            continue
        for error in list(known[name].iter_errors(document))[:3]:
            print(f"{command}\n  {error.json_path}: {error.message[:300]}")
            bad += 1
    for name in set(known) - held:
        print(f"no document was held to the schema of {name}")
        bad += 1
    if bad:
        sys.exit(f"{bad} complaints about {len(seen)} documents")
    print(f"{len(seen)} documents of {len(held)} kinds are as their schemas say")


main()
