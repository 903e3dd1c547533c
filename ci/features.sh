#!/usr/bin/env bash
# Every library without default features, and with each feature alone. In the
# tests, they have all features.
set -euo pipefail
cd "$(dirname "$0")/.."
for manifest in Cargo.toml crates/*/Cargo.toml; do
  package=$(sed -n 's/^name = "\(.*\)"$/\1/p;T;q' "$manifest")
  features=$(awk '/^\[/ { on = /^\[features\]/ }
    on && /^[a-z0-9_-]+ *=/ && $1 != "default" { print $1 }' "$manifest")
  if [[ -z $features ]]; then
    continue
  fi
  echo "$package: no features"
  cargo check --package "$package" --no-default-features --lib
  for feature in $features; do
    echo "$package: feature $feature"
    cargo check --package "$package" --no-default-features \
      --features "$feature" --lib
  done
done
# Tests that need owned messages are excluded then. The others are only
# compiled: they run with the default features, on the same code.
cargo check --package linetape-tests --no-default-features --tests
# Another crate in a user's dependency tree can change the number types of
# simd-json. Not optimised, which saves minutes of compiling; frames on the
# stack are larger then.
LINETAPE_STACK=1024 cargo test --package linetape --package linetape-tests \
  --config profile.test.package.linetape.opt-level=0 \
  --features simd-json/ordered-float,simd-json/128bit \
  --test decode
