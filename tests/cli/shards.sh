#!/usr/bin/env bash
# A comparison in shards, merged, says what one run says.
. "$(dirname "$0")/lib.sh"
need_runtime
# figures A B: every number of two documents is the same, to 1e-12 where it is
# no integer; all other lines are equal.
same() {
  paste -d'\t' <(sed 's/,$//' "$1") <(sed 's/,$//' "$2") | awk -F'\t' '
    $1 == $2 { next }
    { split($1, a, ": "); split($2, b, ": "); x = a[2]; y = b[2] }
    a[1] != b[1] || x !~ /[.e]/ || y !~ /[.e]/ { print; bad = 1; next }
    { d = x - y; if (d < 0) d = -d; m = y < 0 ? -y : y }
    d > 1e-12 * m { print; bad = 1 }
    END { exit bad }'
}
for name in langid_bert digits_cnn; do
  model=$models/$name.onnx
  args=("$model" "$dir/q.onnx" --samples "$models/$name.test.npz" --batch 16
    --labels "$models/$name.test.npz:y" --atol 0.01 --axis -1)
  run 0 quantize "$model" -o "$dir/q.onnx" --no-check --force
  "$OCTAVO" compare "${args[@]}" --no-probes --json >"$dir/whole.json"
  for i in 1 2 3; do
    run 0 compare "${args[@]}" --shard $i/3 --save-stats "$dir/$i"
    says "Shard $i of 3"
  done
  "$OCTAVO" merge "$dir/3" "$dir/1" "$dir/2" --json >"$dir/merged.json"
  same "$dir/whole.json" "$dir/merged.json" || fail "$name: they differ"
  grep -q '"flipped"' "$dir/merged.json" || fail "no answers were merged"
done

# One shard is a whole run; limits and reports are merge's.
run 0 compare "${args[@]}" --save-stats "$dir/all" --metric accuracy
run 0 merge "$dir/all" --require 'accuracy.drop <= 5%' --html "$dir/r.html"
says "WITHIN"
run 1 merge "$dir/all" --max-abs 0
run 1 merge "$dir/all" --require 'acuracy.drop <= 5%'
says "nothing of this name was measured"

run 2 merge "$dir/1" "$dir/2"
says "shard 3 of 3 is missing"
run 2 merge "$dir/1" "$dir/2" "$dir/3" "$dir/2"
says "shard 2 of 3 is there twice"
run 2 merge "$dir/1" "$dir/all"
says "is of another comparison than shard 1: their"
run 2 compare "${args[@]}" --shard 1/3
says "--save-stats"
run 2 compare "${args[@]}" --shard 1/3 --save-stats "$dir/x" --max-abs 1
says "octavo merge"
for bad in 0/3 4/3 1 x/2 1/2x; do
  run 2 compare "${args[@]}" --shard $bad --save-stats "$dir/x"
done
run 2 compare "${args[@]}" --shard 1/999 --save-stats "$dir/x"
says "cannot be parted"
run 2 compare "${args[@]}" --save-stats "$model"
says "is no file of statistics"
[[ ! -e $dir/x ]] || fail "a mistake left a file"
head -c 3000 "$dir/1" >"$dir/cut"
run 2 merge "$dir/cut"
says "truncated"
run 2 merge "$model"
says "no file of statistics"
