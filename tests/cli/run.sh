#!/usr/bin/env bash
# octavo run: inputs of every kind; outputs as text, JSON and .npz; and one
# sentence where something does not fit. Skips (77) without ONNX Runtime.
source "$(dirname "$0")/lib.sh"
need_runtime
cd "$dir"
mlp=$models/digits_mlp.onnx
bert=$models/langid_bert.onnx
samples=$models/digits_mlp.test.npz

# One batch given whole, and many; both give the same numbers.
run 0 run "$mlp" --input "$samples" --save whole.npz
says "prob  float32 [397,10]"
run 0 run "$mlp" --samples "$samples" --batch 397 --save many.npz
cmp whole.npz many.npz
run 0 run --samples "$samples" --batch 200 "$mlp"
says "samples 200 to 396:"

# --save replaces nothing by itself and leaves nothing else behind.
run 2 run "$mlp" --input "$samples" --save whole.npz
says "'whole.npz' exists already; add --force"
run 0 run "$mlp" --input "$samples" --save whole.npz --force
run 2 run "$mlp" --input "$samples" --save none/whole.npz
says "'none/whole.npz' cannot be written"
holds . many.npz whole.npz

# What was saved is an input: the keys are names.
run 2 run "$mlp" --input whole.npz
says "the input 'x' (float32 [N,64]) is missing in 'whole.npz', which has 'prob'"
run 2 run "$mlp" --input x=whole.npz
says "the model declares float32 [N,64]; its dimension 1 must be 64, not 10"

# Generated inputs are the same for a seed, and are said to be generated.
run 0 run "$bert" --random 1 --seed 3 --batch 2 --dim seq=5
says "last_hidden_state  float32 [2,5,96]"
says "the inputs were generated"
first=$out
run 0 run "$bert" --random 1 --seed 3 --batch 2 --dim seq=5
[[ $out == "$first" ]] || fail "the same seed gave other numbers"
run 0 run "$bert" --random 1 --json --range input_ids=1:2
says '"schema": "octavo.run/1"'
says '"synthetic": true'
if command -v python3 >/dev/null; then
  python3 -c '
import json, sys
d = json.load(sys.stdin)
logits = d["batches"][0]["outputs"][0]
assert logits["shape"] == [1, 8] and len(logits["values"]) == 8, logits' <<<"$out"
fi

# Errors are one sentence, exit code 2.
fails() {
  local text=$1
  shift
  run 2 run "$@"
  says "octavo: error: "
  says "$text"
  [[ $(wc -l <<<"$out") == 1 ]] || fail "more than one line"
}
fails "nothing says what to feed the model" "$mlp"
fails "there is no file 'none.onnx'" none.onnx --random 1
fails "the input 'input_ids' (int64 [batch,seq]) is missing" "$bert" --samples "$samples"
fails "did you mean 'seq'?" "$bert" --random 1 --dim seqq=4
fails "--dim seq cannot be read; it is written --dim NAME=SIZE." "$bert" --random 1 --dim seq
fails "it is written --range NAME=LO:HI." "$bert" --random 1 --range input_ids=5
fails "the model has no input 'y'" "$mlp" --input y="$samples"
fails "has no provider 'imaginary'" "$mlp" --random 1 --provider imaginary
echo '<html>' >page.npz
fails "cannot be read as an .npz archive" "$mlp" --input page.npz
: >empty.onnx
fails "could not load 'empty.onnx'" empty.onnx --random 1

# A full disk is no success, a closed pipe is no noise.
if [[ -w /dev/full ]]; then
  code=0
  "$OCTAVO" run "$mlp" --random 1 >/dev/full 2>err || code=$?
  [[ $code == 2 ]] && grep -q "cannot be written" err
fi
{ "$OCTAVO" run "$mlp" --samples "$samples" --full 2>err || [[ $? == 141 ]]; } |
  head -1 >/dev/null
[[ ! -s err ]]
