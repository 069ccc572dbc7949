#!/usr/bin/env bash
# --metric-command: what a person's own program gets, how it is run, and what
# is made of its answer. Skips (77) where no ONNX Runtime or numpy is found.
source "$(dirname "$0")/lib.sh"
need_runtime
python3 -c 'import numpy' 2>/dev/null || exit 77
a=$models/digits_mlp.onnx
b=$dir/copy.onnx
"$OCTAVO" quantize "$a" -o "$b" >/dev/null
compare=(compare "$a" "$b" --samples "$models/digits_mlp.test.npz" --batch 50)
export TMPDIR=$dir/tmp
mkdir "$TMPDIR"

cat >"$dir/it's mine.py" <<'PY'
import json, sys, numpy
y = numpy.load(sys.argv[1])["y"]
sides = [numpy.load(path)["prob"] for path in sys.argv[2:]]
assert [s.shape for s in sides] == [(397, 10)] * 2 and sides[0].dtype == "float32"
right = [float((s.argmax(1) == y).mean()) for s in sides]
print(json.dumps({"mine": dict(original=right[0], copy=right[1]),
                  "apart": float(abs(sides[0] - sides[1]).max())}))
PY
command="python3 \"$dir/it's mine.py\" $models/digits_mlp.test.npz"
run 0 "${compare[@]}" --labels "$models/digits_mlp.test.npz:y" --json \
  --metric-command "$command"
python3 -c '
import json, sys
d = json.load(sys.stdin)
mine, apart = d["figures"]
accuracy, = d["metrics"]
assert mine["original"] == accuracy["original"] and mine["copy"] == accuracy["copy"]
assert apart == {"name": "apart", "original": None, "copy": None,
                 "value": d["outputs"][0]["max_abs"]}, apart' <<<"$out"
run 1 "${compare[@]}" --metric-command "$command" --require 'mine.copy >= 0.9' \
  --require 'apart <= 0' --markdown -
says "| FAILED |"
says "apart"

run 2 "${compare[@]}" --metric-command 'echo 1.5' # prints the paths, too
says "and nothing else"

# No shell: nothing is expanded, nothing else is run.
run 2 "${compare[@]}" --metric-command "echo 1; touch $dir/evil"
says "printed '1; touch $dir/evil "
[[ ! -e $dir/evil ]] || fail "a shell was asked"
run 2 "${compare[@]}" --metric-command 'echo $HOME'
says "printed '\$HOME"
run 2 "${compare[@]}" --metric-command no-such-program
says "cannot be started"
run 2 "${compare[@]}" --metric-command 'python3 -c "import sys; sys.exit(7)"'
says "exit code 7"
run 2 "${compare[@]}" --metric-command 'yes'
says "prints more than"
run 2 "${compare[@]}" --metric-command '"open'
says "never closes it"
run 0 "${compare[@]}" --metric-command "python3 -c 'print(0.25)'"
says "command: 0.25"
left=$(find "$TMPDIR" -name "octavo-metric-*")
[[ -z $left ]] || fail "it left files: $left"
