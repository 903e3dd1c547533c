#!/usr/bin/env bash
# Every check, but for the long ones.
set -euo pipefail
here=$(dirname "$0")
# Nothing is built twice here, and nobody debugs it.
export CARGO_INCREMENTAL=0
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0
export CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_BENCH_DEBUG=0
for check in lint.sh test.sh features.sh examples.sh bench.sh \
  fuzz-build.sh package.sh "bench-gate --speed" "peers.sh lint"; do
  echo "== ci/$check"
  # Unquoted, so that an argument is one.
  bash "$here"/$check
done
