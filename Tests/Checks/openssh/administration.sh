#!/usr/bin/env bash
# An administrator's changes during logins are kept: the commands of the module's README wait for the user's lock, and
# the same without it is noticed. (The check `doors` has many logins at once.) Runs under root.sh.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/state.sh"
serve dir=/etc/otp max_failures=99 nodelay
of_user alice

# The README's commands, taken from there verbatim. What they ask is answered from /tmp/enrollment.
mapfile -t typed < <(grep -oE '^pam-otp /etc/otp [a-z]* alice' "${0%/*}/../../../LibOTP/examples/pam/README.md")
[ ${#typed[@]} -eq 5 ] || fail "README has ${#typed[@]} commands for a user"
readonly enroll_as_typed=${typed[0]} import_as_typed=${typed[1]} unlock_as_typed=${typed[3]} remove_as_typed=${typed[4]}
mkdir /tmp/bin
ln -s "$build/pam-otp" /tmp/bin/pam-otp
PATH+=:/tmp/bin

readonly import="$import_as_typed < /tmp/enrollment" remove="rm $state"
readonly enroll_by_renaming="install -m 600 /tmp/record /etc/otp/next && mv /etc/otp/next $state"

# A user with a secret, and another secret for the next enrollment: also as a record, whose moment never comes again.
prepare() {
  next=$(new_secret)
  echo "$next" > /tmp/enrollment
  rm -f "$state" "/etc/otp/.$user.lock"
  administer import "$user" < /tmp/enrollment
  cp "$state" /tmp/record
  enroll
}
# Whether the user is as a change left it, apart from the counts of later logins.
stands() {
  [ ! -e "/etc/otp/.$user.new" ] || fail "'$1' left a file behind"
  case $1 in
    "$remove" | "$remove_as_typed") [ ! -e "$state" ] ;;
    *) [ "$(stat -c %a "$state")" = 600 ] && [ "$(ask "$(code 0 "$next")")" = "$success" ] ;;
  esac
}
# Until the present step lasts for some seconds more, so that its code is the same one in what follows.
settle() { while [ $(($(date +%s) % 30)) -gt 24 ]; do sleep 0.2; done; }
readonly success='successfully authenticated' refused='Authentication failure'

# ---- README's commands, without logins ----
enroll
earlier=$secret used=$(code 30)
[ "$(ask "$used")" = "$success" ] || fail "a right code"
cp "$state" /tmp/before
mkfifo /tmp/answers
eval "$enroll_as_typed" < /tmp/answers > /tmp/shown &
exec {answers}> /tmp/answers
until grep -q '^Code: ' /tmp/shown; do sleep 0.02; done
secret=$(sed -n 's/.*secret=\([A-Z2-7]*\).*/\1/p' /tmp/shown)
cmp "$state" /tmp/before || fail "an enrollment that is not confirmed is stored"
settle
code -30 >&$answers
wait $! || fail "'$enroll_as_typed' does not enroll: $(cat /tmp/shown)"
exec {answers}>&-
[ "$(ask "$(code -30)")" = "$refused" ] || fail "the code that confirmed is accepted again"
[ "$(ask "$(code)")" = "$success" ] || fail "the enrolled app's code is refused"
if eval "$enroll_as_typed" <<< 000000 > /tmp/shown 2>&1; then fail "a wrong code confirms"; fi
[ "$(ask "$(code 30)")" = "$success" ] || fail "an enrollment that was given up changed the user"
administer import "$user" <<< "$earlier"
[ "$(ask "$used")" = "$refused" ] || fail "a secret that comes back after another forgets a used code"

prepare
rm "$state" "/etc/otp/.$user.lock"
sh -c "$import"
[ "$(ask 000000)" = "$refused" ] || fail "a wrong code"
expect_failures 1 "after a wrong code"
[ "$(stat -c %a "/etc/otp/.$user.lock")" = 600 ] || fail "others can read the lock file, and so hold the lock"
sh -c "$unlock_as_typed"
expect_failures 0 "after '$unlock_as_typed'"
settle
stands "$import" || fail "'$unlock_as_typed' lost the enrollment"
sh -c "$import"
[ "$(ask "$(code 0 "$next")")" = "$refused" ] || fail "the same secret, imported again, forgets a used code"
if administer import "$user" <<< "" 2> /tmp/error; then fail "an empty secret is imported"; fi
sh -c "$remove_as_typed"
stands "$remove_as_typed" || fail "'$remove_as_typed' does not remove"
sh -c "$import"
[ "$(ask "$(code 0 "$next")")" = "$refused" ] || fail "the same secret, after '$remove_as_typed', forgets a used code"
expect_failures 0 "after a code that is not looked at"
administer remove "$user"
touch -d '6 minutes ago' "/etc/otp/.$user.lock"
sh -c "$import"
[ "$(ask "$(code 0 "$next")")" = "$success" ] || fail "a code is refused six minutes after the last login"
administer remove "$user"
for command in show unlock remove; do
  administer "$command" "$user" 2> /tmp/error && fail "$command: no user"
  grep -q 'no such user' /tmp/error || fail "$command: $(cat /tmp/error)"
done

# ---- At every moment of a login whose code is right, without the lock ----
moments=0
expect_stands() {
  local change=$1 result
  shift
  prepare
  result=$(declare -x "$@"; ask "$(code)")
  [ "$result" = "$refused" ] || fail "'$change' in a login: '$result': $*"
  stands "$change" || fail "'$change' was undone by a login: $*"
  moments=$((moments + 1))
}
for change in "$remove" "$enroll_by_renaming"; do
  # As the code is checked, and as the new file is to take the place of the one that was read.
  for moment in OTP_MEANWHILE OTP_RENAMING; do expect_stands "$change" "$moment=$change"; done
  expect_stands "$change" OTP_NO_EXCHANGE=1 "OTP_MEANWHILE=$change"
done
for file_system in OTP_EXCHANGE=1 OTP_NO_EXCHANGE=1; do
  prepare
  result=$(declare -x $file_system; ask "$(code)")
  [ "$result" = "$success" ] || fail "the right code: '$result'"
  expect_failures 0 "after the right code"
done

[ "$(grep -c 'removed or replaced' /tmp/log)" -eq "$moments" ] || fail "a change is not logged"

# ---- README's commands wait for a login ----
for change in "$remove_as_typed" "$import" "$unlock_as_typed"; do
  prepare
  result=$(declare -x "OTP_MEANWHILE=! timeout 0.3 sh -c '$change'"; ask "$(code)")
  [ "$result" = "$success" ] || fail "'$change' does not wait for a login: '$result'"
done
if grep -F 'Success' /tmp/log; then fail "a failure was logged as 'Success'"; fi

echo "$moments changes at chosen moments of a login were kept, and README's commands wait for it"
