#!/usr/bin/env bash
# octavo quantize: what it writes, replaces, prints and refuses to do.
. "$(dirname "$0")/lib.sh"
model=$dir/m.onnx
cp "$models/digits_cnn.onnx" "$model"
sum=$(sha256sum "$model" | cut -d' ' -f1)

# A plan writes nothing.
run 0 quantize "$model" --dry-run
says "nothing was written"
says "6 of 6 candidate nodes quantized"
holds . m.onnx

run 0 quantize "$model" --no-check
says "26.3 % of 415.5 KiB"
holds . m.int8.onnx m.onnx
[[ $(sha256sum "$model" | cut -d' ' -f1) == "$sum" ]] || fail "original changed"
grep -q "$sum" "$dir/m.int8.onnx" || fail "the source's SHA-256 is not in it"

# An output that exists stays, unless --force; then it is the same again.
cp "$dir/m.int8.onnx" "$dir/first"
run 2 quantize "$model" --no-check
says "exists already"
run 0 quantize "$model" --no-check --force
cmp "$dir/first" "$dir/m.int8.onnx" || fail "the second run differs"
for threads in 1 2 5; do
  run 0 quantize "$model" --no-check --force --write-threads $threads
  cmp "$dir/first" "$dir/m.int8.onnx" || fail "$threads threads differ"
done
rm "$dir/first"

# Quantizing the copy again finds nothing to do.
run 0 quantize "$dir/m.int8.onnx" -o "$dir/again.onnx" --no-check
says "0 of"
cmp "$dir/m.int8.onnx" "$dir/again.onnx" || fail "the copy of a copy differs"
rm "$dir/again.onnx"

# External data, in and out; the same answers' worth of bytes comes back.
run 0 quantize "$model" -o "$dir/e.onnx" --external-data always --no-check
holds . e.onnx e.onnx.data m.int8.onnx m.onnx
run 0 quantize "$dir/e.onnx" -o "$dir/back.onnx" --no-check
cmp "$dir/m.int8.onnx" "$dir/back.onnx" || fail "external data changed a model"
rm "$dir"/e.onnx*

# Options change the plan.
run 0 quantize "$model" --dry-run --conv keep
says "--conv keep was asked for"
run 0 quantize "$model" --dry-run --min-bytes 100000
says "below --min-bytes 100000"
run 0 quantize "$model" --dry-run --ops Gemm
says "2 of 6 candidate nodes quantized"
run 0 quantize "$model" --dry-run --exclude '*Gemm*'
says "4 of 6 candidate nodes quantized"
run 2 quantize "$model" --dry-run --exclude '/f/Gemmm'
says "matches no node"
run 0 quantize "$models/langid_bilstm.onnx" --dry-run --standard-ops
says "only ONNX's own operators are wanted"

# The original's SHA-256 stands in the copy, unless it is not wanted; an older
# one goes then.
sum=$(sha256sum <"$model" | cut -c1-64)
run 0 quantize "$model" -o "$dir/h.onnx" --no-check
grep -q "$sum" "$dir/h.onnx" || fail "the copy lacks its source's SHA-256"
run 0 quantize "$model" -o "$dir/n.onnx" --no-check --no-source-hash
grep -q octavo.recipe "$dir/n.onnx" || fail "the copy lacks its recipe"
! grep -q source_sha256 "$dir/n.onnx" || fail "the copy has a SHA-256"

# One JSON document.
if command -v python3 >/dev/null; then
  run 0 quantize "$model" -o "$dir/j.onnx" --json --no-check
  python3 -c '
import json, os, sys
d = json.load(sys.stdin)
assert d["schema"] == "octavo.quantize/1", d
assert d["output"]["bytes"] == os.path.getsize(sys.argv[1]), d["output"]
assert d["candidates"] == d["quantized"] == 6, d
assert [x["op"] for x in d["decisions"]] == ["Conv"] * 4 + ["Gemm"] * 2, d
assert d["check"]["loads"] is None, d["check"]' "$dir/j.onnx" <<<"$out"
fi

# Other folders, other names.
mkdir -p "$dir/模型 é"
cp "$model" "$dir/模型 é/网络.onnx"
(
  cd "$dir/模型 é"
  run 0 quantize 网络.onnx --no-check
  holds "模型 é" 网络.onnx 网络.int8.onnx
)

# With a runtime, the copy is loaded before it gets its name.
need_runtime
run 0 quantize "$model" --force
says "Self-check: loads on ONNX Runtime"
run 0 quantize "$model" -o "$dir/e.onnx" --external-data always
says "Self-check: loads on ONNX Runtime"
run 2 quantize "$model" --force --runtime "$dir/none.so"
OCTAVO_RUNTIME="$dir/none.so" run 0 quantize "$model" --force
says "no ONNX Runtime was found"

# A model that is too new for the runtime (its last byte is its opset) is not
# the copy's fault.
{ head -c -1 "$models/digits_mlp.onnx" && printf '\x63'; } >"$dir/new.onnx"
run 0 quantize "$dir/new.onnx"
says "does not load the original either: it knows opsets up to"
says "and the model has 99."
