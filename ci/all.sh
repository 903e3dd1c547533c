#!/usr/bin/env bash
# Every check: those of .ci/run, and those that take long or need tools that may
# be absent. Takes hours.
set -euo pipefail
cd "$(dirname "$0")/.."
bash .ci/run
source ci/steps.sh
# Runs a script of Python.
with_python() {
  if command -v python3 > /dev/null; then
    "$@"
  else
    echo "skipped: there is no python3"
  fi
}

step features ci/features.sh
step examples ci/examples.sh
step benches ci/bench.sh
step engine ci/engine.sh --all
step kernels ci/kernels.sh
step abort ci/abort.sh
step complexity ci/complexity.sh
step valgrind ci/valgrind.sh
step sanitize ci/sanitize.sh
step properties ci/properties.sh
step faults ci/faults
step fuzz ci/fuzz.sh
step peers ci/peers.sh
step world with_python ci/world
step browser with_python ci/browser
step soak ci/soak.sh 4
step weight ci/weight --timed
summary
