#!/usr/bin/env bash
# A search for a copy within limits: found, impossible, out of time, killed and
# gone on with.
. "$(dirname "$0")/lib.sh"
need_runtime
cnn=$models/digits_cnn.onnx
feed=(--samples "$models/digits_cnn.test.npz" --batch 16
  --labels "$models/digits_cnn.test.npz:y")
tune() { run "$1" tune "$cnn" "${feed[@]}" --budget 8s "${@:2}"; }

# A trivial limit: a whole strategy will do.
tune 0 --require 'accuracy.drop <= 50%' -o "$dir/a.onnx" --save-plan "$dir/a.json"
says "that the search did not see"
holds . a.json a.onnx a.onnx.tune.json
run 0 quantize "$cnn" -o "$dir/b.onnx" --plan "$dir/a.json"
run 0 compare "$dir/a.onnx" "$dir/b.onnx" "${feed[@]}" --max-abs 0
run 0 inspect "$cnn" "$dir/a.onnx"

# What is known is not measured again, and neither output is replaced unasked.
tune 2 --require 'accuracy.drop <= 50%' -o "$dir/a.onnx"
says "exists already"
tune 0 --require 'accuracy.drop <= 50%' -o "$dir/a.onnx" --force
says "2 of them known"

# An impossible one: the nearest, and why.
tune 1 --require '*.max_abs <= 0' -o "$dir/c.onnx"
says "No copy keeps the limits but the original itself"
says "max_abs"
[[ -s $dir/c.onnx ]] || fail "the nearest was not left"

# A narrow one needs a mixture.
tune 0 --require '*.relative_l2 <= 0.002' -o "$dir/d.onnx" --json
[[ $out == *'"schema": "octavo.tune/1"'*'"met": true'* ]] || fail "no document"
run 0 compare "$cnn" "$dir/d.onnx" "${feed[@]}" --min-cosine 0.999

# No time at all: still a model.
run 0 tune "$cnn" "${feed[@]}" --budget 0 --require 'accuracy.drop <= 50%' \
  -o "$dir/e.onnx" --no-state
says "the budget ended the search"
[[ -s $dir/e.onnx && ! -e $dir/e.onnx.tune.json ]] || fail "not as asked"

# Killed in the middle: what was found stays whole, and the search goes on.
bert=(tune "$models/langid_bert.onnx" --samples "$models/langid_bert.test.npz"
  --batch 32 --require '*.relative_l2 <= 0.01' --budget 8s -o "$dir/f.onnx")
"$OCTAVO" "${bert[@]}" >/dev/null 2>&1 &
pid=$!
for _ in $(seq 300); do
  grep -q whole "$dir/f.onnx.tune.json" 2>/dev/null && break
  sleep 0.05
done
kill -9 $pid
wait $pid 2>/dev/null || true
run 0 "${bert[@]}" --force --json
[[ ! $out == *'"recalled": 0,'* ]] || fail "nothing was known from before"

# Interrupted: 130, and what is known.
"$OCTAVO" "${bert[@]}" --force --no-state >"$dir/out" 2>&1 &
pid=$!
sleep 0.7
kill -INT $pid
code=0
wait $pid || code=$?
out=$(<"$dir/out")
[[ $code == 130 ]] || fail "exit $code, not 130"

tune 2 -o "$dir/g.onnx"
says "give a limit"
tune 2 -o "$dir/g.onnx" --require 'acuracy.drop <= 1%'
says "did you mean 'accuracy.drop'"
run 2 tune "$cnn" "${feed[@]}" --require 'flips <= 1%' --budget soon
says "a time such as 30s, 10m or 2h"
[[ ! -e $dir/g.onnx ]] || fail "a mistake left a file"
