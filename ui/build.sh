#!/usr/bin/env bash
# build.sh OUT: the page's files in OUT. CMake calls it when a source has changed. Where node or its packages
# can't be had (no network), a page that says so takes its place, and the build goes on.
set -euo pipefail
out=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
stamp=node_modules/.installed

have_packages() {
  command -v node >/dev/null || return 1
  cmp -s package-lock.json "$stamp" && return
  npm ci --no-fund --no-audit --ignore-scripts --loglevel=error --prefer-offline >&2 || return 1
  cp package-lock.json "$stamp"
}

mkdir -p "$out"
if ! have_packages; then
  echo "warning: the page is not built: node, npm or its packages can't be had" >&2
  cp src/without/* src/icon.svg "$out"
  exit
fi
node_modules/.bin/tsc --project .
node build.mjs "$out"
