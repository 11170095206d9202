#!/usr/bin/env bash
# The module in another program, pamtester, which distinguishes PAM's results: unusual names, crashes and a full disk at
# the worst moments, arguments, logs, and memory under valgrind. Runs under root.sh.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/state.sh"
serve dir=/etc/otp max_failures=4 nodelay

# All memory must be freed when the module and the library are unloaded, as in a long-running service.
watch=(valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite "--log-file=/tmp/valgrind.%p")
asked=0
expect_result() {
  local result
  result=$(ask "$3" "$2")
  [ "$result" = "$1" ] || fail "user '$2': '$result', not '$1': $4"
  asked=$((asked + 1))
}
readonly success='successfully authenticated' refused='Authentication failure'
readonly unavailable='Authentication service cannot retrieve authentication info'

# Users need not be the system's. Names that are paths are unknown, and leave nothing behind.
longest=$(printf 'x%.0s' {1..128})
of_user "$longest"
enroll
longest_secret=$secret
of_user Alice_2+x@example.com
enroll
for other in /tmp/outside /etc/otp/-alice "/etc/otp/${longest}x"; do cp -p "$state" "$other"; done
current=$(code)
for other in ../outside /tmp/outside "../otp/$user" ".$user" . .. -alice alice/ nobody .keyring "alice bob" \
  "${longest}x" "$(printf 'x%.0s' {1..5000})"; do
  expect_result "$refused" "$other" "$current" "a name that is not a user's"
done
expect_result "$success" "$longest" "$(code 0 "$longest_secret")" "the longest name"
rm /etc/otp/-alice "/etc/otp/$longest"* "/etc/otp/.$longest.lock"
files=$(find /etc/otp -type f -printf '%f\n' | sort | tr '\n' ' ')
[ "$files" = ".$user.lock .keyring $user " ] || fail "files: $files"

# A new code: the calls above took a while, and a code is valid only for its step and the adjacent ones.
current=$(code)
expect_result "$success" "$user" "$current" "the right code"
expect_result "$refused" "$user" "$current" "a used code"
wrong=$(wrong_code)
expect_result "$refused" "$user" "$wrong" "a wrong code"
expect_result "$refused" "$user" "$(printf '1%.0s' {1..500})" "a long text, which no code can be"
expect_failures 2 "after a used and a wrong one"

# A process that dies just before the code is checked has answered nothing, and leaves no lock.
(watch=(); OTP_CRASH=1 ask "$(code 30)" > /tmp/crashed)
[ ! -s /tmp/crashed ] || fail "no crash: $(cat /tmp/crashed)"
expect_failures 2 "after a crash"
for _ in 3 4; do expect_result "$refused" "$user" "$(wrong_code)" "a wrong code"; done
expect_result "$refused" "$user" "$(code 30)" "the right code after too many attempts"
expect_failures 4 "after that, which was not looked at"

# No answer is given, right or wrong, that cannot be stored.
enroll
mkdir "/etc/otp/.$user.new"
for answer in "$(code)" "$(wrong_code)"; do
  expect_result "$unavailable" "$user" "$answer" "an answer that cannot be stored"
done
rmdir "/etc/otp/.$user.new"
expect_failures 0 "after that"

# The keyring's key is in memory while a code is checked, but not afterward; nor is the user's secret.
enroll
key=$(sed -n 's/^{"name":"[^"]*","key":"\(.*\)"}.*/\1/p' /etc/otp/.keyring)
for needle in "base64 $key" "base32 $secret"; do
  for answer in "$(wrong_code)" "$(code)"; do
    hex=$("${needle% *}" -d <<< "${needle#* }" | od -An -v -tx1 | tr -d ' \n')
    search="${here:?}/../in_memory.py \$PPID $hex >> /tmp/searched"
    rm -f /tmp/searched
    (watch=() && OTP_MEANWHILE=$search OTP_WIPED=$search ask "$answer" > /tmp/asked)
    [[ $needle == base32* || $(head -n 1 /tmp/searched) = True ]] || fail "the search does not find a key that is there"
    [ "$(tail -n 1 /tmp/searched)" = False ] || fail "'$needle' was left in memory: $(cat /tmp/searched)"
  done
done

# What an administrator must mend has its own result and log lines. Each line: how it is spoiled, and what it is then.
of_user other
enroll
of_user Alice_2+x@example.com
while IFS='|' read -r spoil what mend; do
  enroll
  eval "$spoil"
  expect_result "$unavailable" "$user" "$(code)" "$what"
  eval "${mend:-:}"
done << 'SPOILED'
echo 'a record' > "$state"|a file that is no record
head -c 100 "$state" > /tmp/part; cat /tmp/part > "$state"|a part of a record
head -c 2000 /dev/urandom >> "$state"|more than a record
cp /etc/otp/other "$state"|another user's record
chmod 640 "$state"|a file that a group can read
chown "$name" "$state"|a file that the user owns
mv "$state" /tmp/elsewhere; ln -s /tmp/elsewhere "$state"|a file behind a symbolic link|rm /tmp/elsewhere
ln "$state" /tmp/elsewhere|a file with another name|rm /tmp/elsewhere
rm "$state"; mkdir -m 600 "$state"|a folder
chmod 770 /etc/otp|a directory that others can write to|chmod 700 /etc/otp
chmod 640 /etc/otp/.keyring|a keyring that others can read|chmod 600 /etc/otp/.keyring
SPOILED
enroll
expect_result "$success" "$user" "$(code)" "the right code after all these"
for arguments in "" "dir=/etc/otp max_failures=0" "dir=/etc/otp max_failures=100" "dir=/etc/otp window=11" \
  "dir=/etc/otp max_failure=3" dir=otp; do
  serve "$arguments"
  expect_result 'Error in service module' "$user" "$(code)" "the arguments '$arguments'"
done
serve dir=/tmp/nowhere nodelay
expect_result "$unavailable" "$user" "$(code)" "a directory that is not there"
# Any name, which may be a password.
expect_result "$unavailable" nobody "$(code)" "an unknown user, with a directory that is not there"

# A process that stops while it has the user's lock.
serve dir=/etc/otp nodelay
exec {lock}<> "/etc/otp/.$user.lock"
flock "$lock"
expect_result "$unavailable" "$user" "$(code)" "a user whose lock another process has"
exec {lock}>&-
expect_result "$success" "$user" "$(code 30)" "the right code after that"

# The log has a line of every kind, and none contains a secret, a code or an unknown name.
if grep -q . /tmp/valgrind.*; then fail "valgrind: $(cat /tmp/valgrind.*)"; fi
for line in "user $user: used code" 'wrong code' 'not a code' 'locked: too many failures' 'unknown user' \
  'another subject' 'keyring' "not the service's alone" \
  'not understood' 'dir=/... is missing' 'No such file or directory' "has held the user's lock"; do
  grep -qF "$line" /tmp/log || fail "the log has no line with '$line': $(cat /tmp/log)"
done
if grep Success /tmp/log; then fail "a failure was logged as 'Success'"; fi
if grep -q -e "$secret" -e "$current" -e "$wrong" -e nobody -e outside /tmp/log; then
  fail "a secret is in the log: $(cat /tmp/log)"
fi
echo "$asked answers to pamtester under memcheck"
