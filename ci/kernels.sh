#!/usr/bin/env bash
# Every kernel, and every build of simd-json, says the same about the logs of
# LINETAPE_CORPUS and LINETAPE_CONFORMANCE, and about generated ones.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
logs=()
for folder in "${LINETAPE_CORPUS:-../shared/corpus}" \
  "${LINETAPE_CONFORMANCE:-../shared/conformance}"; do
  if [[ -d $folder ]]; then
    logs+=("$(realpath "$folder")")
  else
    echo "skipped: there is no $folder"
  fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What each kernel says in the build that is made here.
replay() {
  echo "-- $1" | tee -a "$scratch/report"
  cargo build --quiet --release --package linetape-generate --example replay
  local program=$CARGO_TARGET_DIR/release/examples/replay
  "$program" | tee -a "$scratch/report"
  if ((${#logs[@]})); then
    "$program" "${logs[@]}" | tee -a "$scratch/report"
  fi
}

CARGO_TARGET_DIR=$target replay "simd-json as it is"
mkdir "$scratch/copy"
cp -R Cargo.toml Cargo.lock README.md src tests examples benches cli generate \
  "$scratch/copy"
cd "$scratch/copy"
sed -i.old '/"runtime-detection",/d' Cargo.toml
if cmp -s Cargo.toml Cargo.toml.old; then
  echo "there is no feature to leave out" >&2
  exit 1
fi
CARGO_TARGET_DIR=$target/kernels/plain \
  replay "simd-json without run-time detection"
CARGO_TARGET_DIR=$target/kernels/native RUSTFLAGS="-C target-cpu=native" \
  replay "simd-json without run-time detection, built for this CPU"

# One digest for the generated logs, and one for the others.
digests=$(sed '/^--/d; s/ [a-z0-9]*,//' "$scratch/report" | sort -u)
if (($(wc -l <<<"$digests") != (${#logs[@]} ? 2 : 1))); then
  echo "builds differ:" "$digests" >&2
  exit 1
fi
echo "all agree"
