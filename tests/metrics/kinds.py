"""Holds what `octavo compare` says of every kind of output to numpy.

Two models scale their input by 1 and by a little more and make tensors of all
kinds of it, sequences and maps; numpy makes the same, and the figures of the
document must be numpy's.

    kinds.py OCTAVO
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "schema"))
from kinds_model import kinds  # noqa: E402

OCTAVO = os.path.abspath(sys.argv[1])
FACTOR = np.float32(1.01)


def outputs(x, factor):
    """What kinds() computes, by the names that octavo gives."""
    scaled = x * factor
    e = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    probabilities = e / e.sum(axis=1, keepdims=True)
    integers = np.trunc(scaled).astype(np.int64)
    small = scaled.astype(np.float16)
    flags = scaled > np.float32(0.5) * factor
    with np.errstate(divide="ignore", invalid="ignore"):
        infinite = scaled / np.float32(0)
    return {
        "scaled": scaled, "probabilities": probabilities, "integers": integers,
        "small": small, "flags": flags, "words": integers.astype(str),
        "infinite": infinite, "nothing": scaled * np.float32(0),
        "sequence[0]": scaled, "sequence[1]": small.astype(np.float32),
        "places": np.argwhere(flags).T,
        "classes": probabilities,
    }


def near(what, got, want, error):
    if got is None or abs(got - want) > error * max(abs(want), 1e-30):
        sys.exit(f"{what}: octavo says {got}, numpy {want}")


def hold(name, got, r, c):
    if r.shape != c.shape:
        assert got["failed_batches"] == 1, (name, got)
        return
    assert got["failed_batches"] == 0, (name, got["failure"])
    assert got["elements"] == r.size, (name, got["elements"])
    if r.dtype.kind in "USb":
        assert got["measure"] == "exact" and got["equal"] == np.sum(r == c), name
        return
    if r.dtype.kind == "i":
        assert got["measure"] == "integer", name
        assert got["equal"] == np.sum(r == c), (name, got["equal"])
        assert got["max_abs"] == np.abs(r - c).max(), (name, got["max_abs"])
        return
    # The runtime rounds otherwise than numpy in the last digits, by more where
    # exponentials are summed up.
    error = 2e-3 if r.dtype == np.float16 or name == "probabilities" else 1e-4
    r, c = r.astype(np.float64).ravel(), c.astype(np.float64).ravel()
    finite = np.isfinite(r) & np.isfinite(c)
    matching = ~finite & ((r == c) | (np.isnan(r) & np.isnan(c)))
    assert got["non_finite"]["matching"] == matching.sum(), name
    assert got["non_finite"]["mismatching"] == (~finite & ~matching).sum(), name
    r, c = r[finite], c[finite]
    if r.size == 0 or not np.any(r != c):
        return
    d = np.abs(r - c)
    near(name + " max", got["max_abs"], d.max(), error * 20)
    near(name + " mean", got["mean_abs"], d.mean(), error)
    near(name + " rmse", got["rmse"], np.sqrt(np.mean(d * d)), error)
    near(name + " l2", got["relative_l2"],
         np.linalg.norm(d) / np.linalg.norm(r), error)
    near(name + " cosine", got["cosine"],
         np.vdot(r, c) / np.linalg.norm(r) / np.linalg.norm(c), 1e-6)


def main():
    x = np.random.default_rng(5).normal(size=(200, 3)).astype(np.float32) * 9
    x[0] = [0, 1, -1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.savez(folder / "x.npz", x=x)
        kinds(folder / "a.onnx", 1.0)
        kinds(folder / "b.onnx", float(FACTOR))
        done = subprocess.run(
            [OCTAVO, "compare", folder / "a.onnx", folder / "b.onnx", "--samples",
             folder / "x.npz", "--batch", "200", "--json", "--no-probes"],
            capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(done.stderr)
    said = {o["name"]: o for o in json.loads(done.stdout)["outputs"]}
    reference, candidate = outputs(x, np.float32(1)), outputs(x, FACTOR)
    for name, r in reference.items():
        c = candidate[name]
        if name != "classes":
            hold(name, said[name], r, c)
            continue
        # A map for each sample, its values by class; items from the 17th on
        # share one entry.
        for i in range(16):
            hold("probabilities", said[f"classes[{i}].values"], r[i], c[i])
        hold("probabilities", said["classes[16...].values"], r[16:], c[16:])
    print(f"numpy agrees about {len(reference)} kinds of output")


main()
