#!/usr/bin/env bash
# The SQLite store, and sign-ins on it, under several processes at once and under SIGKILL at random moments.
#
#   KILLS=200 SEED=7 run.sh   so many kills, at the moments of that seed
set -euo pipefail
program=$("$(dirname "$0")/../build.sh" processes-check)
"$program"
