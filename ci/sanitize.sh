#!/usr/bin/env bash
# Runs the library's tests and the replay under AddressSanitizer, with leak
# detection. Needs nightly.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! cargo +nightly --version >/dev/null 2>&1; then
  echo "skipped: there is no nightly toolchain"
  exit
fi
host=$(rustc --version --verbose | sed -n 's/^host: //p')
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/sanitize"
export RUSTFLAGS="-Zsanitizer=address"
# With the sanitizer, stack frames are several times as large.
export LINETAPE_STACK=2048
cargo +nightly test --target "$host" --package linetape-tests --tests \
  --no-fail-fast
cargo +nightly run --target "$host" --profile test \
  --package linetape-tests --example replay
