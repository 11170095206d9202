#!/usr/bin/env bash
# OpenSSH's client logs in with oathtool's codes, and is refused a used code, a wrong one, a right one after too many
# failures, and all but one of several simultaneous logins with one code. Runs under root.sh.
#
#   logins.sh --hold    stops in the middle of a login, so that run.sh can kill it there
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/state.sh"
readonly max_failures=4
serve dir=/etc/otp max_failures=$max_failures nodelay
. "${0%/*}/sshd.sh"

# Each code is accepted once; so is the next step's, and then no earlier one.
enroll
first=$(code)
expect_in "$first" "the current code"
if [ "${1:-}" = --hold ]; then
  mkdir /tmp/meeting
  OTP_PARTY=2 OTP_MEETING=/tmp/meeting log_in "$(code 30)" &
  for _ in {1..1000}; do
    if find /tmp/meeting -type f | grep -q .; then break; fi
    sleep 0.05
  done
  echo holding
  wait
  exit
fi
[ "$(stat -c '%a %u' "$state")" = "600 0" ] || fail "the state is no longer accessible to root only"
expect_refused "$first" "a used code"
expect_failures 1 "after a replay"
expect_in "$(code 30)" "the next step's code"
expect_failures 0 "after a login"
expect_refused "$(code -30)" "the code of a step before the last accepted"

# Wrong codes.
enroll
for answer in "$(wrong_code)" "$(code | cut -c 1-5)" "$(code)0"; do expect_refused "$answer" "a wrong code"; done
expect_failures 1 "after one wrong code, and two texts that no code can be"
for _ in 2 3; do expect_refused "$(wrong_code)" "a wrong code"; done
expect_in "$(code)" "the right code after fewer failures than are allowed"
expect_refused "" "no code"

# After too many failures even the right code is refused, until an administrator resets the count.
enroll
for ((index = 0; index < max_failures; index++)); do expect_refused "$(wrong_code)" "a wrong code"; done
expect_refused "$(code)" "the right code after too many failures"
expect_failures $max_failures "after too many"
administer unlock "$user"
expect_in "$(code)" "the right code after the administrator forgave"

# An answer that cannot be stored is not given.
enroll
mkdir "/etc/otp/.$name.new"
expect_refused "$(code)" "a code whose use cannot be stored"
rmdir "/etc/otp/.$name.new"
expect_in "$(code)" "the same code once it can be stored"

# A file that others can read, that is a link, or that is not a record; and a directory that others can write to.
enroll
chmod 640 "$state" && expect_refused "$(code)" "a file that a group can read" && chmod 600 "$state"
chown "$name" "$state" && expect_refused "$(code)" "a file that the user owns" && chown 0 "$state"
mv "$state" /tmp/elsewhere && ln -s /tmp/elsewhere "$state"
expect_refused "$(code)" "a file behind a symbolic link"
rm "$state" && ln /tmp/elsewhere "$state" && expect_refused "$(code)" "a file with another name"
rm /tmp/elsewhere
chmod 770 /etc/otp && expect_refused "$(code)" "a directory that others can write to" && chmod 700 /etc/otp
cp "$state" /tmp/record
head -c 100 /tmp/record > "$state" && expect_refused "$(code)" "a part of a record"
head -c 2000 /dev/urandom >> "$state" && expect_refused "$(code)" "more than a record"
cat /tmp/record > "$state"
expect_in "$(code)" "the right code after all these"

expect_refused "$(code)" "an unknown user" nobody-has-this

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
}
readonly rounds=5
jobs=()
for ((round = 1; round <= rounds; round++)); do
  enroll
  at_once $max_failures "$(code)"
  [ "$together" -eq 1 ] || fail "round $round: $together of $max_failures logins at once got in with one code"
  expect_failures $((max_failures - 1)) "after one of $max_failures logins at once"
  logins=$((logins + 1))
  refusals=$((refusals + max_failures - 1))
done
enroll
at_once $((max_failures + 2)) "$(wrong_code)"
[ "$together" -eq 0 ] || fail "$together logins got in with a wrong code"
expect_failures $max_failures "after more wrong codes at once than are allowed"
refusals=$((refusals + max_failures + 2))
expect_refused "$(code)" "the right code after too many failures at once"

if grep -q -e "$secret" -e "$first" /tmp/sshd.log; then fail "a secret or a code is in the server's log"; fi
echo "$(ssh -V 2>&1 | cut -d ' ' -f 1), asking through PAM: $logins logins, $refusals refusals;" \
  "$rounds times $max_failures logins at once with one code, and one got in"
