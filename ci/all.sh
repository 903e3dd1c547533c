#!/usr/bin/env bash
# Every check.
set -euo pipefail
here=$(dirname "$0")
for check in lint.sh test.sh features.sh examples.sh bench.sh bench-gate \
  peers.sh; do
  echo "== ci/$check"
  bash "$here/$check"
done
