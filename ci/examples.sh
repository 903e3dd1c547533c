#!/usr/bin/env bash
# Every example runs without arguments.
set -euo pipefail
cd "$(dirname "$0")/.."
# In the profile of the tests, which have built them already.
cargo build --workspace --examples --profile test
for example in examples/*.rs crates/*/examples/*.rs; do
  "${CARGO_TARGET_DIR:-target}/debug/examples/$(basename "$example" .rs)" \
    >/dev/null
  echo "$example ran"
done
