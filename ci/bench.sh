#!/usr/bin/env bash
# Every bench runs once, as a test of its answer.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo bench --package linetape -- --test
