#!/usr/bin/env bash
# OpenSSH's server, as Debian ships it, asks libotp through PAM and Examples/pam: OpenSSH's client logs in with codes
# that oathtool makes, and is refused a code's second use, a wrong one, a right one after too many failures, and all but
# one of several logins at once with one code.
#
# Needs root: sshd checks other users. It gets a service of its own in /etc/pam.d and a user, which are removed at the
# end, and the empty folder /run/sshd, which any sshd may be using. Everything else is in a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/../../.."
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo > /dev/null || { echo "server: needs root (SKIP=server leaves it out)" >&2; exit 1; }
  exec sudo --non-interactive env "PATH=$PATH" "$PWD/Tests/Checks/server/run.sh"
fi
here=$PWD/Tests/Checks/server

# Debian's sshd calls its PAM service by the name it is started with, so a link is a service of its own.
name=otp-check-$$
work=$(mktemp -d /tmp/otp-server.XXXXXX)
sshd_pid=
cleanup() {
  if [ -n "$sshd_pid" ]; then
    kill "$sshd_pid" 2> /dev/null || true
    wait "$sshd_pid" 2> /dev/null || true
  fi
  userdel "$name" 2> /dev/null || true
  rm -rf "$work" "/etc/pam.d/$name"
}
trap cleanup EXIT
chmod 711 "$work"

fail() {
  echo "server: $*" >&2
  echo "--- sshd:" >&2
  tail -n 30 "$work/sshd.log" >&2 || true
  exit 1
}

# ---- The library and the module, built as someone would who installs them ----
OTP_LIBOTP_BUILD=$work/build Scripts/libotp.sh install "$work/usr"
# (valgrind does not read all of what clang writes in DWARF 5.)
PKG_CONFIG_PATH=$work/usr/lib/pkgconfig make --silent -C Examples/pam OUT="$work/pam_otp.so" CC=clang \
  CFLAGS="-O2 -gdwarf-4" LDFLAGS="-Wl,-rpath,$work/usr/lib"

# ---- The server ----
readonly max_failures=4
mkdir -m 700 "$work/otp"
cat > "/etc/pam.d/$name" <<EOF
auth required $work/pam_otp.so dir=$work/otp max_failures=$max_failures nodelay
account required pam_permit.so
session required pam_permit.so
EOF
mkdir "$work/home"
useradd --no-create-home --home-dir "$work/home" --shell /bin/sh "$name"
[ -d /run/sshd ] || mkdir -m 755 /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$work/host_key"
ln -s "$(command -v sshd || echo /usr/sbin/sshd)" "$work/$name"
cat > "$work/sshd_config" <<EOF
ListenAddress 127.0.0.1
HostKey $work/host_key
PidFile none
UsePAM yes
KbdInteractiveAuthentication yes
PasswordAuthentication no
PubkeyAuthentication no
AuthenticationMethods keyboard-interactive
MaxStartups 100
LogLevel VERBOSE
EOF

start_sshd() {
  local attempt waited
  for attempt in 1 2 3 4 5; do
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    "$work/$name" -D -f "$work/sshd_config" -E "$work/sshd.log" -o "Port=$port" &
    sshd_pid=$!
    for waited in {1..50}; do
      if grep -q "^Server listening on 127.0.0.1 port $port" "$work/sshd.log" 2> /dev/null; then return; fi
      kill -0 "$sshd_pid" 2> /dev/null || break
      sleep 0.1
    done
    echo "server: sshd did not start on port $port (attempt $attempt, $waited looks)" >&2
  done
  fail "sshd does not start"
}
start_sshd
echo "[127.0.0.1]:$port $(cat "$work/host_key.pub")" > "$work/known_hosts"

# ---- The client ----
# Tries to log in with an answer to the question for a code; prints who the server says it is. $OTP_PARTY logins with
# one folder $OTP_MEETING give their answers together.
log_in() {
  local answer=$1 user=${2:-$name}
  OTP_ANSWER=$answer SSH_ASKPASS=$here/askpass.sh SSH_ASKPASS_REQUIRE=force ssh -F none -p "$port" \
    -o UserKnownHostsFile="$work/known_hosts" -o GlobalKnownHostsFile=none -o StrictHostKeyChecking=yes \
    -o PreferredAuthentications=keyboard-interactive -o NumberOfPasswordPrompts=1 -o LogLevel=ERROR \
    -l "$user" 127.0.0.1 'id -un' < /dev/null 2>> "$work/ssh.log"
}

