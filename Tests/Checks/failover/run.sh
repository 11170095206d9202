#!/usr/bin/env bash
# Sign-ins by two hosts while Patroni moves the primary among three PostgreSQL servers: after SIGKILL and SIGSTOP of the
# primary, a cut between a manager and etcd, a loss of etcd, and a switchover by hand. cluster.py says how the servers
# are set up, and Failovers.swift what is checked.
#
#   run.sh              each event once, a few thousand sign-ins, and two planted faults
#   run.sh soak         10^5 sign-ins
#   SEED=7 run.sh soak  with the events in the order that the seed determines
#
# The servers run in namespaces of their own: they see no network but their own loopback, no one else has their ports,
# and the kernel ends them all with this script, even if it is killed.
set -euo pipefail
cd "$(dirname "$0")"
for program in patroni patronictl etcd haproxy; do
  if ! PATH=$PATH:/usr/sbin command -v "$program" > /dev/null; then
    echo "failover: $program is not installed; run Scripts/setup.sh check to install it" >&2
    exit 1
  fi
done
program=$(../build.sh processes-check)

# A socket's path has at most 107 bytes, and some TMPDIRs are too long for that.
folder=$(mktemp -d /tmp/otp-failover.XXXXXX)
child=
# shellcheck disable=SC2317 # the trap calls it
stop() {
  trap - EXIT
  if [ -n "$child" ]; then
    kill -KILL "$child" || true
    wait "$child" || true
  fi
  rm -rf "$folder" || { sleep 1; rm -rf "$folder"; }
} 2> /dev/null
trap stop EXIT
trap 'exit 130' INT TERM

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(--map-root-user)
# shellcheck disable=SC2016 # the variables are those of the inner shell
setpriv --pdeathsig KILL unshare "${as_root[@]}" --pid --fork --kill-child --mount-proc --net bash -c \
  'ip link set lo up && python3 cluster.py "$@"; exit $?' cluster "$folder" "$program" "${1:-quick}" < /dev/null &
child=$!
status=0
wait "$child" || status=$?
child=
exit "$status"
