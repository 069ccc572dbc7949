# What the scripts of this folder share; sourced, not run. $OCTAVO is the
# command, $dir a folder of the script's own, $models the shipped models.
set -euo pipefail
models=$OCTAVO_SOURCE_DIR/models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# run CODE ARGS...: octavo must end with CODE; $out holds all that it said.
run() {
  local want=$1 got=0
  shift
  out=$("$OCTAVO" "$@" 2>&1) || got=$?
  [[ $got == "$want" ]] || fail "exit $got, not $want: octavo $*"
}
says() {
  local text=${out//$'\n'/ }
  [[ $text == *"$1"* ]] || fail "does not say '$1'"
}
fail() {
  echo "$1; it said:"
  echo "${out-}"
  exit 1
}
# Nothing but these names may be in $dir/$1.
holds() {
  local folder=$dir/$1 found wanted=
  shift
  found=$(ls -A "$folder" | sort)
  (($#)) && wanted=$(printf '%s\n' "$@" | sort)
  [[ $found == "$wanted" ]] || fail "$folder holds: ${found//$'\n'/ }"
}
need_runtime() {
  "$OCTAVO" doctor >/dev/null 2>&1 || exit 77
}
