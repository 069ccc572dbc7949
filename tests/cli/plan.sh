# octavo plan: a document out, edited, and back into quantize.
source "$OCTAVO_SOURCE_DIR/tests/cli/lib.sh"
model=$models/digits_cnn.onnx

run 0 plan "$model"
says "6 of 6 candidate nodes quantized"
says "/10/Gemm"
holds "" # nothing was written

run 0 plan "$model" -o "$dir/p.json"
says "octavo quantize $model --plan $dir/p.json"
run 2 plan "$model" -o "$dir/p.json"
says "exists already"
run 0 plan "$model" -o "$dir/p.json" --force --conv keep
run 0 quantize "$model" -o "$dir/q.onnx" --plan "$dir/p.json" --no-check
says "2 of 6 candidate nodes quantized"

# The same plan and the same flags give the same weights and nodes.
run 0 plan "$model" -o "$dir/p.json" --force
run 0 quantize "$model" -o "$dir/a.onnx" --plan "$dir/p.json" --no-check
run 0 inspect "$model" "$dir/a.onnx"
says "6 of 6 candidate nodes quantized"

# Edited by hand.
sed '0,/"action": "MatMulInteger"/s//"action": "float"/' "$dir/p.json" \
  >"$dir/e.json"
run 0 quantize "$model" -o "$dir/b.onnx" --plan "$dir/e.json" --no-check
says "5 of 6 candidate nodes quantized"
says "the plan leaves it float"
sed '0,/"action": "MatMulInteger"/s//"action": "ConvInteger"/' "$dir/p.json" \
  >"$dir/e.json"
run 2 quantize "$model" -o "$dir/c.onnx" --plan "$dir/e.json" --no-check
says "it can become 'MatMulInteger', 'int8 storage', 'int4 blocks', 'int8 blocks' and 'float'"
run 2 quantize "$models/digits_mlp.onnx" -o "$dir/c.onnx" --plan "$dir/p.json"
says "the plan was made for another model"
sed '0,/"action"/s//"acton"/' "$dir/p.json" >"$dir/e.json"
run 2 quantize "$model" -o "$dir/c.onnx" --plan "$dir/e.json"
says "decisions[0].acton, which no plan has; did you mean 'action'"
sed 's/"min_bytes"/"min_byte"/' "$dir/p.json" >"$dir/e.json"
run 2 quantize "$model" -o "$dir/c.onnx" --plan "$dir/e.json"
says "did you mean 'min_bytes'"
run 2 quantize "$model" -o "$dir/c.onnx" --plan "$dir/p.json" --per-tensor
says "--plan and --per-tensor were both given"
run 2 quantize "$model" -o "$dir/c.onnx" --plan "$model"
says "is no JSON"
[[ ! -e $dir/c.onnx ]] || fail "a refused plan left a file"

# Enough, or nothing.
run 0 quantize "$model" -o "$dir/r.onnx" --require-quantized --no-check
run 0 quantize --require-quantized "$model" -o "$dir/r.onnx" --no-check --force
run 0 quantize "$model" -o "$dir/r.onnx" --require-quantized 50 --no-check -f
run 1 quantize "$model" -o "$dir/s.onnx" --require-quantized --no-check \
  --min-bytes 999999999
says "0 % of the weights' bytes would be quantized"
run 1 plan "$model" --require-quantized=99.99 --conv keep
[[ ! -e $dir/s.onnx ]] || fail "too little was quantized, and it was written"
run 0 quantize "$model" -o "$dir/s.onnx" --no-check --min-bytes 999999999
says "warning: nothing is quantized"

# Bodies.
run 2 plan "$model" --scope '*branch*'
says "--scope '*branch*' matches no body"

# A bare --assume-constant does not take the model for its pattern.
run 2 plan --assume-constant "$model"
says "--assume-constant '*' matches no input of this model"
run 2 plan "$model" --assume-constant w --exclude x
says "--assume-constant 'w' matches no input of this model"
