#!/usr/bin/env bash
# The library without default features, and with each feature alone. The
# feature `serde` of linetape-session.
set -euo pipefail
cd "$(dirname "$0")/.."
# What needs the owned layer is left out of the tests then.
cargo test --package linetape --no-default-features --lib --test it
features=$(awk '/^\[/ { on = /^\[features\]/ }
  on && /^[a-z0-9_-]+ *=/ && $1 != "default" { print $1 }' Cargo.toml)
for feature in $features; do
  echo "feature $feature"
  cargo check --package linetape --no-default-features --features "$feature"
done
# Another crate in a user's tree can change what simd-json's numbers are made of.
cargo test --package linetape \
  --features simd-json/ordered-float,simd-json/128bit \
  --test it decode::
# `Serialize` for totals and findings is off in a build of the workspace.
cargo test --package linetape-session --all-features --lib --test it serde
