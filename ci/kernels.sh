#!/usr/bin/env bash
# Every kernel, and every build of simd-json, returns the same results for all
# logs.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Prints the digest of each kernel, with the library of a folder.
replay() {
  echo "-- simd-json $3"
  CARGO_TARGET_DIR=$2 cargo build --quiet --release \
    --manifest-path "$1/tests/Cargo.toml" --example replay
  "$2/release/examples/replay" | tee -a "$scratch/report"
}
replay . "$target" "as it is"
cp -R Cargo.toml Cargo.lock README.md src tests examples benches crates \
  "$scratch"
sed -i.old '/"runtime-detection",/d' "$scratch/Cargo.toml"
if cmp -s "$scratch/Cargo.toml" "$scratch/Cargo.toml.old"; then
  echo "there is no feature to leave out" >&2
  exit 1
fi
replay "$scratch" "$target/kernels" "without run-time detection"
RUSTFLAGS="-C target-cpu=native" replay "$scratch" "$target/kernels-native" \
  "without run-time detection, built for this CPU"

if [[ $(cut -d ' ' -f 1 "$scratch/report" | sort -u | wc -l) != 1 ]]; then
  echo "they differ" >&2
  exit 1
fi
echo "all agree"
