#!/usr/bin/env bash
# The comparison with other engines passes the lints, builds, and all results
# agree.
set -euo pipefail
cd "$(dirname "$0")/../benches/peers"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-../../target}/peers"
cargo fmt --check
cargo clippy --all-targets -- -D warnings
cargo test --release --quiet
# Without the second build, which is only for the speed of sonic-rs.
./run --quick --no-native
