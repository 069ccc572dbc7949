#!/usr/bin/env bash
# octavo trial: the whole recipe in one command, what it writes and what it
# leaves alone. Skips (77) where no ONNX Runtime is found.
source "$(dirname "$0")/lib.sh"
need_runtime
cp "$models/digits_cnn.onnx" "$dir/net.onnx"
samples=(--samples "$models/digits_cnn.test.npz" --batch 50 --seconds 0.1)
labels=(--labels "$models/digits_cnn.test.npz:y")

# The default name, within half a point of accuracy, smaller.
run 0 trial "$dir/net.onnx" "${samples[@]}" "${labels[@]}" --max-drop 0.5
says "WITHIN your tolerances"
says "Size"
says "Speed"
says "$dir/net.int8.onnx"
[[ -f $dir/net.int8.onnx ]]
cmp "$dir/net.onnx" "$models/digits_cnn.onnx"
before=$(stat -c %s "$dir/net.onnx") after=$(stat -c %s "$dir/net.int8.onnx")
((after * 100 < before * 30))

# The command that it advises works as it stands.
run 0 trial "$dir/net.onnx" "${samples[@]}" "${labels[@]}" --force
next=$(tail -1 <<<"$out")
[[ $next == "  octavo compare "* ]]
bash -c "${next/octavo/\"\$OCTAVO\"}" >/dev/null

# An existing copy stays, unless told; the original always does.
run 2 trial "$dir/net.onnx" "${samples[@]}"
says "exists already"
run 2 trial "$dir/net.onnx" "${samples[@]}" -o "$dir/net.onnx" --force
cmp "$dir/net.onnx" "$models/digits_cnn.onnx"

# Outside the tolerance: 1, and the advice to keep the original.
run 1 trial "$dir/net.onnx" "${samples[@]}" --force --max-abs 0 \
  --json-file "$dir/report.json"
says "Keep the original"
run 1 trial "$dir/net.onnx" "${samples[@]}" --force --max-abs 0 --json
if command -v python3 >/dev/null; then
  for text in "$out" "$(<"$dir/report.json")"; do
    python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["schema"] == "octavo.trial/1" and d["verdict"] == "outside"
assert 0 < d["size"]["ratio"] < 0.3, d["size"]
assert len(d["latency"]["rounds"]) >= 1
assert d["comparison"]["outputs"][0]["name"] == "logits"' <<<"$text"
  done
fi

# Nothing is written where nothing can be compared.
run 2 trial "$dir/net.onnx" -o "$dir/other.onnx"
run 2 trial "$dir/net.onnx" -o "$dir/other.onnx" --input "$dir/none.npy"
run 2 trial "$dir/net.onnx" -o "$dir/other.onnx" "${samples[@]}" --max-flips 1
run 2 trial "$dir/net.onnx" -o "$dir/other.onnx" --random 2 "${labels[@]}"
says "397 labels for 2 samples"
[[ ! -e $dir/other.onnx ]]
run 0 trial "$dir/net.onnx" -o "$dir/other.onnx" --random 2 --seconds 0.1
says "These inputs were made up"
