#!/usr/bin/env bash
# Runs every bench once, and compares its result with the expected one.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo bench --package linetape -- --test
