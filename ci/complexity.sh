#!/usr/bin/env bash
# Shows that time is linear: valgrind counts the instructions for every input
# of tests/support/adversaries.rs and every way of reading of
# tests/complexity.rs, at 200 and 400 kB. Prints the ratios, and fails if one
# is above 2.3. Takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v valgrind > /dev/null; then
  echo "complexity: skipped: there is no valgrind"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo test --package linetape-tests --test complexity --no-run 2>&1 | tee "$work/build"
binary=$(sed -n 's/^ *Executable .* (\(.*\))$/\1/p' "$work/build")

# Each call of the mark writes a file with the counts since the last call.
valgrind --tool=callgrind --callgrind-out-file="$work/count" \
  --dump-before='*complexity_mark*' \
  "$binary" --ignored --exact every_adversary_every_way --nocapture \
  > "$work/cases" 2> "$work/log" || { cat "$work/cases" "$work/log"; exit 1; }
cases=$(grep -c '^case' "$work/cases")
marks=$(find "$work" -name 'count.*' | wc -l)
if [ "$marks" != $((2 * cases)) ]; then
  echo "complexity: $marks marks for $cases cases" >&2
  exit 1
fi
# The second mark of a case ends its count.
for case in $(seq "$cases"); do
  sed -n 's/^totals: //p' "$work/count.$((2 * case))"
done > "$work/totals"
grep '^case' "$work/cases" | paste - "$work/totals" | awk -F'\t' '
  !($3 in seen) { seen[$3] = 1; ways[++count] = $3 }
  !($2 in rows) { rows[$2] = 1; names[++adversaries] = $2 }
  ($2, $3) in size {
    grown = $4 / size[$2, $3]
    ratio[$2, $3] = $6 / instructions[$2, $3] * 2 / grown
    if (ratio[$2, $3] > worst) { worst = ratio[$2, $3]; where = $2 ", " $3 }
  }
  { size[$2, $3] = $4; instructions[$2, $3] = $6 }
  END {
    printf "| |"
    for (w = 1; w <= count; w++) printf " %s |", ways[w]
    printf "\n|---|"
    for (w = 1; w <= count; w++) printf "---|"
    for (a = 1; a <= adversaries; a++) {
      printf "\n| %s |", names[a]
      for (w = 1; w <= count; w++) printf " %.2f |", ratio[names[a], ways[w]]
    }
    printf "\n\nThe worst is %.2f (%s); 2.3 is the most.\n", worst, where
    exit worst > 2.3
  }
'
