#!/usr/bin/env bash
# libotp as others get it: installed, with its manual pages and in Go; the runner of vectors, the Python package, the
# Rust crate, and foreign functions.
#
#   run.sh [installation|runner|python|rust|ffi]
set -euo pipefail
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- installation runner python rust ffi
for part in "$@"; do "./$part.sh"; done
