#!/usr/bin/env bash
# The library without default features, and with each feature alone.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --package linetape --no-default-features --lib --tests
features=$(awk '/^\[/ { on = /^\[features\]/ }
  on && /^[a-z0-9_-]+ *=/ && $1 != "default" { print $1 }' Cargo.toml)
for feature in $features; do
  echo "feature $feature"
  cargo check --package linetape --no-default-features --features "$feature"
done
