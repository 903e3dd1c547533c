#!/usr/bin/env bash
# Runs every fuzz target for a while: ci/fuzz.sh [SECONDS [TARGET...]]
# Needs a nightly compiler and cargo-fuzz (`cargo install cargo-fuzz`), and
# prints a message if they are missing. FUZZ_SANITIZER=none is about five times
# as fast as AddressSanitizer, FUZZ_RUNS=N stops after N executions, and
# FUZZ_MAX_LEN is the maximum length of inputs in bytes, 4,096 by default.
# Prints a row for each target: the date, the target, the sanitizer, executions,
# seconds, edges and the outcome.
set -euo pipefail
cd "$(dirname "$0")/.."
# Without a time, a number of executions is the only limit.
seconds=${1:-$([ -n "${FUZZ_RUNS:-}" ] && echo 0 || echo 60)}
targets=("${@:2}")
sanitizer=${FUZZ_SANITIZER:-address}
max_len=${FUZZ_MAX_LEN:-4096}
if ! cargo +nightly --version > /dev/null 2>&1; then
  echo "fuzz: skipped: there is no nightly compiler"
  exit 0
fi
if ! cargo fuzz --version > /dev/null 2>&1; then
  echo "fuzz: skipped: there is no cargo-fuzz"
  exit 0
fi
if [ ${#targets[@]} -eq 0 ]; then
  mapfile -t targets < <(ls fuzz/fuzz_targets | sed 's/\.rs$//')
fi
cargo +nightly fuzz build --sanitizer "$sanitizer"
# Every line of the fixtures is a seed.
rm -rf fuzz/corpus/fixtures
mkdir -p fuzz/corpus/fixtures
cat tests/data/*.jsonl | split -l 1 -d -a 4 - fuzz/corpus/fixtures/line-
failed=0
for target in "${targets[@]}"; do
  mkdir -p "fuzz/corpus/$target"
  log=$(mktemp)
  start=$SECONDS
  outcome="nothing"
  # No input should take even one second; the limit is ten. AddressSanitizer
  # itself takes half of the memory.
  cargo +nightly fuzz run --sanitizer "$sanitizer" "$target" \
    "fuzz/corpus/$target" fuzz/corpus/fixtures fuzz/seeds fuzz/regressions -- \
    -dict=fuzz/dictionary.txt -max_len="$max_len" -timeout=10 -rss_limit_mb=1024 \
    -max_total_time="$seconds" -runs="${FUZZ_RUNS:--1}" \
    -print_final_stats=1 > "$log" 2>&1 || { outcome="FAILED"; failed=1; }
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  edges=$(grep -o ' cov: [0-9]*' "$log" | tail -n 1 | grep -o '[0-9]*' || true)
  echo "| $(date +%F) | \`$target\` | $sanitizer | ${runs:-?} |" \
    "$((SECONDS - start)) | ${edges:-?} | $outcome |"
  if [ "$outcome" = FAILED ]; then
    tail -n 40 "$log"
  fi
  rm -f "$log"
done
exit "$failed"
