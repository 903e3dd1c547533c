#!/usr/bin/env bash
# Every example runs.
set -euo pipefail
cd "$(dirname "$0")/.."
for example in examples/*.rs; do
  cargo run --quiet --example "$(basename "$example" .rs)" >/dev/null
  echo "$example ran"
done
