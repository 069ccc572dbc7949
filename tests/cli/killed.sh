#!/usr/bin/env bash
# Killed or interrupted in the middle of writing: the old output stays, and
# what the killed writer left is removed by the next one.
. "$(dirname "$0")/lib.sh"
cp "$models/langid_bert.onnx" "$dir/m.onnx"
echo old >"$dir/m.int8.onnx"

# A writer that never ends: its self-check waits on a runtime that is a pipe
# without a writer.
mkfifo "$dir/pipe"
start() {
  "$OCTAVO" quantize "$dir/m.onnx" --force --runtime "$dir/pipe" \
    >/dev/null 2>&1 &
  pid=$!
  for _ in $(seq 200); do
    compgen -G "$dir/.m.int8.onnx.octavo-*" >/dev/null && return
    kill -0 $pid 2>/dev/null || break
    sleep 0.02
  done
  exit 77  # this runtime loader does not wait for pipes
}
start
kill -9 $pid
wait $pid 2>/dev/null || true
[[ $(cat "$dir/m.int8.onnx") == old ]] || fail "the old output changed"
compgen -G "$dir/.m.int8.onnx.octavo-*" >/dev/null ||
  fail "the killed writer left nothing to clean, so this tests nothing"
run 0 quantize "$dir/m.onnx" --force --no-check
rm "$dir/pipe"
holds . m.int8.onnx m.onnx
