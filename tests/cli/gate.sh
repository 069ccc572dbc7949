#!/usr/bin/env bash
# octavo compare and trial as a gate: limits, baselines, and the reports for
# continuous integration. Skips (77) where no ONNX Runtime is found.
source "$(dirname "$0")/lib.sh"
need_runtime
a=$models/digits_mlp.onnx
b=$dir/copy.onnx
"$OCTAVO" quantize "$a" -o "$b" >/dev/null
compare=(compare "$a" "$b" --samples "$models/digits_mlp.test.npz" --batch 50
  --labels "$models/digits_mlp.test.npz:y")

run 0 "${compare[@]}" --require 'accuracy.drop <= 0.5%' \
  --require 'prob.cosine >= 0.99' --require 'size.ratio <= 0.5' --max-flips 1
says "WITHIN your tolerances: all 4 checks passed"
run 1 "${compare[@]}" --require '*.max_abs <= 0'
says "would pass"
# The bound that it names does pass.
bound=$(grep -oE '<= [0-9.e-]+ would' <<<"$out" | cut -d' ' -f2)
run 0 "${compare[@]}" --require "*.max_abs <= $bound"
run 2 "${compare[@]}" --require 'prob.cosin >= 0.99'
says "did you mean 'prob.cosine'?"
run 2 "${compare[@]}" --require 'prob.cosine'
says "cannot be read"

cat >"$dir/t.toml" <<'TOML'
require = ["accuracy.drop <= 0.5%", "flips <= 1%"]
TOML
run 0 "${compare[@]}" --tolerances "$dir/t.toml"
says "all 2 checks passed"
run 2 "${compare[@]}" --tolerances "$dir/none.toml"

# A baseline: no worse than itself, worse than a better one.
run 0 "${compare[@]}" --save-baseline "$dir/b.json"
run 0 "${compare[@]}" --baseline "$dir/b.json" --no-worse-than 0
run 2 "${compare[@]}" --baseline "$dir/b.json"
says "go together"
run 2 "${compare[@]}" --baseline "$a" --no-worse-than 5%
says "no baseline of octavo"
run 0 compare "$a" "$a" "${compare[@]:3}" --save-baseline "$dir/same.json"
run 1 "${compare[@]}" --baseline "$dir/same.json" --no-worse-than 5%
says "prob.rmse"

# Reports never replace what is none of theirs.
cp "$a" "$dir/model.onnx"
for flag in --junit --markdown --save-baseline; do
  run 2 "${compare[@]}" "$flag" "$dir/model.onnx"
  says "leaves it alone"
  run 2 "${compare[@]}" "$flag" "$dir/none/x"
done
cmp "$a" "$dir/model.onnx"
for _ in 1 2; do
  run 1 "${compare[@]}" --require '*.max_abs <= 0' --junit "$dir/j.xml" \
    --markdown "$dir/r.md" --save-baseline "$dir/b.json"
done
grep -q '^### .*outside the limits' "$dir/r.md"
run 0 "${compare[@]}" --markdown -
says "no limits, no verdict"
run 1 trial "$a" "${compare[@]:3}" -o "$dir/c.onnx" --seconds 0.1 \
  --require 'prob.max_abs <= 0' --require 'speed.ratio > 0' \
  --junit "$dir/t.xml" --markdown -
says "nodes quantized"

# The shape that readers of JUnit's XML agree on: the schema of Ant's task.
command -v python3 >/dev/null || exit 0
python3 - "$dir/j.xml" "$dir/t.xml" <<'PY'
import re, sys
import xml.etree.ElementTree as et
for path, failures in zip(sys.argv[1:], (1, 1)):
    root = et.parse(path).getroot()
    assert root.tag == "testsuites" and not root.attrib
    suite, = root
    needed = {"name", "timestamp", "hostname", "tests", "failures", "errors",
              "time", "package", "id"}
    assert needed | {"skipped"} == set(suite.attrib), suite.attrib
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp"))
    tags = [child.tag for child in suite]
    cases = suite.findall("testcase")
    assert tags == ["properties"] + ["testcase"] * len(cases) + ["system-out",
                                                                 "system-err"]
    assert int(suite.get("tests")) == len(cases)
    failed = suite.findall("testcase/failure")
    assert int(suite.get("failures")) == len(failed) == failures
    for case in cases:
        assert set(case.attrib) == {"name", "classname", "time"}
        assert len(case) <= 1 and float(case.get("time")) >= 0
    assert all(set(f.attrib) == {"message", "type"} and f.text for f in failed)
    assert all(set(p.attrib) == {"name", "value"} for p in suite[0])
PY
