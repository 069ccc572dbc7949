# --preset ort: its flags, and refusals before a byte is written. What it writes
# is compared with the peer's by tests/parity/parity.py.
source "$OCTAVO_SOURCE_DIR/tests/cli/lib.sh"
model=$models/digits_mlp.onnx

run 0 quantize "$model" -o "$dir/a.onnx" --preset ort --no-check
says "quantized"
run 0 inspect "$dir/a.onnx"
says "octavo.recipe = ort per-tensor weight-type=int8"
run 0 quantize "$model" -o "$dir/b.onnx" --preset ort --no-check \
  --weight-type uint8 --per-channel --reduce-range
run 0 inspect "$dir/b.onnx"
says "octavo.recipe = ort per-channel weight-type=uint8 reduce-range"
says "uint8"

# A plan of it comes back, and can leave nodes float.
run 0 plan "$model" --preset ort -o "$dir/p.json"
run 0 quantize "$model" -o "$dir/c.onnx" --no-check --plan "$dir/p.json"
sed 's/octavo.recipe//' "$dir/c.onnx" >/dev/null
sed '0,/"action": "MatMulInteger"/s//"action": "float"/' "$dir/p.json" \
  >"$dir/e.json"
run 0 quantize "$model" -o "$dir/d.onnx" --no-check --plan "$dir/e.json"
says "the plan leaves it float"

# Flags that mean nothing are refused.
run 2 quantize "$model" -o "$dir/n.onnx" --preset ort --conv integer
says "--conv means nothing to --preset ort"
run 2 quantize "$model" -o "$dir/n.onnx" --weight-type uint8
says "--weight-type means nothing to --preset safe"
run 2 quantize "$model" -o "$dir/n.onnx" --per-tensor --per-channel
says "one was expected"
run 2 quantize "$model" -o "$dir/n.onnx" --preset fast
run 2 quantize "$model" -o "$dir/n.onnx" --preset ort --exclude nothing
says "matches no node"
[[ ! -e $dir/n.onnx ]] || fail "a refused run left a file"
