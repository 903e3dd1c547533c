#!/usr/bin/env bash
# `ci/soak.sh GIB` reads that much data with one reader, once decoded and once
# peeked. All lines must arrive unchanged, and memory must not grow.
set -euo pipefail
cd "$(dirname "$0")/.."
export LINETAPE_SOAK_MIB=$((${1:-10} * 1024))
cargo test --release --package linetape-tests --test soak -- \
  --nocapture --test-threads 1
