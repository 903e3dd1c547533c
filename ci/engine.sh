#!/usr/bin/env bash
# The engine: format, clippy, documentation and tests, a query on the sample,
# and its Parquet files read by DuckDB and Polars. A debug build, because
# optimising 250 packages takes longer than running them.
set -euo pipefail
cd "$(dirname "$0")/../engine"
# Its profiles are those of its manifest.
unset CARGO_PROFILE_RELEASE_OPT_LEVEL CARGO_PROFILE_BENCH_OPT_LEVEL
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}"
cargo fmt --all --check
cargo test --workspace
# Clippy and rustdoc check the dependencies once more, which takes minutes.
cargo clippy --workspace --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
program="$CARGO_TARGET_DIR/debug/linetape-sql"
"$program" "SELECT model, count(*) AS messages,
  sum(output_tokens) AS output_tokens FROM usage GROUP BY model" \
  ../crates/cli/sample
if command -v python3 >/dev/null; then
  python3 ../ci/engine-parquet.py "$program" ../tests/data ../crates/cli/sample
else
  echo "engine-parquet: skipped: there is no python3"
fi
