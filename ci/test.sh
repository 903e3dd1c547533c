#!/usr/bin/env bash
# The two commands of the README, as they stand there.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --release
cargo test --workspace
