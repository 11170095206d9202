#!/usr/bin/env bash
# Runs the whole benchmark, and writes its results, their plot and their table to Benchmarks/results. Arguments go to
# otp-bench.
set -euo pipefail
cd "$(dirname "$0")/.."
results=Benchmarks/results
backend=${OTP_BACKEND:-}
name=latest${backend:+-$backend}

# The C library is measured as well.
Scripts/libotp.sh
swift build --package-path Benchmarks --scratch-path .build-release -c release --product otp-bench
mkdir -p "$results"
.build-release/release/otp-bench --threads 2 --json "$results/$name.json" "$@"
python3 Benchmarks/plot.py "$results/$name.json" > "$results/$name.svg"
python3 Benchmarks/plot.py --table "$results/$name.json" > "$results/$name.md"
echo "bench: $results/$name.json, .svg and .md"
