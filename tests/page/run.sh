#!/usr/bin/env bash
# run.sh BINARY [test file... | screenshots.mjs]: the page's tests in Chromium, or the pictures of docs/images.
set -euo pipefail
export LMWARDEN
LMWARDEN=$(realpath "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")"
stamp=node_modules/.installed
if ! cmp -s package-lock.json "$stamp"; then
  npm ci --no-fund --no-audit --ignore-scripts --loglevel=error --prefer-offline >&2
  cp package-lock.json "$stamp"
fi
# Debian 12's Node is too old for playwright-core: the one of the client tests is taken then.
if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
  PATH=$(cd ../clients && python3 -c 'import install; print(install.node())'):$PATH
fi
if [ "${1:-}" = screenshots.mjs ]; then exec node screenshots.mjs ../../docs/images; fi
[ $# -gt 0 ] || set -- *.test.mjs
exec node --test --test-concurrency=2 "$@"
