# `octavo run`: inputs of every kind, outputs as text, JSON and .npz.
. "$(dirname "$0")/lib.sh"
needs_runtime
MLP=$MODELS/digits_mlp.onnx
SAMPLES=$MODELS/digits_mlp.test.npz
BERT=$MODELS/langid_bert.onnx

# One batch given whole; many in batches; both say the same.
expect 0 "$OCTAVO" run "$MLP" --input "$SAMPLES" --save whole.npz
out_has "prob  float32 [397,10]"
expect 0 "$OCTAVO" run "$MLP" --samples "$SAMPLES" --batch 397 --save many.npz
cmp whole.npz many.npz || fail "the two ways differ"
expect 0 "$OCTAVO" run --samples "$SAMPLES" --batch 200 "$MLP"
out_has "samples 200 to 396:"

# What was saved is an input as good as any, and --save replaces nothing.
expect_error "$OCTAVO" run "$MLP" --input "$SAMPLES" --save whole.npz
err_has "'whole.npz' exists already; add --force"
expect 0 "$OCTAVO" run "$MLP" --input "$SAMPLES" --save whole.npz --force
left many.npz whole.npz

# Generated inputs are the same for a seed, and are said to be generated.
expect 0 "$OCTAVO" run "$BERT" --random 1 --seed 3 --batch 2 --dim seq=5
out_has "last_hidden_state  float32 [2,5,96]"
err_has "the inputs were generated"
cp out first
expect 0 "$OCTAVO" run "$BERT" --random 1 --seed 3 --batch 2 --dim seq=5
cmp out first || fail "the same seed gave other numbers"
rm first
expect 0 "$OCTAVO" run "$BERT" --random 1 --json --range input_ids=1:2
out_has '"schema": "octavo.run/1"'
out_has '"synthetic": true'
[ ! -s err ] || fail "--json talks: $(cat err)"

# Errors are one sentence, exit code 2.
expect_error "$OCTAVO" run "$MLP"
err_has "nothing says what to feed the model"
expect_error "$OCTAVO" run none.onnx --random 1
err_has "there is no file 'none.onnx'"
expect_error "$OCTAVO" run "$BERT" --samples "$SAMPLES"
err_has "the input 'input_ids' (int64 [batch,seq]) is missing"
expect_error "$OCTAVO" run "$BERT" --random 1 --dim seqq=4
err_has "did you mean 'seq'?"
expect_error "$OCTAVO" run "$BERT" --random 1 --dim seq
err_has "--dim seq cannot be read; it is written --dim NAME=SIZE."
expect_error "$OCTAVO" run "$BERT" --random 1 --range input_ids=5
err_has "it is written --range NAME=LO:HI."
echo '<html>' >page.npz
expect_error "$OCTAVO" run "$MLP" --input page.npz
err_has "cannot be read as an .npz archive"
expect_error "$OCTAVO" run "$MLP" --input y="$SAMPLES"
err_has "the model has no input 'y'"
rm page.npz
left many.npz whole.npz
