# Runs checks one after the other, and sums up: for .ci/run and ci/all.sh.

# No incremental builds and no debug information: neither is needed here.
export CARGO_INCREMENTAL=0
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0
skipped=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs a check: a name, and a command. A check that cannot be run here prints a
# line with "skipped: " and the reason, and passes.
step() {
  local name=$1
  shift
  echo "== $name, after $SECONDS s: $*"
  # No check reads standard input.
  "$@" < /dev/null 2>&1 | tee "$log"
  local why
  why=$(sed -nE 's/^([A-Za-z -]+: )?skipped: //p' "$log" | sort -u |
    paste -sd ';')
  [[ -z $why ]] || skipped+=("$name: $why")
}

# Prints how long it took, and what was skipped.
summary() {
  echo "== all passed, after $SECONDS s; ${#skipped[@]} skipped"
  local name
  for name in "${skipped[@]}"; do echo "skipped: $name"; done
}
