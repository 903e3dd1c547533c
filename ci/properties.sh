#!/usr/bin/env bash
# Runs every property test with many cases: ci/properties.sh [CASES], 100,000
# by default. Then runs all tests of all packages with LINETAPE_EXHAUSTIVE, and
# so with all that everyday runs leave out. The tests are built with more
# optimisation than in `cargo test`, because they run longer.
#
# A property test is a test inside `proptest!`. They are found in the source,
# so that none is forgotten, and each runs in a separate process, so that slow
# ones are visible.
set -euo pipefail
cd "$(dirname "$0")/.."
export PROPTEST_CASES="${1:-100000}" LINETAPE_EXHAUSTIVE=1
optimised=(--config profile.test.package.linetape.opt-level=2
  --config profile.test.package.linetape-tests.opt-level=2)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mapfile -t files < <(grep -rl '^ *proptest! {' src tests --include='*.rs' | sort)

# Prints the names of the property tests in a file. Fails for a test that does
# not use the number of cases: it would run with few, and appear to have run
# with many.
properties_of() {
  awk '
    /^ *proptest! \{/ { inside = 1; indent = match($0, /p/); asks = 0; next }
    inside && /cases\(|ProptestConfig::default\(\)/ { asks = 1 }
    inside && /#\[test\]/ { is_next = 1; next }
    inside && is_next && match($0, /fn [a-z0-9_]+/) {
      print substr($0, RSTART + 3, RLENGTH - 3)
      is_next = 0
    }
    inside && /^ *\}/ && match($0, /\}/) == indent {
      inside = 0
      if (!asks) { print FILENAME ": proptest! without a config" > "/dev/stderr"; bad = 1 }
    }
    END { exit bad }
  ' "$1"
}

targets=()
for file in "${files[@]}"; do
  properties_of "$file" >> "$work/names"
  case $file in
    src/*) targets+=(--test inside) ;;
    tests/it/*) targets+=(--test it) ;;
    tests/support/* | tests/oracle/*) ;;
    tests/*) targets+=(--test "$(basename "$file" .rs)") ;;
  esac
done
mapfile -t targets < <(printf '%s\n' "${targets[@]}" | awk '
  $0 == "--test" { next }
  !seen[$0]++ { print "--test"; print }')
expected=$(wc -l < "$work/names")

cargo test "${optimised[@]}" \
  --package linetape-tests "${targets[@]}" --no-run 2>&1 | tee "$work/build"
sed -n 's/^ *Executable .* (\(.*\))$/\1/p' "$work/build" > "$work/binaries"

begin=$SECONDS
# Prints the same name as a path in the test binary: `module::tests::name`.
while read -r binary; do
  "$binary" --list 2> /dev/null | sed -n 's/: test$//p' | while read -r test; do
    if grep -qx "${test##*::}" "$work/names"; then echo "$binary $test"; fi
  done
done < "$work/binaries" > "$work/jobs"
found=$(wc -l < "$work/jobs")
if [ "$found" != "$expected" ]; then
  echo "$expected properties in the source, but $found in the tests" >&2
  exit 1
fi

run_one() { # the folder, a binary, and the name of a test
  local log="$1/$3.log" state=ok seconds TIMEFORMAT=%U
  # CPU seconds, so that other work on the machine does not count.
  seconds=$({ time "$2" --exact "$3" > "$log" 2>&1; } 2>&1) || state=FAILED
  grep -q '^test result: ok. 1 passed' "$log" || state=FAILED
  if [ "$state" = FAILED ]; then cat "$log"; fi
  printf '%-6s %8s s  %s %s\n' "$state" "$seconds" \
    "$(basename "${2%-*}")" "$3" | tee -a "$1/results"
}
export -f run_one
xargs -P "$(nproc)" -L 1 bash -c 'run_one "$0" "$@"' "$work" < "$work/jobs"

ran=$(grep -c '^ok' "$work/results" || true)
echo "$ran of $expected properties hold, $PROPTEST_CASES cases each, $((SECONDS - begin)) s"
[ "$ran" = "$expected" ]

env -u PROPTEST_CASES cargo test "${optimised[@]}" --workspace
