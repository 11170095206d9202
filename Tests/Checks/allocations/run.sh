#!/usr/bin/env bash
# No verification allocates memory, counted by an allocator of the check's own.
set -euo pipefail
cd "$(dirname "$0")"
build=../../../.build-allocations
swift build -c release --scratch-path "$build"
"$build/release/allocations-check"
