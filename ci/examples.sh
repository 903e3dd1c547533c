#!/usr/bin/env bash
# Every example runs.
set -euo pipefail
cd "$(dirname "$0")/.."
for example in examples/*.rs; do
  # In the profile of the tests, which have built it already.
  cargo run --quiet --profile test --example "$(basename "$example" .rs)" \
    >/dev/null
  echo "$example ran"
done
