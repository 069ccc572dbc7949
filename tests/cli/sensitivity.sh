#!/usr/bin/env bash
# Which layers cost most, on real samples; resumed, interrupted, mistyped.
. "$(dirname "$0")/lib.sh"
need_runtime
cnn=$models/digits_cnn.onnx
feed=(--samples "$models/digits_cnn.test.npz" --batch 16)

run 0 sensitivity "$cnn" "${feed[@]}"
says "Sensitivity of 6 layers"
says "all layers quantized: 0.00"
says "13 evaluations on up to 397 samples"
says "1 session."

# A session for every mixture gives the same figures.
figures() { sed -n 's/^ *"value": //p' "$1"; }
"$OCTAVO" sensitivity "$cnn" "${feed[@]}" --precision 0 --json >"$dir/a.json"
"$OCTAVO" sensitivity "$cnn" "${feed[@]}" --precision 0 --json --no-switch \
  >"$dir/b.json"
[[ $(figures "$dir/a.json" | wc -l) == 13 ]] || fail "not 13 figures"
paste <(figures "$dir/a.json") <(figures "$dir/b.json") | tr -d , | awk '
  { d = $1 - $2; if (d < 0) d = -d; if (d > 1e-3 * $2) exit 1 }' ||
  fail "switched and separate sessions differ: $(figures "$dir/a.json")
$(figures "$dir/b.json")"

# By a metric, in a file, and again.
labels=(--labels "$models/digits_cnn.test.npz:y" --by accuracy.drop)
run 0 sensitivity "$cnn" "${feed[@]}" "${labels[@]}" --state "$dir/s.json"
says "accuracy.drop; where more is better"
run 0 sensitivity "$cnn" "${feed[@]}" "${labels[@]}" --state "$dir/s.json"
says "13 of them known"
run 2 sensitivity "$models/digits_mlp.onnx" --random 4 --state "$dir/s.json"
says "was written for other"
run 2 sensitivity "$cnn" "${feed[@]}" --by acuracy.drop
says "nothing that was measured is named 'acuracy.drop'"

run 0 sensitivity "$cnn" "${feed[@]}" --html "$dir/s.html"
grep -q "Sensitivity of" "$dir/s.html" || fail "no page"
run 2 sensitivity "$cnn" "${feed[@]}" --preset ort
says "leave the preset out"
run 2 sensitivity "$cnn" "${feed[@]}" --precision 2
says "must be a share"
run 2 sensitivity "$cnn" "${feed[@]}" --min-bytes 99999999
says "nothing would be quantized"
holds . a.json b.json s.html s.json
