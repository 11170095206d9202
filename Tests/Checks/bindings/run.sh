#!/usr/bin/env bash
# libotp from other languages: the runner of vectors, the Python package, the Rust crate, and foreign functions.
#
#   run.sh [runner|python|rust|ffi]
set -euo pipefail
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- runner python rust ffi
for part in "$@"; do "./$part.sh"; done
