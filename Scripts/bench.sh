#!/usr/bin/env bash
# Runs the whole benchmark, and writes its table and plot to Benchmarks/results, named after the CPU. All figures are in
# .build-logs/bench.json. Arguments are passed to otp-bench.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=flavours.sh
source "$(dirname "$0")/flavours.sh"
cd "$root"
json=.build-logs/bench.json

# The C library is measured as well.
LibOTP/build.sh
# A peer's header may have been installed since this was compiled.
touch Benchmarks/Sources/CPeers/*.c
swift_build --package-path Benchmarks "${flavour_release[@]}" --product otp-bench
mkdir -p Benchmarks/results .build-logs
# With a new PostgreSQL server, and pgbench.
PATH=$PATH:$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
export PATH
# shellcheck disable=SC2016 # the variable is that of the inner shell
Scripts/postgresql.sh bash -c '.build-release/release/otp-bench --postgres "$OTP_POSTGRESQL" "$@"' bench \
  --json "$json" "$@"
name=Benchmarks/results/$(python3 Benchmarks/plot.py --name "$json")${OTP_BACKEND:+-$OTP_BACKEND}
python3 Benchmarks/plot.py "$json" > "$name.svg"
python3 Benchmarks/plot.py --table "$json" > "$name.md"
echo "bench: $name.svg and .md; every figure is in $json"
