#!/usr/bin/env bash
# Verification allocates no memory, counted by the check's own allocator.
set -euo pipefail
program=$("$(dirname "$0")/../build.sh" allocations-check)
"$program"
