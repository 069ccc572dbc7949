# `octavo doctor` names the runtime and the CPU's features, and says how to get
# a runtime where there is none.
. "$(dirname "$0")/lib.sh"

# A named library that does not load: the CPU is still told, exit 2.
expect 2 "$OCTAVO" doctor --runtime "$WORK/none.so"
out_has "CPU "
err_has "octavo: error: the ONNX Runtime library"
OCTAVO_RUNTIME=$WORK/none.so expect 2 "$OCTAVO" doctor --json
out_has '"schema": "octavo.doctor/1"'
out_has '"runtime": null'
out_has '"error": '
err_has "named by OCTAVO_RUNTIME"

needs_runtime
expect 0 "$OCTAVO" doctor
out_has "ONNX Runtime 1."
out_has "CPUExecutionProvider"
[ ! -s err ] || fail "doctor talks: $(cat err)"
expect 0 "$OCTAVO" doctor --json
out_has '"api_version": '
python3 -c 'import json; json.load(open("out"))' 2>/dev/null ||
  ! command -v python3 >/dev/null || fail "no JSON: $(cat out)"
left
