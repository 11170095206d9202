#!/usr/bin/env bash
# A part of the check `login`, and of `make conformance-logins`: the small login and LibOTP/examples/own-table in Python
# fail no test that they can express, four broken logins fail exactly the tests that are named after what they lack, and
# a rolling window's rate is measured. See vectors/conformance/logins/README.md.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
LibOTP/build.sh
export OTP_LIBRARY=$root/.build-libotp/libotp.so.0 PYTHONPATH=$root/LibOTP/bindings/python/src PYTHONDONTWRITEBYTECODE=1
# In memory: a busy disk would take most of the time, and SIGKILL does not need one.
[ ! -d /dev/shm ] || export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
adapters=$root/vectors/conformance/logins/adapters
# test_login REPORT ADAPTER [TEST...]: prints the names of the tests that failed or crashed.
test_login() {
  local report=$work/$1.json adapter=$2 chosen=(--seconds 1)
  shift 2
  # A planted race must be won.
  [ $# -eq 0 ] || chosen=(--seconds 10 --test "$@")
  python3 vectors/conformance/logins/run.py --quiet --adapter "$adapter" --json "$report" "${chosen[@]}" > "$report.log" || true
  python3 -c 'import json, sys
print(" ".join(test["name"] for test in json.load(open(sys.argv[1]))["results"][0]["tests"]
               if test["outcome"] in ("failed", "crashed")))' "$report"
}
# counts REPORT: how many tests ended how.
counts() { sed -n 's/^logins: yours [^:]*: //p' "$work/$1.json.log"; }
# expect REPORT WANTED FOUND: what a login has failed is what was planted, and every outcome is as it was.
expect() {
  if [ "$3" != "$2" ]; then
    cat "$work/$1.json.log" >&2
    echo "login: $1: '$3', and should be '$2'" >&2
    exit 1
  fi
}

# At the same time, since both wait.
test_login own-table "python3 $adapters/own_table.py /usr/bin/python3 $root/LibOTP/examples/own-table/python/main.py" \
  > "$work/own-table" &
expect right "" "$(test_login right "python3 $adapters/small_login.py right")"
wait $!
expect own-table "" "$(< "$work/own-table")"
readonly right='43 passed, 1 differs, 2 not expressible' own_table='28 passed, 2 differs, 16 not expressible'
# A test that stops testing shows in the counts.
expect right "$right" "$(counts right)"
expect own-table "$own_table" "$(counts own-table)"

readonly wanted=(replay-in-its-step replay-after-a-restart replay-after-a-kill guesses-in-one-session
  guesses-over-sessions)
while read -r mode names; do
  also=()
  [ "$mode" != race ] || also=(replay-at-once)
  expect "$mode" "$names" "$(test_login "$mode" "python3 $adapters/small_login.py $mode" "${also[@]}" "${wanted[@]}")"
done << 'PLANTED'
no-mark replay-in-its-step replay-after-a-restart replay-after-a-kill
memory replay-after-a-restart replay-after-a-kill
race replay-at-once
session-limit guesses-over-sessions
PLANTED

# Half of the guesses of one each 30 seconds are refused by a limit of five in five minutes, which a success clears.
test_login rolling "python3 $adapters/small_login.py rolling" patient-guesser > /dev/null
if ! grep -q 'one each 60 seconds; at that rate a year of guessing has odds of 79 %' "$work/rolling.json"; then
  cat "$work/rolling.json.log" >&2
  echo "login: the rate of a rolling window is not measured" >&2
  exit 1
fi

# An adapter that cannot do something passes nothing by that, and one that does not start fails.
nothing='from adapter import Adapter, serve; Adapter.about = {"version": "0"}; serve(Adapter())'
for adapter in "python3 -c '$nothing'" false; do
  if python3 vectors/conformance/logins/run.py --adapter "$adapter" > "$work/log" 2>&1; then
    echo "login: an adapter that does nothing passes" >&2
    exit 1
  fi
done
python3 vectors/conformance/logins/run.py --list > /dev/null
echo "login: the small login: $right; own-table in Python: $own_table; four broken logins are refused; \
a rolling window is measured"
