#!/usr/bin/env bash
# The store on PostgreSQL, on servers started for it: every flow of the multi-factor layer; the conformance suite
# through PgBouncer in transaction mode; then sign-ins by several processes at once, under SIGKILL of hosts, of a
# connection's process and of the server, and through failovers.
#
#   KILLS=200 SEED=7 run.sh   this many kills, at moments that the seed determines
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

mapfile -t files < <(grep -rl 'StoreKind' Tests/MultiFactorTests --include '*Tests.swift' | sort)
mapfile -t suites < <(grep -hoE '@Suite.*struct \w+' "${files[@]}" | awk '{ print $NF }' | sort -u)
pattern=$(IFS='|'; echo "\\.(${suites[*]})/")
swift_build --build-tests "${flavour_test[@]}" --enable-all-traits
# fsync is off: these tests are not about a loss of power, and some would take a second on a disk.
# shellcheck disable=SC2016 # the variable is that of the inner shell
POSTGRESQL_OPTIONS="-c fsync=off" Scripts/postgresql.sh bash -c 'OTP_POSTGRESQL_FLOWS=$OTP_POSTGRESQL exec "$@"' flows \
  swift test --skip-build --disable-xctest "${flavour_test[@]}" --enable-all-traits --filter "$pattern" 2>&1 | tee "$log"
ran=$(sed -nE 's/.*Test run with [0-9]+ tests in ([0-9]+) suites passed.*/\1/p' "$log")
if [ "${ran:-0}" -ne "${#suites[@]}" ]; then
  echo "postgresql: only ${ran:-0} of ${#suites[@]} suites were run" >&2
  exit 1
fi

POSTGRESQL_OPTIONS="-c fsync=off" Scripts/postgresql.sh Tests/Checks/postgresql/pooled.sh \
  swift test --skip-build --disable-xctest "${flavour_test[@]}" --enable-all-traits --filter PostgreSQLConformanceTests

program=$(Tests/Checks/build.sh processes-check)
Scripts/postgresql.sh "$program" | tee "$log"
POSTGRESQL_STANDBYS=1 Scripts/postgresql.sh "$program" fail-over | tee -a "$log"
POSTGRESQL_STANDBYS=1 Scripts/postgresql.sh "$program" lose | tee -a "$log"
POSTGRESQL_STANDBYS=1 Scripts/postgresql.sh "$program" lose warm | tee -a "$log"
POSTGRESQL_STANDBYS=2 Scripts/postgresql.sh Tests/Checks/postgresql/pooled.sh "$program" promote | tee -a "$log"
# A port that is probably free.
PGPORT=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
export PGPORT
POSTGRESQL_OPTIONS="-c listen_addresses=127.0.0.1" Scripts/postgresql.sh Tests/Checks/postgresql/errors.sh "$program" |
  tee -a "$log"
echo "postgresql: $ran suites of flows; $(sed -n 's/^processes: //p' "$log" | paste -sd ';')"
