#!/usr/bin/env bash
# The library without default features, and with each feature alone.
set -euo pipefail
cd "$(dirname "$0")/.."
features=$(cargo metadata --no-deps --format-version 1 |
  sed 's/.*"name":"linetape",//; s/.*"features":{\([^}]*\)}.*/\1/' |
  grep -o '"[a-z0-9_-]*":\[' | tr -d '":[' || true)
cargo check --package linetape --no-default-features
for feature in $features; do
  cargo check --package linetape --no-default-features --features "$feature"
done
