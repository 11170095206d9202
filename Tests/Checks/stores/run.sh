#!/usr/bin/env bash
# The stores, on SQLite and on PostgreSQL servers started for it: every flow of the multi-factor layer, and the
# conformance suite through PgBouncer; then sign-ins by two processes, whose histories a judge must explain, under
# SIGKILL of hosts, of a connection's process and of the server, and through failovers: by hand, and by Patroni.
#
#   run.sh                     everything
#   run.sh PART...             only: flows sqlite names postgresql failover lose lose-warm promotions errors patroni
#   run.sh patroni-soak        10^5 sign-ins while Patroni moves the primary
#   KILLS=200 SEED=7 run.sh    this many kills, at moments that the seed determines
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(--map-root-user)
readonly here=Tests/Checks/stores

# Every flow on PostgreSQL. fsync is off: these tests are not about a loss of power.
flows() {
  local files suites pattern ran
  mapfile -t files < <(grep -rl 'StoreKind' Tests/MultiFactorTests --include '*Tests.swift' | sort)
  mapfile -t suites < <(grep -hoE '@Suite.*struct \w+' "${files[@]}" | awk '{ print $NF }' | sort -u)
  pattern=$(IFS='|'; echo "\\.(${suites[*]})/")
  swift_build --build-tests "${flavour_test[@]}" --enable-all-traits
  # shellcheck disable=SC2016 # the variable is that of the inner shell
  POSTGRESQL_OPTIONS="-c fsync=off" Scripts/postgresql.sh bash -c 'OTP_POSTGRESQL_FLOWS=$OTP_POSTGRESQL exec "$@"' flows \
    swift test --skip-build --disable-xctest "${flavour_test[@]}" --enable-all-traits --filter "$pattern" 2>&1 | tee "$log"
  ran=$(sed -nE 's/.*Test run with [0-9]+ tests in ([0-9]+) suites passed.*/\1/p' "$log")
  if [ "${ran:-0}" -ne "${#suites[@]}" ]; then
    echo "stores: only ${ran:-0} of ${#suites[@]} suites were run" >&2
    exit 1
  fi
  POSTGRESQL_OPTIONS="-c fsync=off" Scripts/postgresql.sh $here/pooled.sh \
    swift test --skip-build --disable-xctest "${flavour_test[@]}" --enable-all-traits --filter PostgreSQLConformanceTests
}

# In namespaces of their own, the servers see no network but their own loopback, no one else has their ports, and the
# kernel ends them all with this script, even if it is killed.
patroni() {
  local program
  for program in patroni patronictl etcd haproxy; do
    if ! PATH=$PATH:/usr/sbin command -v "$program" > /dev/null; then
      echo "stores: $program is not installed; run Scripts/setup.sh check to install it" >&2
      exit 1
    fi
  done
  # shellcheck disable=SC2016 # the variables are those of the inner shell
  setpriv --pdeathsig KILL unshare "${as_root[@]}" --pid --fork --kill-child --mount-proc --net bash -c \
    'ip link set lo up && python3 "$@"; exit $?' patroni "$here/main.py" "$1"
}

parts=("$@")
[ $# -gt 0 ] || parts=(flows sqlite names postgresql failover lose lose-warm promotions errors patroni)
STORES_CHECK=$(Tests/Checks/build.sh stores-check)
export STORES_CHECK PYTHONDONTWRITEBYTECODE=1
for part in "${parts[@]}"; do
  run=(python3 "$here/main.py" "$part")
  case $part in
    flows) flows ;;
    names) unshare "${as_root[@]}" --mount "${run[@]}" ;;
    postgresql) Scripts/postgresql.sh "${run[@]}" ;;
    failover | lose | lose-warm) POSTGRESQL_STANDBYS=1 Scripts/postgresql.sh "${run[@]}" ;;
    promotions) POSTGRESQL_STANDBYS=2 Scripts/postgresql.sh $here/pooled.sh "${run[@]}" ;;
    errors)
      # A port that is probably free.
      PGPORT=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
      export PGPORT
      POSTGRESQL_OPTIONS="-c listen_addresses=127.0.0.1" Scripts/postgresql.sh "${run[@]}"
      unset PGPORT
      ;;
    patroni*) patroni "$part" ;;
    *) "${run[@]}" ;;
  esac
done
echo "stores: ${parts[*]}: each code was accepted at most once, and no answered failure was lost"
