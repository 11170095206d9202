#!/usr/bin/env bash
# OpenSSH's client logs in with oathtool's codes, and is refused a used code, a wrong one, a right one after too many
# failures, and all but one of several simultaneous logins with one code. Runs under root.sh.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/state.sh"
readonly max_failures=4
serve dir=/etc/otp max_failures=$max_failures nodelay
. "${0%/*}/sshd.sh"

# Each code is accepted once; so is the next step's, and then no earlier one.
enroll
first=$(code)
expect_in "$first" "the current code"
[ "$(stat -c '%a %u' "$state")" = "600 0" ] || fail "the state is no longer accessible to root only"
expect_refused "$first" "a used code"
expect_failures 1 "after a replay"
expect_in "$(code 30)" "the next step's code"
expect_failures 0 "after a login"
expect_refused "$(code -30)" "the code of a step before the last accepted"
expect_refused "" "no code"
expect_refused "$(code)" "an unknown user" nobody-has-this

# After too many failures even the right code is refused, until an administrator resets the count.
enroll
for answer in "$(wrong_code)" "$(code | cut -c 1-5)" "$(code)0"; do expect_refused "$answer" "a wrong code"; done
expect_failures 1 "after one wrong code, and two texts that no code can be"
for ((index = 1; index < max_failures; index++)); do expect_refused "$(wrong_code)" "a wrong code"; done
expect_refused "$(code)" "the right code after too many failures"
expect_failures $max_failures "after too many"
administer unlock "$user"
expect_in "$(code)" "the right code after the administrator forgave"

# Several simultaneous logins: all have been asked before the first answers.
at_once() {
  local count=$1 index
  shift
  rm -rf /tmp/meeting && mkdir /tmp/meeting
  for ((index = 1; index <= count; index++)); do
    OTP_PARTY=$count OTP_MEETING=/tmp/meeting log_in "$@" > "/tmp/login.$index" &
    jobs[index]=$!
  done
  for ((index = 1; index <= count; index++)); do wait "${jobs[index]}" || true; done
  [ "$(find /tmp/meeting -type f | wc -l)" -eq "$count" ] || fail "not all of $count logins were asked"
  together=$(cat /tmp/login.* | grep -cx "$name" || true)
  rm /tmp/login.*
  logins=$((logins + together)) refusals=$((refusals + count - together))
}
readonly rounds=3
jobs=()
for ((round = 1; round <= rounds; round++)); do
  enroll
  at_once $max_failures "$(code)"
  [ "$together" -eq 1 ] || fail "round $round: $together of $max_failures logins at once got in with one code"
  expect_failures $((max_failures - 1)) "after one of $max_failures logins at once"
done
enroll
at_once $((max_failures + 2)) "$(wrong_code)"
[ "$together" -eq 0 ] || fail "$together logins got in with a wrong code"
expect_failures $max_failures "after more wrong codes at once than are allowed"

if grep -q -e "$secret" -e "$first" /tmp/sshd.log; then fail "a secret or a code is in the server's log"; fi
echo "$(ssh -V 2>&1 | cut -d ' ' -f 1), asking through PAM: $logins logins, $refusals refusals;" \
  "$rounds times $max_failures logins at once with one code, and one got in"
