#!/usr/bin/env bash
# No verification allocates memory, counted by an allocator of the check's own.
set -euo pipefail
program=$("$(dirname "$0")/../build.sh" allocations-check)
"$program"
