#!/usr/bin/env bash
# Builds a program of Tests/Checks and prints its path.
#
#   build.sh PROGRAM             as for release
#   build.sh --planted PROGRAM   the same with OTP_CHECKS: OTP_PLANTED plants faults (see otp_planted.h), and valgrind
#                                learns what is declassified
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../Scripts/flavours.sh
source "$(dirname "$0")/../../Scripts/flavours.sh"
flavour=("${flavour_release[@]}")
if [ "$1" = --planted ]; then
  flavour=("${flavour_checks[@]}")
  shift
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
building=(swift_build --package-path "$root/Tests/Checks" "${flavour[@]}" --product "$1")
"${building[@]}" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
echo "$("${building[@]}" --show-bin-path)/$1"
