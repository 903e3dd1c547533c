#!/usr/bin/env bash
# Runs every check except the long ones.
set -euo pipefail
here=$(dirname "$0")
# No incremental builds and no debug information: neither is needed here.
export CARGO_INCREMENTAL=0
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0
export CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_BENCH_DEBUG=0
# The programs only have to run here, so that little optimisation is enough: it
# takes minutes less.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_BENCH_OPT_LEVEL=1
checks=(lint.sh test.sh features.sh examples.sh bench.sh fuzz-build.sh
  package.sh)
for check in "${checks[@]}"; do
  echo "== ci/$check, after $SECONDS s"
  bash "$here/$check"
done
# Says why, if it cannot be run.
if command -v python3 >/dev/null; then
  echo "== ci/world, after $SECONDS s"
  "$here"/world
else
  echo "== ci/world: skipped: there is no python3"
fi
# Says why, if it cannot be run.
if command -v python3 >/dev/null; then
  echo "== ci/browser, after $SECONDS s"
  "$here"/browser
else
  echo "== ci/browser: skipped: there is no python3"
fi
# It has a workspace of its own, and needs a newer Rust.
echo "== ci/engine.sh, after $SECONDS s"
bash "$here"/engine.sh
echo "== all passed, after $SECONDS s"
