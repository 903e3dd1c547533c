#!/usr/bin/env bash
# Every example of the library and of linetape-session runs without arguments.
set -euo pipefail
cd "$(dirname "$0")/.."
run() { # a package, and the folder of its examples
  for example in "$2"/*.rs; do
    # In the profile of the tests, which have built it already.
    cargo run --quiet --profile test --package "$1" \
      --example "$(basename "$example" .rs)" >/dev/null
    echo "$example ran"
  done
}
run linetape examples
run linetape-session crates/session/examples
