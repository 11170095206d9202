# shellcheck shell=bash
# OpenSSH's server on its usual port, and its client. Source this after state.sh.

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

# Tries to log in, answering the prompt for a code; prints the user's name as the server reports it. $OTP_PARTY logins
# with the same folder $OTP_MEETING give their answers together.
log_in() {
  OTP_ANSWER=$1 SSH_ASKPASS=${here:?}/askpass.sh SSH_ASKPASS_REQUIRE=force ssh -F none \
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
