#!/usr/bin/env bash
# octavo compare: exit codes, labels, tolerances, JSON, and what it says when
# something does not fit. Skips (77) where no ONNX Runtime is found.
source "$(dirname "$0")/lib.sh"
need_runtime
a=$models/digits_mlp.onnx
b=$dir/copy.onnx
samples=(--samples "$models/digits_mlp.test.npz" --batch 50)
labels=(--labels "$models/digits_mlp.test.npz:y")
"$OCTAVO" quantize "$a" -o "$b" >/dev/null

run 0 compare "$a" "$b" "${samples[@]}"
says "No verdict: you gave no tolerance"
says "397 samples of"

run 0 compare "$a" "$a" "${samples[@]}" "${labels[@]}" --max-abs 0 --max-flips 0
says "WITHIN your tolerances"
says "infinite"
# 390 of 397 right: the model's README.
says "98.24 % -> 98.24 %"

run 1 compare "$a" "$b" "${samples[@]}" --max-abs 1e-9
says "OUTSIDE your tolerances: 1 of 1 check failed"
run 0 compare "$a" "$b" "${samples[@]}" "${labels[@]}" --max-drop 0.5 --min-cosine 0.99
run 1 compare "$a" "$b" --random 2 --max-abs 0
says "synthetic"

run 0 compare "$a" "$b" "${samples[@]}" "${labels[@]}" --json
if command -v python3 >/dev/null; then
  python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["schema"] == "octavo.compare/1" and d["verdict"] == "none", d
assert d["answers"]["original_correct"] == 390, d["answers"]
assert d["outputs"][0]["elements"] == 3970, d["outputs"]
assert d["samples"] == {**d["samples"], "samples": 397, "batches": 8}, d' <<<"$out"
fi

# Every layer's error: the first one's is its own, for nothing comes before it.
run 0 compare "$a" "$b" "${samples[@]}" --layers
says "Layers by their own error"
run 0 compare "$a" "$b" "${samples[@]}" --layers --json
if command -v python3 >/dev/null; then
  python3 -c '
import json, sys
layers = json.load(sys.stdin)["layers"]
assert layers["samples"] == 397 and not layers["partial"], layers
first, *others = layers["nodes"]
assert len(others) == 2, layers
assert first["isolated"] == first["cumulative"], first
assert 0 < first["isolated"]["max_abs"], first
assert all(n["isolated"]["sqnr_db"] > 30 for n in others), others' <<<"$out"
fi

run 2 compare "$a" "$models/digits_cnn.onnx" "${samples[@]}"
says "only models of the same inputs"
run 2 compare "$a" "$b" --random 3 "${labels[@]}"
says "397 labels for 3 samples"
run 2 compare "$a" "$b" "${samples[@]}" --labels "$models/digits_mlp.test.npz:x"
says "need 64 value(s) for each sample"
run 2 compare "$a" "$b" "${samples[@]}" "${labels[@]}" --label-output probs
says "it has 'prob'"
run 2 compare "$a" "$b" "${samples[@]}" --max-drop 1
says "--max-drop needs labels"
run 2 compare "$a" "$b" "${samples[@]}" --max-abs nan
run 2 compare "$a" "$b" "${samples[@]}" --max-abs -1
run 2 compare "$a" "$dir/none.onnx" "${samples[@]}"
run 2 compare "$a" "$b"
says "nothing says what to feed"

# Labels from text, metrics by name: 390 of 397 right either way.
python=$(command -v python3 || true)
if [[ -n $python ]] && "$python" -c 'import numpy' 2>/dev/null; then
  "$python" - "$models/digits_mlp.test.npz" "$dir" <<'PY'
import sys, numpy
y = numpy.load(sys.argv[1])["y"]
numpy.savetxt(sys.argv[2] + "/y.txt", y, fmt="%d")
numpy.savetxt(sys.argv[2] + "/y.csv", numpy.stack([numpy.arange(len(y)), y], 1),
              fmt="%d", delimiter=",", header="id,digit", comments="")
PY
  for text in "$dir/y.txt" "$dir/y.csv:digit"; do
    run 0 compare "$a" "$b" "${samples[@]}" --labels "$text" --metric accuracy \
      --metric f1 --metric top-2
    says "Accuracy: 98.24 % ->"
    says "F1 (macro): 0.98"
  done
  run 2 compare "$a" "$b" "${samples[@]}" --labels "$dir/y.csv"
  says "2 columns"
fi
run 2 compare "$a" "$b" "${samples[@]}" "${labels[@]}" --metric acuracy
says "did you mean 'accuracy'?"
run 2 compare "$a" "$b" "${samples[@]}" --metric accuracy
says "--metric needs right answers"

# A full disk is no success, a closed pipe is no noise.
if [[ -w /dev/full ]]; then
  code=0
  "$OCTAVO" compare "$a" "$b" "${samples[@]}" >/dev/full 2>"$dir/err" || code=$?
  [[ $code == 2 ]] && grep -q "cannot be written" "$dir/err"
fi
"$OCTAVO" compare "$a" "$b" "${samples[@]}" 2>"$dir/err" | head -1 >/dev/null
[[ ! -s $dir/err ]]

# Probes: in the transformer, neighbours matter once activations are quantized;
# in a CNN whose weights are only stored, they do not.
moved() {  # PROBE: movement of the original and of the copy
  sed -n "/\"name\": \"$1\"/,/^    }/s/.*\"movement\": \([0-9.e-]*\).*/\1/p" "$dir/p.json" |
    tr '\n' ' '
}
run 0 quantize "$models/langid_bert.onnx" -o "$dir/bert.onnx" --no-check
"$OCTAVO" compare "$models/langid_bert.onnx" "$dir/bert.onnx" --batch 32 \
  --samples "$models/langid_bert.test.npz" --json >"$dir/p.json"
read -r original copy <<<"$(moved batch_mates)"
awk "BEGIN { exit !($original < 1e-5 && $copy > 1e-3) }" ||
  fail "batch mates of the transformer: $original, $copy"
run 0 quantize "$models/digits_cnn.onnx" -o "$dir/cnn.onnx" --no-check --ops Conv
"$OCTAVO" compare "$models/digits_cnn.onnx" "$dir/cnn.onnx" --batch 32 \
  --samples "$models/digits_cnn.test.npz" --json >"$dir/p.json"
read -r original copy <<<"$(moved batch_mates)"
awk "BEGIN { exit !($original < 1e-5 && $copy < 1e-5) }" ||
  fail "batch mates of the CNN: $original, $copy"
run 1 compare "$models/langid_bert.onnx" "$dir/bert.onnx" --batch 32 \
  --samples "$models/langid_bert.test.npz" \
  --require 'batch_mates.copy <= 0.00001'
says "batch_mates.copy"
run 0 compare "$models/langid_bert.onnx" "$dir/bert.onnx" --batch 32 \
  --samples "$models/langid_bert.test.npz" --no-probes
[[ $out != *Probes* ]] || fail "probes were made"
