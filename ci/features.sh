#!/usr/bin/env bash
# The library and linetape-flow without default features, and with each feature
# alone. The feature `serde` of linetape-session. linetape-tools without owned
# types.
set -euo pipefail
cd "$(dirname "$0")/.."
# Tests that need owned messages are excluded then. The others are only
# compiled: they run with the default features, on the same code.
cargo check --package linetape --no-default-features
cargo check --package linetape-tests --no-default-features --tests
each_feature() { # a package, and its manifest
  for feature in $(awk '/^\[/ { on = /^\[features\]/ }
    on && /^[a-z0-9_-]+ *=/ && $1 != "default" { print $1 }' "$2"); do
    echo "$1: feature $feature"
    cargo check --package "$1" --no-default-features --features "$feature"
  done
}
each_feature linetape Cargo.toml
# The tests of linetape-flow that need a feature are excluded without it. With
# all features, its tests are more than in a workspace build.
cargo check --package linetape-flow --no-default-features --lib --test it
each_feature linetape-flow crates/flow/Cargo.toml
cargo test --package linetape-flow --all-features
# Another crate in a user's dependency tree can change the number types of
# simd-json. Not optimised, which saves minutes of compiling; frames on the
# stack are larger then.
LINETAPE_STACK=1024 cargo test --package linetape --package linetape-tests \
  --config profile.test.package.linetape.opt-level=0 \
  --features simd-json/ordered-float,simd-json/128bit \
  --test decode
cargo check --package linetape-tools --no-default-features --lib
# In a workspace build, `Serialize` for totals and findings is disabled.
cargo test --package linetape-session --all-features --lib --test it serde
