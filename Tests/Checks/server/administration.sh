#!/usr/bin/env bash
# An administrator's changes during logins are kept: by the commands of the module's README, which take the user's lock,
# and by the same without it. Runs under root.sh.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/state.sh"
serve dir=/etc/otp max_failures=1000 nodelay
of_user alice

# The README's commands, taken from there verbatim; `otp secret` prints the secret of /tmp/enrolment.
mapfile -t typed < <(grep '^[^`]*flock /etc/otp/.alice.lock' "${0%/*}/../../../Examples/pam/README.md")
[ ${#typed[@]} -eq 3 ] || fail "README has ${#typed[@]} commands for a user"
readonly enrol_as_typed=${typed[0]} remove_as_typed=${typed[1]} forgive_as_typed=${typed[2]}
mkdir /tmp/bin
printf '%s\n' '#!/bin/sh' 'cut -d " " -f 2 /tmp/enrolment' > /tmp/bin/otp
chmod 755 /tmp/bin/otp
PATH+=:/tmp/bin

readonly remove="rm $state"
readonly enrol_in_place="cat /tmp/enrolment > $state"
readonly enrol_by_renaming="install -m 600 /tmp/enrolment /etc/otp/next && mv /etc/otp/next $state"

# A user with a secret, and another secret for the next enrolment.
prepare() {
  enrol
  echo "secret $(head -c 20 /dev/urandom | base32)" > /tmp/enrolment
}
# Whether the user is as a change left it, apart from the counts of later logins.
stands() {
  [ ! -e "/etc/otp/.$user.new" ] || fail "'$1' left a file behind"
  case $1 in
    "$remove" | "$remove_as_typed") [ ! -e "$state" ] ;;
    *) [ "$(grep secret "$state")" = "$(cat /tmp/enrolment)" ] && [ "$(stat -c %a "$state")" = 600 ] ;;
  esac
}

# ---- README's commands, without logins ----
rm -f "$state"
prepare
rm "$state"
sh -c "$enrol_as_typed"
stands "$enrol_as_typed" || fail "'$enrol_as_typed' does not enrol"
[ "$(ask 000000)" = 'Authentication failure' ] || fail "a wrong code"
expect_failures 1 "after a wrong code"
[ "$(stat -c %a "/etc/otp/.$user.lock")" = 600 ] || fail "others can read the lock file, and so hold the lock"
sh -c "$forgive_as_typed"
stands "$enrol_as_typed" || fail "'$forgive_as_typed' lost the enrolment"
expect_failures 0 "after '$forgive_as_typed'"
sh -c "$remove_as_typed"
stands "$remove_as_typed" || fail "'$remove_as_typed' does not remove"

# ---- At every moment of a login whose code is right, without the lock ----
moments=0
expect_stands() {
  local change=$1 result
  shift
  prepare
  result=$(declare -x "$@"; ask "$(code)")
  stands "$change" || fail "'$change' was undone by a login that got '$result': $*"
  [ "$result" = 'Authentication failure' ] || fail "'$change' in a login: '$result': $*"
  moments=$((moments + 1))
}
for change in "$remove" "$enrol_in_place" "$enrol_by_renaming"; do
  # After the attempt is counted; and before its file, or the next one, replaces the file that was read.
  for moment in OTP_MEANWHILE OTP_RENAMING_1 OTP_RENAMING_2; do expect_stands "$change" "$moment=$change"; done
  expect_stands "$change" OTP_NO_EXCHANGE=1 "OTP_MEANWHILE=$change"
  # Again, when the changed file is about to be put back.
  expect_stands "$change" "OTP_RENAMING_1=echo secret A > /etc/otp/next && mv /etc/otp/next $state" \
    "OTP_RENAMING_2=$change"
done
# By a program that opened the file before the exchange, and writes to it afterwards.
mkfifo /tmp/go /tmp/gone
expect_stands "$enrol_in_place" \
  "OTP_RENAMING_1=(read -r _ < /tmp/go; cat /tmp/enrolment; echo > /tmp/gone) 1<> $state &" \
  "OTP_SYNCING_2=echo > /tmp/go; read -r _ < /tmp/gone"
for file_system in OTP_EXCHANGE=1 OTP_NO_EXCHANGE=1; do
  prepare
  result=$(declare -x $file_system; ask "$(code)")
  [ "$result" = 'successfully authenticated' ] || fail "the right code: '$result'"
  expect_failures 0 "after the right code"
done

# ---- At any moment of several logins ----
readonly rounds=100
export OTP_SYNC_MICROSECONDS=2000
races=0
for change in "$remove" "$enrol_in_place" "$enrol_by_renaming" "$remove_as_typed" "$enrol_as_typed"; do
  undone=0
  for ((round = 0; round < rounds; round++)); do
    prepare
    rm -f "/etc/otp/.$user.lock"
    for login in 1 2 3; do ask 000000 > "/tmp/login.$login" & done
    for ((look = 0; look < 1000000; look++)); do [ ! -e "/etc/otp/.$user.lock" ] || break; done
    sleep "0.00$((RANDOM % 10))"
    sh -c "$change"
    wait
    stands "$change" || undone=$((undone + 1))
  done
  [ "$undone" -eq 0 ] || fail "'$change' during logins was undone in $undone of $rounds rounds"
  races=$((races + rounds))
done
meanwhile=$(grep -c 'removed or replaced' /tmp/log || true)
[ "$meanwhile" -gt "$moments" ] || fail "no login was in progress"
if grep -F 'Success' /tmp/log; then fail "a failure was logged as 'Success'"; fi

echo "$moments changes at chosen moments of a login and $races at random ones were kept ($meanwhile logins noticed)"
