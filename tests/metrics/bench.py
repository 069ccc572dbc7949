"""The statistics of `octavo bench --json`, against numpy and scipy from the
raw times in the same document.

    bench.py OPS.json MATRIX.json

Without scipy the intervals are not looked at.
"""
import json
import sys

import numpy as np

try:
    from scipy import stats
except ImportError:
    stats = None


def near(what, got, want, error=1e-9):
    assert abs(got - want) <= error * max(abs(want), 1e-300), (what, got, want)


def summary(what, ns, blocks):
    t = np.concatenate([np.asarray(b, float) for b in blocks])
    assert ns["runs"] == t.size
    near(what, ns["least"], t.min())
    near(what, ns["most"], t.max())
    near(what, ns["median"], np.median(t))
    for p in (10, 90, 95, 99):
        near(f"{what} p{p}", ns[f"p{p}"], np.percentile(t, p))
    mad = np.median(np.abs(t - np.median(t)))
    if stats:
        near(what, mad, stats.median_abs_deviation(t))
    near(what, ns["mad"], mad)


def interval(a, b, confidence):
    """Percentile bootstrap over rounds, the percentiles moved out by Student's
    quantile; by scipy, with random numbers of its own."""
    n = len(a)
    t = stats.t.ppf((1 + confidence) / 2, n - 1)
    share = stats.norm.cdf(-np.sqrt(n / (n - 1)) * t)

    def ratio(i, axis=-1):
        i = np.moveaxis(np.asarray(i), axis, -1).reshape(-1, n)
        return np.array([np.median(a[j].ravel()) / np.median(b[j].ravel())
                         for j in i])

    r = stats.bootstrap((np.arange(n),), ratio, n_resamples=2000, axis=0,
                        method="percentile", vectorized=True,
                        random_state=np.random.default_rng(1))
    return np.quantile(r.bootstrap_distribution, [share, 1 - share])


def setting(s):
    by_name = {}
    for m in s["models"]:
        blocks = m["blocks_ns"]
        assert len(blocks) == s["rounds"]
        assert all(len(b) == s["runs_per_block"] for b in blocks)
        summary(m["model"], m["ns"], blocks)
        near("rate", m["samples_per_second"],
             s["samples_used"] / s["batches_used"] / m["ns"]["median"] * 1e9)
        by_name[m["model"]] = np.array(blocks, float)
    for p in s["pairs"]:
        a, b = by_name[p["against"]], by_name[p["model"]]
        near("ratio", p["speed_ratio"], np.median(a) / np.median(b))
        low, high = p["interval_99"]
        if s["rounds"] < 6:
            assert p["outcome"] == "too few runs"
        else:
            r = p["speed_ratio"]
            assert p["outcome"] == (
                "faster" if low > 1 and r >= 1.01 else
                "slower" if high < 1 and 1 / r >= 1.01 else
                "no difference shown")
        assert low <= p["interval_95"][0] <= p["interval_95"][1] <= high
        # Two bootstraps of 2000 agree in their tails to a fraction of the
        # interval's width; with few rounds its ends are the outermost draws.
        if stats and s["rounds"] >= 20:
            for key, c in (("interval_95", .95), ("interval_99", .99)):
                want = interval(a, b, c)
                width = max(want[1] - want[0], 1e-6)
                error = np.abs(np.array(p[key]) - want).max() / width
                assert error < (0.15 if c == .95 else 0.3), (p[key], want)
    if s["clients"]:
        for m in s["clients"]["models"]:
            assert m["calls_per_second"] > 0 and m["ns"]["runs"] > 0


def main():
    ops, matrix = (json.load(open(path)) for path in sys.argv[1:3])
    for document in (ops, matrix):
        assert document["schema"] == "octavo.bench/1"
        for s in document["settings"]:
            setting(s)
    assert len(ops["settings"]) == 1
    got = [(s["threads"], s["batch"]) for s in matrix["settings"]]
    assert got == [(1, 1), (1, 8), (2, 1), (2, 8)], got
    for m in matrix["models"]:
        memory = m["memory"]
        assert 0 < memory["runtime"] <= memory["steady"] <= memory["peak"], memory
    assert all(m["memory"] is None for m in ops["models"])

    o, = ops["ops"]
    convs = [x for x in o["layers"] if x["layer"] and
             x["layer"].endswith("/Conv")]
    assert len(convs) == 4, [x["layer"] for x in o["layers"]]
    for layer in convs:
        assert "ConvInteger" in layer["copy_kernels"], layer
        assert len(layer["quantized_nodes"]) == 1, layer
    total = sum(x["copy_ns"] for x in o["layers"]) + o["unpaired_ns"]
    assert abs(total - o["copy_ns"]) <= 0.1 * o["copy_ns"], (total, o["copy_ns"])
    assert o["unpaired_ns"] <= 0.02 * o["copy_ns"], o["unpaired_ns"]
    print("numpy agrees" if stats is None else "numpy and scipy agree")


main()
