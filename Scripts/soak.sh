#!/usr/bin/env bash
# The long checks: 10^8 codes for each hash and instruction set against OpenSSL (CODES=… sets another number), 10^7
# timings of each comparison (TIMINGS=…), judged, 200 kills (KILLS=…) of processes that use a SQLite store, and of hosts,
# connections and servers of a PostgreSQL store, 10^5 sign-ins while Patroni moves the primary, every run of four actions
# on a record, and a million random actions on accounts.
set -euo pipefail
cd "$(dirname "$0")/.."
Tests/Checks/constant-time/timing.sh "${TIMINGS:-10000000}"
Tests/Checks/lanes/run.sh "${CODES:-100000000}"
KILLS="${KILLS:-200}" Tests/Checks/stores/run.sh sqlite postgresql patroni-soak
Tests/Checks/every-run/run.sh 4
SEED=1 WALKS=16700 Scripts/unit.sh library --filter RuleModelTests
