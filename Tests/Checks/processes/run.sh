#!/usr/bin/env bash
# The SQLite store, and sign-ins on it, by several processes at once, under SIGKILL at random moments, and in processes
# that exit in the middle of their work.
#
#   KILLS=200 SEED=7 run.sh   this many kills, at moments that the seed determines
set -euo pipefail
program=$("$(dirname "$0")/../build.sh" processes-check)
"$program"
