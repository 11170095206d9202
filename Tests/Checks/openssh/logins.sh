#!/usr/bin/env bash
# OpenSSH's client logs in with oathtool's codes, and is refused a used code, a wrong one, and none. (answers.sh has
# failures, and the check `doors` guesses and simultaneous logins.) Runs under root.sh.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/state.sh"
serve dir=/etc/otp nodelay

# ---- OpenSSH's server on its usual port, and its client ----
ssh-keygen -q -t ed25519 -N '' -f /tmp/host_key
cat > /tmp/sshd_config << 'EOF'
ListenAddress 127.0.0.1
HostKey /tmp/host_key
PidFile none
UsePAM yes
KbdInteractiveAuthentication yes
PasswordAuthentication no
PubkeyAuthentication no
AuthenticationMethods keyboard-interactive
MaxStartups 100
LogLevel VERBOSE
EOF
echo "127.0.0.1 $(cat /tmp/host_key.pub)" > /tmp/known_hosts
/usr/sbin/sshd -D -f /tmp/sshd_config -E /tmp/sshd.log &
until grep -q '^Server listening on 127.0.0.1 port 22' /tmp/sshd.log 2> /dev/null; do
  kill -0 $! 2> /dev/null || fail "sshd does not start"
  sleep 0.05
done

install -m 755 /dev/stdin /tmp/askpass << 'EOF'
#!/bin/sh
echo "$OTP_ANSWER"
EOF
# Tries to log in, answering the prompt for a code; prints the user's name as the server reports it.
log_in() {
  OTP_ANSWER=$1 SSH_ASKPASS=/tmp/askpass SSH_ASKPASS_REQUIRE=force ssh -F none \
    -o UserKnownHostsFile=/tmp/known_hosts -o GlobalKnownHostsFile=none -o StrictHostKeyChecking=yes \
    -o PreferredAuthentications=keyboard-interactive -o NumberOfPasswordPrompts=1 -o LogLevel=ERROR \
    -l "${2:-$name}" 127.0.0.1 'id -un' < /dev/null 2>> /tmp/ssh.log
}

logins=0
refusals=0
expect_in() {
  [ "$(log_in "$1")" = "$name" ] || fail "refused: $2"
  logins=$((logins + 1))
}
# Checks that a login is refused for a wrong answer, and not because the server is missing.
expect_refused() {
  : > /tmp/ssh.log
  if [ "$(log_in "$1" "${3:-$name}")" != "" ]; then fail "let in: $2"; fi
  grep -q 'Permission denied (keyboard-interactive)' /tmp/ssh.log || fail "no refusal: $2: $(cat /tmp/ssh.log)"
  refusals=$((refusals + 1))
}

# ---- Logins ----

# Each code is accepted once; so is the next step's, and then no earlier one.
enroll
first=$(code)
expect_in "$first" "the current code"
[ "$(stat -c '%a %u' "$state")" = "600 0" ] || fail "the state is no longer accessible to root only"
expect_refused "$first" "a used code"
expect_failures 1 "after a replay"
expect_in "$(code 30)" "the next step's code"
expect_failures 0 "after a login"
expect_refused "$(wrong_code)" "a wrong code"
expect_refused "" "no code"
expect_refused "$(code)" "an unknown user" nobody-has-this

if grep -q -e "$secret" -e "$first" /tmp/sshd.log; then fail "a secret or a code is in the server's log"; fi
echo "$(ssh -V 2>&1 | cut -d ' ' -f 1), asking through PAM: $logins logins, $refusals refusals"
