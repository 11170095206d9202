#!/usr/bin/env bash
# The SQLite store, and sign-ins on it, by several processes at once, under SIGKILL at random moments, and in processes
# that exit in the middle of their work.
#
#   KILLS=200 SEED=7 run.sh   this many kills, at moments that the seed determines
set -euo pipefail
program=$("$(dirname "$0")/../build.sh" processes-check)
"$program"

# Other names of the store's file, one of them a mount, as in a container.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/store"
touch "$work/mounted.sqlite"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(--map-root-user)
unshare "${as_root[@]}" --mount "$program" names "$work/store" "$work/mounted.sqlite"
