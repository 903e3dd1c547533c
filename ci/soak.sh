#!/usr/bin/env bash
# `ci/soak.sh GIB`: so much data through one reader, once decoded and once only
# looked at. What comes out is what went in, and memory does not grow.
set -euo pipefail
cd "$(dirname "$0")/.."
export LINETAPE_SOAK_MIB=$((${1:-10} * 1024))
cargo test --release --package linetape --test soak -- \
  --nocapture --test-threads 1
