#!/usr/bin/env bash
# Every check.
set -euo pipefail
here=$(dirname "$0")
for check in lint test features examples bench peers; do
  echo "== ci/$check.sh"
  bash "$here/$check.sh"
done
