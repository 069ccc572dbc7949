#!/usr/bin/env bash
# The pages: what they say of commands, flags, links and files is there, and
# the two READMEs have the same commands and the same numbers. Needs no
# runtime: only help texts are asked for.
source "$(dirname "$0")/lib.sh"
cd "$OCTAVO_SOURCE_DIR"
pages=(README.md README.zh-CN.md docs/*.md)
bad=0
wrong() {
  echo "$*"
  bad=$((bad + 1))
}

declare -A flags
commands=$("$OCTAVO" --help | sed -n '/^Subcommands:/,$p' |
  sed -nE 's/^  ([a-z]+) .*/\1/p')
[[ $commands == *quantize*doctor* ]] || fail "no subcommands in the help"
for command in $commands; do
  flags[$command]=" $("$OCTAVO" "$command" --help |
    grep -oE '(^ +|,)--?[a-z][a-z-]*' | tr -d ' ,' | tr '\n' ' ') "
done
all_flags=" --help --version ${flags[*]} "

# Every `octavo COMMAND ... --flag`: one line a command, continued lines joined,
# cut where another command or plain text begins.
for page in "${pages[@]}"; do
  while IFS= read -r line; do
    [[ $line =~ ^octavo\ ([a-z]+)(.*) ]] || continue
    command=${BASH_REMATCH[1]} rest=${BASH_REMATCH[2]}
    [[ -n ${flags[$command]-} ]] || continue # prose: "octavo is"
    for flag in $(grep -oE '(^|[ [(])--?[a-z][a-z-]*' <<<"$rest" | tr -d ' [('); do
      [[ ${flags[$command]} == *" $flag "* ]] ||
        wrong "$page: octavo $command has no flag $flag"
    done
  done < <(sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$page" |
    sed 's/octavo [a-z]/\n&/g' | sed 's/[`|;#].*//')

  # Flags in running text belong to some command of octavo.
  for flag in $(grep -oE '`--[a-z][a-z-]*' "$page" | tr -d '`' | sort -u); do
    [[ $all_flags == *" $flag "* ]] || wrong "$page: no command has $flag"
  done
  # `octavo WORD` names a command; only the design may name planned ones.
  for word in $(grep -oE '`octavo [a-z]+' "$page" | cut -d' ' -f2 | sort -u); do
    [[ $page == docs/design.md || -n ${flags[$word]-} ]] ||
      wrong "$page: there is no command octavo $word"
  done

  # Links within the repository, and the headings that they name.
  for link in $(grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/)$//'); do
    [[ $link == http* ]] && continue
    file=${link%%#*}
    file=${file:+$(dirname "$page")/$file}
    file=${file:-$page}
    [[ -e $file ]] || { wrong "$page: the link $link leads nowhere" && continue; }
    [[ $link == *'#'* ]] || continue
    sed -nE 's/^#+ (.*)/\1/p' "$file" | tr 'A-Z ' 'a-z-' |
      sed 's/[^a-z0-9-]//g' | grep -qxF -- "${link#*#}" ||
      wrong "$page: $file has no heading for $link"
  done
done

# Every flag of the command stands in a reference.
for flag in $(tr ' ' '\n' <<<"${flags[*]}" | grep -E '^--' | sort -u); do
  [[ $flag == --help || $flag == --version ]] ||
    grep -qF -- "\`$flag" docs/{quantize,inspect,compare,run,tune,bench}.md ||
    wrong "no reference explains $flag"
done

# Code blocks, fenced or indented: the commands and the pasted output.
blocks() {
  awk '/^```/ { inside = !inside; print; next } inside || /^    / { print }' "$1"
}
numbers() { grep -oE '[0-9]+([.,][0-9]+)*' "$1" | sort; }
diff <(blocks README.md | sed 's/ *#.*//') \
  <(blocks README.zh-CN.md | sed 's/ *#.*//') ||
  wrong "README.md and README.zh-CN.md differ in their commands"
diff <(numbers README.md) <(numbers README.zh-CN.md) ||
  wrong "README.md and README.zh-CN.md differ in their numbers"
((bad == 0))
