#!/usr/bin/env bash
# Runs the whole benchmark, and writes its results, their plot and their table to Benchmarks/results. Arguments go to
# otp-bench.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=flavours.sh
source "$(dirname "$0")/flavours.sh"
cd "$root"
results=Benchmarks/results
backend=${OTP_BACKEND:-}
name=latest${backend:+-$backend}

# The C library is measured as well.
Scripts/libotp.sh
swift_build --package-path Benchmarks "${flavour_release[@]}" --product otp-bench
mkdir -p "$results"
# On a server of its own, with pgbench beside it.
PATH=$PATH:$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
export PATH
# shellcheck disable=SC2016 # the variable is that of the inner shell
Scripts/postgresql.sh bash -c '.build-release/release/otp-bench --postgres "$OTP_POSTGRESQL" "$@"' bench \
  --json "$results/$name.json" "$@"
python3 Benchmarks/plot.py "$results/$name.json" > "$results/$name.svg"
python3 Benchmarks/plot.py --table "$results/$name.json" > "$results/$name.md"
echo "bench: $results/$name.json, .svg and .md"
