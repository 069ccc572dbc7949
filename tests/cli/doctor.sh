#!/usr/bin/env bash
# octavo doctor names the runtime and the CPU's features, and says how it is
# where no runtime is found.
source "$(dirname "$0")/lib.sh"

# A named library that does not load: the CPU is still told, exit 2.
run 2 doctor --runtime "$dir/none.so"
says "CPU "
says "octavo: error: the ONNX Runtime library '$dir/none.so', named by --runtime, does not load"
OCTAVO_RUNTIME=$dir/none.so run 2 doctor --json
says '"schema": "octavo.doctor/1"'
says '"runtime": null'
says "named by OCTAVO_RUNTIME"
run 2 doctor --runtime "$dir"
says "holds no libonnxruntime.so"

need_runtime
run 0 doctor
says "ONNX Runtime 1."
says "CPUExecutionProvider"
run 0 doctor --json
says '"api_version": '
if command -v python3 >/dev/null; then
  python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["schema"] == "octavo.doctor/1", d
assert "CPUExecutionProvider" in d["runtime"]["providers"], d' <<<"$out"
fi
holds .
