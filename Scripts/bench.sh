#!/usr/bin/env bash
# Runs the whole benchmark, and writes its table and chart to Benchmarks/results, named after the CPU. With arguments, which
# are passed to otp-bench, it only prints it. AWS_LC=PREFIX adds the AWS-LC that is installed there.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=flavours.sh
source "$(dirname "$0")/flavours.sh"
cd "$root"
LibOTP/build.sh >&2
swift_build --package-path Benchmarks "${flavour_release[@]}" --product otp-bench >&2
swift_build --package-path Tool "${flavour_tool[@]}" >&2
Benchmarks/build.sh .build-bench >&2
results=$(mktemp)
trap 'rm -f "$results"' EXIT
# shellcheck disable=SC2016 # the variables are those of the inner shells
Scripts/postgresql.sh bash -c 'ON_DISK=$OTP_POSTGRESQL POSTGRESQL_IN=/dev/shm Scripts/postgresql.sh "$@"' disk \
  bash -c '.build-release/release/otp-bench .build-bench --postgres "$ON_DISK" --postgres "$OTP_POSTGRESQL" "$@"' \
  bench "$@" | tee "$results"
# The design of the CPU, or its name.
cpu=$(head -n 1 "$results" | sed -E 's/^[^,]* \(([^)]+)\),.*/\1/; s/,.*//' | tr -cs 'A-Za-z0-9\n' - | tr '[:upper:]' '[:lower:]')
# A part of the table does not replace it.
[ $# -eq 0 ] || exit 0
table=Benchmarks/results/$cpu${OTP_BACKEND:+-$OTP_BACKEND}.md
cat "$results" > "$table"
Benchmarks/chart.py "$table"
