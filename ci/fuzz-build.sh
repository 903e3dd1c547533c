#!/usr/bin/env bash
# The fuzz targets compile. They are run by ci/fuzz.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! cargo +nightly --version >/dev/null 2>&1; then
  echo "skipped: no nightly"
  exit
fi
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/fuzz"
cargo +nightly check --manifest-path fuzz/Cargo.toml --bins
