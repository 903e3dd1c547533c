#!/usr/bin/env bash
# Every crate can be packaged, and its manifest is complete. The packages are
# not built: `cargo package` without `--no-verify` does that.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
package() {
  # Dirty, because a change is checked before it is committed.
  # linetape-tests is not published.
  cargo package --workspace --exclude linetape-tests --no-verify \
    --allow-dirty "$@" 2>&1 | tee "$log"
}
# Without a network, the index from earlier builds is used.
package || package --offline
if grep -q 'manifest has no' "$log"; then
  echo "package: a manifest is not complete" >&2
  exit 1
fi
for manifest in Cargo.toml crates/*/Cargo.toml; do
  for key in description license repository readme keywords categories \
    rust-version; do
    if ! grep -Eq "^$key(\.workspace)? = " "$manifest"; then
      echo "package: $manifest has no $key" >&2
      exit 1
    fi
  done
  if ! grep -q '^\[package.metadata.docs.rs\]' "$manifest"; then
    echo "package: $manifest has no settings for docs.rs" >&2
    exit 1
  fi
done
