#!/usr/bin/env bash
# With `panic = "abort"`, as in all release builds, the replay and every command
# must survive all logs: any panic, even a caught one, would end the process.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/abort"
# An overflow is a panic as well.
export CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true
cargo run --release --package linetape-tests --example replay
cargo build --release --package linetape-cli --features convert
logs=(tests/data crates/cli/sample crates/cli/tests/snapshots)
corpus=${LINETAPE_CORPUS:-../shared/corpus}
if [[ -d $corpus ]]; then
  logs+=("$corpus")
else
  echo "skipped: there is no $corpus"
fi
for command in stats "stats --peek" usage "usage --peek" select \
  "select --tool Bash" show "show --full" "check --notes" schema normalize; do
  for salvage in "" --salvage; do
    code=0
    # Unquoted, so that the options are split into words.
    "$CARGO_TARGET_DIR/release/linetape" $command $salvage "${logs[@]}" \
      >/dev/null 2>&1 || code=$?
    # 1 means that there are bad lines, as expected.
    if ((code > 1)); then
      echo "linetape $command $salvage ended with $code" >&2
      exit 1
    fi
    echo "linetape $command $salvage ended with $code"
  done
done
