#!/usr/bin/env bash
# What is no model, or cannot be read or written: one sentence, exit 2, and
# nothing left behind.
. "$(dirname "$0")/lib.sh"
mkdir "$dir/in" "$dir/out"
good=$models/digits_mlp.onnx

# refuses FILE SENTENCE
refuses() {
  run 2 quantize "$1" -o "$dir/out/o.onnx" --no-check
  says "octavo: error: "
  says "$2"
  [[ $(wc -l <<<"$out") == 1 ]] || fail "more than one line"
  rmdir "$dir/out" || fail "something was left in the output folder"
  mkdir "$dir/out"
}

refuses "$dir/in/none.onnx" "there is no such file"
refuses "$dir/in" "this is a directory"
: >"$dir/in/empty.onnx"
refuses "$dir/in/empty.onnx" "the file is empty"
head -c 30000 "$good" >"$dir/in/cut.onnx"
refuses "$dir/in/cut.onnx" "it is cut off or damaged"
printf 'PK\003\004 and more' >"$dir/in/zip.onnx"
refuses "$dir/in/zip.onnx" "zip archive"
printf '<!DOCTYPE html><html>' >"$dir/in/page.onnx"
refuses "$dir/in/page.onnx" "web page"
printf '\030\000\000\000ORTM and more' >"$dir/in/m.ort"
refuses "$dir/in/m.ort" ".ort format"
printf 'version https://git-lfs.github.com/spec/v1' >"$dir/in/lfs.onnx"
refuses "$dir/in/lfs.onnx" "Git LFS pointer"
head -c 5000 /dev/urandom >"$dir/in/noise.onnx"
run 2 quantize "$dir/in/noise.onnx" -o "$dir/out/o.onnx"
mkfifo "$dir/in/pipe"
chmod 000 "$dir/in/zip.onnx"
if ! cat "$dir/in/zip.onnx" >/dev/null 2>&1; then
  refuses "$dir/in/zip.onnx" "may not be read by this user"
fi

# Outputs that cannot be.
run 2 quantize "$good" -o "$dir/none/o.onnx"
says "create the folder first"
run 2 quantize "$good" -o "$dir/out"
says "this is a directory"
run 2 quantize "$good" -o "$good" --force
says "the original itself"
cmp -s "$good" "$models/digits_mlp.onnx" || fail "the original was touched"
if [[ -d /sys/kernel ]] && ! touch /sys/kernel/octavo-test 2>/dev/null; then
  run 2 quantize "$good" -o /sys/kernel/octavo-test.onnx
  says "cannot be written"
fi
# No room: a limit on the size of files stands for a full disk.
(
  ulimit -f 8
  run 2 quantize "$good" -o "$dir/out/o.onnx" --no-check
  says "Nothing was changed"
)
holds out

# Words that make no command.
run 2
says "a command was expected, one of 'quantize'"
run 2 quantise "$good"
says "'quantise' is no command; did you mean 'quantize'?"
run 2 quantize "$good" --forse
says "octavo quantize has no flag '--forse'; did you mean '--force'?"
run 2 quantize
says "see octavo quantize --help"
run 2 quantize "$good" --conv sideways
says "sideways"
run 2 quantize "$good" --min-bytes -5
