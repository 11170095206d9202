#!/usr/bin/env bash
# Each door of ours meets the suite for running logins: own-table in six languages, on SQLite, PostgreSQL and etcd, and
# together on one column; `otp record serve`; PAM; login-example, api-example and auth-emulator. Their histories, which
# the suite's judge of linearizability has judged, stay in .build-conformance/histories. Broken ones are refused.
#
#   run.sh                 everything
#   run.sh NAME...         only these parts of doors.py: run.sh 'own-table, C' early
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
if [ -z "${OTP_POSTGRESQL:-}" ]; then exec "$root/Scripts/postgresql.sh" "$0" "$@"; fi
cd "$root"
if [ $# -eq 0 ]; then vectors/conformance/logins/programs.sh; else vectors/conformance/logins/programs.sh --only "$@"; fi
readonly histories=$root/.build-conformance/histories
rm -rf "$histories"
mkdir -p "$histories"
# fault NAME FILE SED: own-table's program in Python, with a fault.
fault() {
  cp -r LibOTP/examples/own-table/python "$histories/$1"
  sed -i "$3" "$histories/$1/$2"
  if cmp -s "LibOTP/examples/own-table/python/$2" "$histories/$1/$2"; then
    echo "doors: '$3' plants nothing" >&2
    exit 1
  fi
}
fault replaces-anything factors.py 's/ AND otp = ?"/ AND ? IS NOT NULL"/'
fault answers-always factors.py 's/1 == self._run(update/0 <= self._run(update/'
fault compares-nothing etcd_factors.py '/"compare": /s/\[.*\]/[]/'
# A third of the answers is lost, in a program that is right and in two that are not.
readonly loses='s/response.status == 200/& and time.monotonic_ns() % 3/'
fault loses-answers etcd_factors.py "$loses"
fault unknown-is-success etcd_factors.py "$loses"'; s/or self._answer("txn".*/or {"succeeded": True}/'
fault sees-the-latest etcd_factors.py "$loses; s/while found/while False and found/"

export OTP_LIBRARY=$root/.build-libotp/libotp.so.0 PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$root/LibOTP/bindings/python/src:$root/vectors/conformance/logins/adapters
# In memory: a busy disk would take most of the time, and SIGKILL does not need one.
[ ! -d /dev/shm ] || export TMPDIR=/dev/shm
# psycopg2 is Debian's, which another Python earlier in PATH does not see.
/usr/bin/python3 Tests/Checks/doors/doors.py "$histories" "$@"
