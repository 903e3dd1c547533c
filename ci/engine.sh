#!/usr/bin/env bash
# The engine: format, clippy, documentation and tests (those of the cluster
# start a scheduler and executors on this machine), a query on the sample, and
# its Parquet files read by DuckDB and Polars. A debug build, because optimising
# 350 packages takes longer than running them. Always the whole workspace: of
# one package, DataFusion has other features and is compiled once more.
set -euo pipefail
cd "$(dirname "$0")/../engine"
# Its profiles are those of its manifest.
unset CARGO_PROFILE_RELEASE_OPT_LEVEL CARGO_PROFILE_BENCH_OPT_LEVEL
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}"
cargo fmt --all --check
echo "-- tests, after $SECONDS s"
cargo test --workspace
echo "-- clippy, after $SECONDS s"
# Clippy and rustdoc check the dependencies once more, which takes minutes.
cargo clippy --workspace --all-targets -- -D warnings
echo "-- documentation, after $SECONDS s"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
echo "-- commands, after $SECONDS s"
program="$CARGO_TARGET_DIR/debug/linetape-sql"
"$program" "SELECT model, count(*) AS messages,
  sum(output_tokens) AS output_tokens FROM usage GROUP BY model" \
  ../crates/cli/sample
if command -v python3 >/dev/null; then
  python3 ../ci/engine-parquet.py "$program" ../tests/data ../crates/cli/sample
else
  echo "engine-parquet: skipped: there is no python3"
fi
