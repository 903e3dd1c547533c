#!/usr/bin/env bash
# Runs every bench once, and compares its result with the expected one. In the
# profile of the tests, which have built the libraries already.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --workspace --bench '*'
