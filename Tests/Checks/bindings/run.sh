#!/usr/bin/env bash
# libotp from other languages: the runner of vectors, the Python package, and the Rust crate.
#
#   run.sh [runner|python|rust]
set -euo pipefail
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- runner python rust
for part in "$@"; do "./$part.sh"; done
