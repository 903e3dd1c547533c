#!/usr/bin/env bash
# Runs the replay under valgrind, which does not support AVX-512: those kernels
# are not tested.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v valgrind >/dev/null; then
  echo "skipped: there is no valgrind"
  exit
fi
cargo build --quiet --release --package linetape-tests --example replay
valgrind --error-exitcode=1 --leak-check=full \
  "${CARGO_TARGET_DIR:-target}/release/examples/replay" "$@"
