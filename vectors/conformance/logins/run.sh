#!/usr/bin/env bash
# `make conformance-logins`: tests the second factor of each login in peers.py; writes vectors/conformance/results/logins.md.
#
#   run.sh --only 'django-otp'                           only its row; the others stay
#   run.sh --only 'django-otp' --test replay-at-once     writes nothing
set -euo pipefail
cd "$(dirname "$0")/../../.."
readonly root=$PWD build=$PWD/.build-conformance
export PYTHONDONTWRITEBYTECODE=1
if [ -z "${OTP_POSTGRESQL:-}" ]; then
  exec Scripts/postgresql.sh "vectors/conformance/logins/run.sh" "$@"
fi
# In memory: a busy disk would take most of the time, and SIGKILL does not need one.
[ ! -d /dev/shm ] || export TMPDIR=/dev/shm

# venv FOLDER PACKAGE...: Python's packages in a folder of their own. (Flask-Security and privacyIDEA differ about Flask.)
venv() {
  if [ ! -e "$build/$1/bin/python" ]; then python3 -m venv "$build/$1"; fi
  "$build/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}
venv logins --requirement vectors/conformance/logins/peers.txt

wants() { [[ " $arguments " != *" --only "* || "$arguments" == *"$1"* ]]; }
arguments=$*
if wants privacyIDEA; then venv logins-privacyidea privacyidea 'psycopg[binary]' waitress; fi
vectors/conformance/logins/programs.sh "$@"

export OTP_LIBRARY=$root/.build-libotp/libotp.so.0 PYTHONPATH=$root/LibOTP/bindings/python/src
if [[ " $* " != *" --test "* ]]; then
  set -- --seconds 10 --output vectors/conformance/results --json "$build/logins.json" "$@"
fi
# Two logins at a time.
"$build/logins/bin/python" vectors/conformance/logins/run.py --peers --jobs 2 "$@"
