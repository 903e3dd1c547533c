#!/usr/bin/env bash
# The two commands of the README, unchanged.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --release
cargo test --workspace
