#!/usr/bin/env bash
# Every example of the library, of linetape-session and of linetape-flow runs
# without arguments.
set -euo pipefail
cd "$(dirname "$0")/.."
run() { # a package, the folder of its examples, and options of cargo
  for example in "$2"/*.rs; do
    # In the profile of the tests, which have built it already.
    cargo run --quiet --profile test --package "$1" "${@:3}" \
      --example "$(basename "$example" .rs)" >/dev/null
    echo "$example ran"
  done
}
run linetape examples
run linetape-session crates/session/examples
run linetape-flow crates/flow/examples --all-features
