#!/usr/bin/env bash
# Every crate can be packaged, and its manifest is complete. The packages are
# not built: `cargo package` without `--no-verify` does that.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
package() {
  # Dirty, because a change is checked before it is committed.
  # These two are not published.
  cargo package --workspace --exclude linetape-tests --exclude xtask \
    --no-verify --allow-dirty "$@" 2>&1 | tee "$log"
}
# Without a network, the index from earlier builds is used.
package || package --offline
if grep -q 'manifest has no' "$log"; then
  echo "package: a manifest is not complete" >&2
  exit 1
fi
# The crates of the engine need those above from a registry, so that they cannot
# be packaged before these are published. Their files are listed.
for crate in arrow sql cluster; do
  files=$(cd engine && cargo package --locked --allow-dirty --list \
    -p "linetape-$crate")
  for file in Cargo.toml README.md src/lib.rs; do
    if ! grep -qx "$file" <<<"$files"; then
      echo "package: linetape-$crate has no $file" >&2
      exit 1
    fi
  done
done
for manifest in Cargo.toml crates/*/Cargo.toml engine/{arrow,sql,cluster}/Cargo.toml; do
  if grep -q '^publish = false' "$manifest"; then
    continue
  fi
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
