#!/usr/bin/env bash
# Ctrl-C in a comparison: the report of what was measured so far, marked as
# partial, and exit code 130; and the line of progress, on a terminal alone.
. "$(dirname "$0")/lib.sh"
need_runtime
a=$models/digits_mlp.onnx
b=$dir/copy.onnx
run 0 quantize "$a" -o "$b" --no-check
endless=(--random 1000000000)
command -v python3 >/dev/null || exit 77

# interrupt OUT ARGS...: SIGINT once the progress on a terminal, which is
# stderr, has shown samples, a rate and what is left.
interrupt() {
  python3 - "$OCTAVO" "${@:2}" >"$1" <<'PY'
import os, pty, re, signal, subprocess, sys
ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stderr=theirs, start_new_session=True,
                         env={**os.environ, "TERM": "xterm"})
os.close(theirs)
said, asked = b"", False
while True:
    try:
        more = os.read(ours, 4096)
    except OSError:  # the other side is closed
        break
    if not more:
        break
    said += more
    if not asked and re.search(
            rb"comparing  [\d,]+ of 1,000,000,000 samples, .*%, "
            rb"[\d.,]+/s, [^\r]+ left", said):
        asked = True
        child.send_signal(signal.SIGINT)
assert child.wait() == 130, (child.returncode, said)
# The line is gone at the end.
assert said.endswith(b"\r\x1b[K"), said
PY
}
interrupt "$dir/out" compare "$a" "$b" "${endless[@]}" --max-abs 1e9
out=$(<"$dir/out")
says "speaks of a part of the samples"
says "stopped after"

interrupt "$dir/out" compare "$a" "$b" "${endless[@]}" --json
interrupt "$dir/trial" trial "$a" -o "$dir/t.onnx" "${endless[@]}" --json
python3 - "$dir/out" "$dir/trial" <<'PY'
import json, sys
compared = json.load(open(sys.argv[1]))
tried = json.load(open(sys.argv[2]))
assert tried["latency"] is None, tried
for d in compared, tried["comparison"]:
    n = d["samples"]["samples"]
    assert d["samples"]["partial"] and 0 < n < 10 ** 9, d["samples"]
    # Ten digits for each sample that was run, and no other.
    assert d["outputs"][0]["elements"] == 10 * n, d
    assert d["probes"] == [], d
PY

# Quiet elsewhere.
"$OCTAVO" compare "$a" "$b" --random 3 >/dev/null 2>"$dir/err"
[[ ! -s $dir/err ]] || fail "$(<"$dir/err")"
