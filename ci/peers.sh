#!/usr/bin/env bash
# The comparison with other engines is tidy, builds, and all answers agree.
# `ci/peers.sh lint` stops at the first: to build all engines takes minutes.
set -euo pipefail
cd "$(dirname "$0")/../benches/peers"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-../../target}/peers"
cargo fmt --check
cargo clippy --all-targets -- -D warnings
if [[ ${1:-} == lint ]]; then
  exit
fi
cargo test --release --quiet
# Without the second build, which is for the speed of sonic-rs alone.
./run --quick --no-native