logins=0
refusals=0
expect_in() {
  [ "$(log_in "$1")" = "$name" ] || fail "refused: $2"
  logins=$((logins + 1))
}
# Refused as a client is whose answer was wrong, and not for want of a server.
expect_refused() {
  : > "$work/ssh.log"
  if [ "$(log_in "$1" "${3:-$name}")" != "" ]; then fail "let in: $2"; fi
  grep -q 'Permission denied (keyboard-interactive)' "$work/ssh.log" || fail "no refusal: $2: $(cat "$work/ssh.log")"
  refusals=$((refusals + 1))
}

# ---- A user's state ----
state=$work/otp/$name
# A new secret, which nothing was accepted for.
enrol() {
  secret=$(head -c 20 /dev/urandom | base32)
  install -m 600 /dev/stdin "$state" <<< "secret $secret"
}
# The code of a step around the current one, by oathtool.
code() { oathtool --totp --base32 --now "$(date -u -d "${1:-0} seconds" '+%F %T UTC')" - <<< "$secret"; }
# A code of the right form that no step around here has.
wrong_code() {
  local guess near
  near=$(for seconds in -90 -60 -30 0 30 60 90; do code $seconds; done)
  while guess=$(printf '%06d' $((RANDOM * 32768 % 1000000 + RANDOM % 1000))); do
    if [ ${#guess} -eq 6 ] && ! grep -qx "$guess" <<< "$near"; then break; fi
  done
  echo "$guess"
}
expect_failures() { grep -qx "failures $1" "$state" || fail "not $1 failures but $(grep failures "$state"): $2"; }

# A code is accepted once; so is the next step's, and then no earlier one.
enrol
first=$(code)
expect_in "$first" "the current code"
[ "$(stat -c '%a %u' "$state")" = "600 0" ] || fail "the state is not root's alone any more"
expect_refused "$first" "a used code"
expect_failures 1 "after a replay"
expect_in "$(code 30)" "the next step's code"
expect_failures 0 "after a login"
expect_refused "$(code -30)" "the code of a step before the last accepted"

# Wrong codes.
enrol
for answer in "$(wrong_code)" "$(code | cut -c 1-5)" "$(code)0"; do expect_refused "$answer" "a wrong code"; done
expect_failures 3 "after three wrong codes"
expect_in "$(code)" "the right code after fewer failures than are allowed"
expect_refused "" "no code"

# After too many failures even the right code is refused, until an administrator says otherwise.
enrol
for ((index = 0; index < max_failures; index++)); do expect_refused "$(wrong_code)" "a wrong code"; done
expect_refused "$(code)" "the right code after too many failures"
expect_failures $max_failures "after too many"
sed -i 's/^failures .*/failures 0/' "$state"
expect_in "$(code)" "the right code after the administrator forgave"

# What cannot be counted is not verified, and what cannot be stored lets nobody in.
enrol
mkdir "$work/otp/.$name.new"
expect_refused "$(code)" "a code whose attempt cannot be counted"
rmdir "$work/otp/.$name.new"
expect_in "$(code)" "the same code once it can be counted"

# A state that others can read, that is a link, or that is not understood; and a directory that others can write to.
enrol
chmod 640 "$state" && expect_refused "$(code)" "a state that a group can read" && chmod 600 "$state"
chown "$name" "$state" && expect_refused "$(code)" "a state of the user's own" && chown 0 "$state"
mv "$state" "$work/elsewhere" && ln -s "$work/elsewhere" "$state"
expect_refused "$(code)" "a state behind a symbolic link"
rm "$state" && ln "$work/elsewhere" "$state" && expect_refused "$(code)" "a state with another name"
rm "$work/elsewhere"
chmod 770 "$work/otp" && expect_refused "$(code)" "a directory of others" && chmod 700 "$work/otp"
echo "secrets x" >> "$state" && expect_refused "$(code)" "a line of no known name" && sed -i '/^secrets/d' "$state"
echo "failures 18446744073709551616" >> "$state" && expect_refused "$(code)" "a number that is too large"
sed -i '/^failures/d' "$state"
expect_in "$(code)" "the right code after all these"

expect_refused "$(code)" "a user whom nobody knows" nobody-has-this

# Several logins at once. All have been asked before the first answers.
at_once() {
  local count=$1 index
  shift
  rm -rf "$work/meeting" && mkdir "$work/meeting"
  for ((index = 1; index <= count; index++)); do
    OTP_PARTY=$count OTP_MEETING=$work/meeting log_in "$@" > "$work/login.$index" &
    jobs[index]=$!
  done
  for ((index = 1; index <= count; index++)); do wait "${jobs[index]}" || true; done
  [ "$(find "$work/meeting" -type f | wc -l)" -eq "$count" ] || fail "not all of $count logins were asked"
  together=$(cat "$work"/login.* | grep -cx "$name" || true)
  rm "$work"/login.*
}
readonly rounds=5
jobs=()
for ((round = 1; round <= rounds; round++)); do
  enrol
  at_once $max_failures "$(code)"
  [ "$together" -eq 1 ] || fail "round $round: $together of $max_failures logins at once got in with one code"
  expect_failures $((max_failures - 1)) "after one of $max_failures logins at once"
  logins=$((logins + 1))
  refusals=$((refusals + max_failures - 1))
done
enrol
at_once $((max_failures + 2)) "$(wrong_code)"
[ "$together" -eq 0 ] || fail "$together logins got in with a wrong code"
expect_failures $max_failures "after more wrong codes at once than are allowed"
refusals=$((refusals + max_failures + 2))
expect_refused "$(code)" "the right code after too many failures at once"

# ---- The same module in another program, pamtester, which tells PAM's results apart ----
clang -shared -fPIC -Wall -Wextra -Werror -I "$work/usr/include" -o "$work/intercept.so" "$here/intercept.c"
# What PAM says of an answer; what the module logs is in $work/log. valgrind watches over the memory, which must be free
# again when the module and the library are unloaded, as they are in a service that lives on.
ask() {
  local user=$1 answer=$2 leaks=full
  [ -z "${OTP_CRASH:-}" ] || leaks=no
  OTP_LOG=$work/log LD_PRELOAD=$work/intercept.so \
    valgrind --quiet --error-exitcode=99 --leak-check=$leaks --show-leak-kinds=definite --log-file="$work/valgrind.%p" \
    pamtester "$name" "$user" authenticate <<< "$answer" > "$work/asked" 2>&1 || true
  sed -n 's/^.*pamtester: //p' "$work/asked"
}
asked=0
expect_result() {
  local result
  result=$(ask "$2" "$3")
  [ "$result" = "$1" ] || fail "user '$2': '$result', not '$1': $4"
  asked=$((asked + 1))
}
readonly success='successfully authenticated' refused='Authentication failure'
readonly unavailable='Authentication service cannot retrieve authentication info'

# Users need not be the system's. Names that lead elsewhere are unknown, and leave nothing behind.
user=Alice_2+x@example.com
state=$work/otp/$user
enrol
cp -p "$state" "$work/outside"
cp -p "$state" "$work/otp/-alice"
longest=$(printf 'x%.0s' {1..128})
for other in "$longest" "${longest}x"; do cp -p "$state" "$work/otp/$other"; done
current=$(code)
for other in ../outside "$work/outside" "../otp/$user" ".$user" . .. -alice alice/ nobody "alice bob" \
  "${longest}x" "$(printf 'x%.0s' {1..5000})"; do
  expect_result "$refused" "$other" "$current" "a name that is not a user's"
done
# Anew: those took a while, and a code is good for a step and those beside it.
current=$(code)
expect_result "$success" "$longest" "$current" "the longest name"
rm "$work/otp/-alice" "$work/otp/$longest"* "$work/otp/.$longest.lock"
files=$(find "$work/otp" -type f -printf '%f\n' | sort)
[ "$files" = "$(printf '%s\n' ".$name.lock" "$name" "$user" | sort)" ] || fail "files: $files"
expect_result "$success" "$user" "$current" "the right code"
expect_result "$refused" "$user" "$current" "a used code"
wrong=$(wrong_code)
expect_result "$refused" "$user" "$wrong" "a wrong code"
expect_result "$refused" "$user" "$(printf '1%.0s' {1..500})" "a long text"
expect_failures 3 "after three"

# A process that dies when the code is about to be looked at has used up an attempt, and leaves no lock.
OTP_CRASH=1 ask "$user" "$(code 30)" > "$work/crashed"
[ ! -s "$work/crashed" ] || fail "no crash: $(cat "$work/crashed")"
expect_failures 4 "after a crash"
expect_result "$refused" "$user" "$(code 30)" "the right code after too many attempts"

# An attempt that cannot be counted ends before the code is looked at.
enrol
mkdir "$work/otp/.$user.new"
OTP_CRASH=1 expect_result "$unavailable" "$user" "$(code)" "an attempt that cannot be counted"
rmdir "$work/otp/.$user.new"

# A right code whose use cannot be written down lets nobody in: here the disk is full from when it is looked at.
enrol
OTP_OBSTACLE=$work/otp/.$user.new expect_result "$unavailable" "$user" "$(code)" "a code whose use cannot be stored"
rmdir "$work/otp/.$user.new"
expect_failures 1 "after that"

# The secret as the file spells it is in memory while a code is looked at, and not when the service goes on.
enrol
for answer in "$(wrong_code)" "$(code)"; do
  OTP_NEEDLE=$(printf %s "$secret" | od -An -v -tx1 | tr -d ' \n') OTP_LOG=$work/log LD_PRELOAD=$work/intercept.so \
    pamtester "$name" "$user" authenticate <<< "$answer" > "$work/needles" 2>&1 || true
  grep -qx 'needles meanwhile: some' "$work/needles" || fail "no secret is found where there is one"
  [ "$(grep 'needles left' "$work/needles" | tail -n 1)" = 'needles left: 0' ] \
    || fail "the secret is left in memory: $(cat "$work/needles")"
done

# What an administrator has to mend is told apart, in the log too.
echo 'secret 1' | install -m 600 /dev/stdin "$state"
expect_result "$unavailable" "$user" "$current" "a secret that is not base32"
enrol
chmod 644 "$state"
expect_result "$unavailable" "$user" "$current" "a state that others can read"
chmod 600 "$state"
for arguments in "" "dir=$work/otp max_failures=0" "dir=$work/otp window=11" "dir=$work/otp max_failure=3" dir=otp; do
  echo "auth required $work/pam_otp.so $arguments" > "/etc/pam.d/$name"
  expect_result 'Error in service module' "$user" "$(code)" "the arguments '$arguments'"
done
echo "auth required $work/pam_otp.so dir=$work/nowhere nodelay" > "/etc/pam.d/$name"
expect_result "$unavailable" "$user" "$(code)" "a directory that is not there"

# Memory, and logs: of every kind of line there is one, and in none a secret, a code, or an unknown name.
if grep -q . "$work"/valgrind.*; then fail "valgrind: $(cat "$work"/valgrind.*)"; fi
for line in 'used code, failure 1 of 4' 'wrong code' 'refused after 4 failures' 'unknown user' 'base32' \
  "not the service's own alone" 'not understood' 'dir=/... is missing' 'No such file or directory'; do
  grep -qF "$line" "$work/log" || fail "the log has no line with '$line': $(cat "$work/log")"
done
if grep -q -e "$secret" -e "$first" "$work/sshd.log"; then fail "a secret or a code is in the server's log"; fi
if grep -q -e "$secret" -e "$current" -e "$wrong" -e nobody -e outside "$work/log"; then
  fail "what is secret is in the log: $(cat "$work/log")"
fi
echo "server: $(ssh -V 2>&1 | cut -d ' ' -f 1), asking through PAM: $logins logins, $refusals refusals;" \
  "$rounds times $max_failures logins at once with one code, and one got in; $asked answers to pamtester under memcheck"
