#!/usr/bin/env bash
# The checks that take long: 10^8 codes for each hash and instruction set against OpenSSL (CODES=… for another number),
# 10^7 timings of each comparison (TIMINGS=…), judged, and 200 processes killed at work (KILLS=…) on a store of SQLite's,
# and as many hosts, connections and servers of PostgreSQL's.
set -euo pipefail
cd "$(dirname "$0")/.."
Tests/Checks/timing/run.sh "${TIMINGS:-10000000}"
Tests/Checks/lanes/run.sh "${CODES:-100000000}"
KILLS="${KILLS:-200}" Tests/Checks/processes/run.sh
KILLS="${KILLS:-200}" Tests/Checks/postgresql/run.sh
