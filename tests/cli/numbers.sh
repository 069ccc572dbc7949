# Every figure of compare's JSON, against numpy's from the outputs that `octavo
# run` saved. Needs numpy: python3's own, or that which `make parity` installed.
source "$OCTAVO_SOURCE_DIR/tests/cli/lib.sh"
need_runtime
python=
for p in python3 "$OCTAVO_SOURCE_DIR/build/parity/bin/python"; do
  if "$p" -c 'import numpy' 2>/dev/null; then
    python=$p
    break
  fi
done
[[ -n $python ]] || { echo "skipped: Python has no numpy" && exit 77; }

for name in digits_mlp langid_bert; do
  model=$models/$name.onnx samples=$models/$name.test.npz
  run 0 quantize "$model" -o "$dir/q.onnx" --no-check --force
  # One batch of all samples, so that both programs see the same scales.
  run 0 run "$model" --samples "$samples" --batch 100000 --save "$dir/a.npz" --force
  run 0 run "$dir/q.onnx" --samples "$samples" --batch 100000 --save "$dir/b.npz" --force
  run 0 compare "$model" "$dir/q.onnx" --samples "$samples" --batch 100000 \
    --json --no-probes --atol 0.01 --rtol 0.001 --axis 1 --scores logits
  "$python" - "$dir/a.npz" "$dir/b.npz" <(printf '%s' "$out") <<'PY'
import json, math, sys
import numpy as np

a, b = np.load(sys.argv[1]), np.load(sys.argv[2])
document = json.load(open(sys.argv[3]))
assert len(document["outputs"]) == len(a.files), document["outputs"]


def near(what, got, want, error=1e-9):
    assert abs(got - want) <= error * max(1e-300, abs(want)), (what, got, want)


for o in document["outputs"]:
    r, c = (x[o["name"]].astype(np.float64) for x in (a, b))
    d = np.abs(r - c)
    assert o["elements"] == d.size
    near("equal", o["equal_share"], np.mean(r == c))
    near("max", o["max_abs"], d.max())
    near("mean", o["mean_abs"], d.mean())
    near("rmse", o["rmse"], math.sqrt(np.mean(d * d)))
    near("l2", o["relative_l2"], np.linalg.norm(r - c) / np.linalg.norm(r))
    near("cosine", o["cosine"], np.vdot(r, c) / np.linalg.norm(r) /
         np.linalg.norm(c))
    near("sqnr", o["sqnr_db"], 10 * np.log10(np.sum(r * r) / np.sum(d * d)))
    s = o["spread"]
    near("pearson", s["pearson"], np.corrcoef(r.ravel(), c.ravel())[0, 1])
    relative = d / np.maximum(np.abs(r), s["relative_guard"])
    near("max relative", s["max_relative"], relative.max())
    near("mean relative", s["mean_relative"], relative.mean())
    for key, share in (("p50", .5), ("p90", .9), ("p99", .99), ("p999", .999)):
        near(key, s[key], np.quantile(d, share, method="inverted_cdf"),
             s["quantile_error"])
    rows = d.reshape(len(d), -1)
    order = np.lexsort((np.arange(len(d)), -rows.max(axis=1)))
    got = [w["sample"] for w in s["worst_samples"]]
    assert got == order[:10].tolist(), (got, order[:10])
    for w in s["worst_samples"]:
        i = w["sample"]
        x, y = r[i].ravel(), c[i].ravel()
        near("rmse", w["rmse"], math.sqrt(np.mean((x - y) ** 2)))
        near("l2", w["relative_l2"],
             np.linalg.norm(x - y) / np.linalg.norm(x))
        near("cosine", w["cosine"],
             np.vdot(x, y) / np.linalg.norm(x) / np.linalg.norm(y))
    near("outside", o["outside"], np.mean(d > 0.01 + 0.001 * np.abs(r)))
    channels = np.moveaxis(r, 1, 0).reshape(r.shape[1], -1), np.moveaxis(
        c, 1, 0).reshape(r.shape[1], -1)
    rmse = np.sqrt(np.mean((channels[0] - channels[1]) ** 2, axis=1))
    assert o["channels"]["count"] == len(rmse)
    worst = o["channels"]["worst"]
    for w, want in zip(worst, np.sort(rmse)[::-1]):
        k = w["channel"]
        near("channel rmse", w["rmse"], want)
        near("channel rmse", w["rmse"], rmse[k])
        x, y = channels[0][k], channels[1][k]
        near("channel l2", w["relative_l2"],
             np.linalg.norm(x - y) / np.linalg.norm(x))
        near("channel max", w["max_abs"], np.abs(x - y).max())
    p, q = (x.reshape(-1, x.shape[-1]) for x in (r, c))
    logp, logq = (x - np.log(np.sum(np.exp(x - x.max(1, keepdims=True)), 1,
                                    keepdims=True)) - x.max(1, keepdims=True)
                  for x in (p, q))
    scores = o["scores"]
    assert scores["rows"] == len(p)
    near("kl", scores["kl"], np.mean(np.sum(np.exp(logp) * (logp - logq), 1)),
         1e-6)
    best = p.argmax(1)
    near("top1", scores["top1_agreement"], np.mean(best == q.argmax(1)))
    if p.shape[1] > 5:
        five = np.argsort(-q, axis=1, kind="stable")[:, :5]
        near("top5", scores["top5_agreement"],
             np.mean((five == best[:, None]).any(1)))
    assert sum(h["pairs"] for h in s["histogram"]) == d.size
    for h in s["histogram"]:
        if h["below"] > 0:
            want = np.sum((d < h["below"]) & (d >= h["below"] / 2))
            assert h["pairs"] == want, (h, want)
print("numpy agrees")
PY
done
