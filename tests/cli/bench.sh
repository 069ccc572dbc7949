#!/usr/bin/env bash
# octavo bench: models timed beside each other, what it says and what it
# refuses. Speed itself is never a matter of these tests. Skips (77) where no
# ONNX Runtime is found.
source "$(dirname "$0")/lib.sh"
need_runtime
float=$models/digits_cnn.onnx
"$OCTAVO" quantize "$float" -o "$dir/int.onnx" --conv integer >/dev/null
samples=(--samples "$models/digits_cnn.test.npz" --batch 8)
brief=(--budget 0.3s --until 0)

run 0 bench "$float" "$dir/int.onnx" "${samples[@]}" "${brief[@]}"
says "CPU "
says "ONNX Runtime"
says "int.onnx against digits_cnn.onnx: "
says "x the speed"
says "first run"

# What is wrong is told before anything is timed.
run 2 bench "$float" "$dir/none.onnx" "${samples[@]}"
says "none.onnx"
run 2 bench "$float" "${samples[@]}" --until 120%
says "a share such as 2%"
run 2 bench "$float" "${samples[@]}" --budget soon
says "a time such as 30s"
run 2 bench "$float" "${samples[@]}" --dim seq=4,x
run 2 bench "$float" "${samples[@]}" --ops
says "name two"
run 2 bench "$float" "$models/digits_mlp.onnx" "${samples[@]}"
says "digits_mlp.onnx' does not run"
# The process that measures memory is none of a person's business.
[[ $("$OCTAVO" --help) != *memory-of* ]]

# The profile's files go with it. (The runtime may leave files of its own.)
mkdir "$dir/tmp"
TMPDIR=$dir/tmp run 0 bench "$float" "$dir/int.onnx" "${samples[@]}" \
  "${brief[@]}" --ops --json --no-memory
left=$(find "$dir/tmp" -mindepth 1 -name '*octavo*' -o -name '*.onnx' \
  -o -name 'profile*')
[[ -z $left ]] || fail "$left was left"
ops=$out
run 0 bench "$float" "$dir/int.onnx" --random 2 --threads 1,2 --batch 1,8 \
  --budget 0.1s --clients 2
says "threads  batch"
run 0 bench "$float" "$dir/int.onnx" --random 2 --threads 1,2 --batch 1,8 \
  --budget 0.1s --clients 2 --json
matrix=$out

python=
for p in python3 "$OCTAVO_SOURCE_DIR/build/parity/bin/python"; do
  if "$p" -c 'import numpy' 2>/dev/null; then
    python=$p
    break
  fi
done
[[ -n $python ]] || { echo "the rest is skipped: Python has no numpy" && exit 0; }
"$python" - "$OCTAVO_SOURCE_DIR/tests/metrics/bench.py" <(printf '%s' "$ops") \
  <(printf '%s' "$matrix") <<'PY'
import runpy, sys
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
PY
