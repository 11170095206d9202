#!/usr/bin/env bash
# The trials of LibOTP/examples/own-table, of the module: two hundred processes with one right code, and with wrong ones;
# processes that are killed at random moments, and two servers whose clocks differ by an hour. Runs under root.sh.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/state.sh"
readonly limit=20 processes=200
serve dir=/etc/otp max_failures=$limit nodelay
of_user alice

# at_once ANSWER...: a process for each; prints how many got each result.
at_once() {
  local answer
  for answer in "$@"; do ask "$answer" & done > /tmp/results
  wait
  sort /tmp/results | uniq -c | sed 's/^ *//'
}
repeated() { for ((index = 0; index < processes; index++)); do echo "$1"; done; }

enroll
mapfile -t answers < <(repeated "$(code)")
results=$(at_once "${answers[@]}")
[ "$results" = "$((processes - 1)) Authentication failure
1 successfully authenticated" ] || fail "one code at once: $results"
expect_failures $limit "after a code that was used often"

enroll
mapfile -t answers < <(repeated "$(wrong_code)")
results=$(at_once "${answers[@]}")
[ "$results" = "$processes Authentication failure" ] || fail "wrong codes at once: $results"
expect_failures $limit "after wrong codes at once"
looked=$(grep -c 'user alice: wrong code' /tmp/log)
[ "$looked" -eq $limit ] || fail "$looked wrong codes were looked at, not $limit"

# Every attempt that was answered as wrong is counted, whatever happens to the others.
answered=0
killed=0
for round in {1..30}; do
  enroll
  rm -f /tmp/result.*
  for index in {1..12}; do
    (OTP_SYNC_MICROSECONDS=3000 ask 000000 > "/tmp/result.$index") 2> /dev/null &
  done
  sleep "0.0$((RANDOM % 90 + 10))"
  killed=$((killed + $(pgrep -xc pamtester)))
  pkill -KILL -x pamtester || true
  wait
  told=$(cat /tmp/result.* | grep -c 'Authentication failure' || true)
  answered=$((answered + told))
  counted=$(failures)
  [ "$counted" -ge "$told" ] || fail "round $round: $told were told of a failure, and $counted are counted"
done
if [ "$killed" -le 30 ] || [ "$answered" -le 30 ]; then fail "$killed killed and $answered answered show nothing"; fi

# The clock of one server is an hour ahead: what it accepts, and all before, is spent on the other.
enroll
ahead=$(code 3600)
[ "$(OTP_CLOCK=3600 ask "$ahead")" = 'successfully authenticated' ] || fail "an hour ahead"
for answer in "$ahead" "$(code)"; do
  for clock in 0 3600; do
    [ "$(OTP_CLOCK=$clock ask "$answer")" = 'Authentication failure' ] || fail "accepted again, by a clock at $clock"
  done
done
expect_failures 4 "after two codes on two servers"

echo "$processes processes with one code: one got in; with wrong ones: $looked were looked at;" \
  "$killed were killed, and none of $answered answered failures was forgotten"
