# shellcheck shell=bash
# Functions to make and inspect a user's state, for the scripts under root.sh. They set $name, a user of the system,
# $build with the module, and $here.
set -euo pipefail

fail() {
  echo "openssh: $*" >&2
  [ ! -e /tmp/sshd.log ] || tail -n 30 /tmp/sshd.log >&2
  exit 1
}

# Configures the service: the module, with arguments.
serve() {
  printf '%s\n' "auth required ${build:?}/pam_otp.so $*" 'account required pam_permit.so' \
    'session required pam_permit.so' > /etc/pam.d/sshd
}

# Selects the user for the functions below.
of_user() {
  user=$1
  state=/etc/otp/$user
}
of_user "${name:?}"

new_secret() { head -c 20 /dev/urandom | base32; }
administer() { "$build/pam-otp" /etc/otp "$@"; }
# A new secret, as of a user that there never was.
enroll() {
  rm -rf "$state" "/etc/otp/.$user.lock"
  secret=$(new_secret)
  administer import "$user" <<< "$secret"
}
# oathtool's code for a step near the current one, of the user's secret or another.
code() { oathtool --totp --base32 --now "$(date -u -d "${1:-0} seconds" '+%F %T UTC')" - <<< "${2:-$secret}"; }
# A well-formed code that no nearby step has.
wrong_code() {
  local guess near
  near=$(for seconds in -90 -60 -30 0 30 60 90; do code $seconds; done)
  while guess=$(printf '%06d' $((RANDOM * 32768 % 1000000 + RANDOM % 1000))); do
    if [ ${#guess} -eq 6 ] && ! grep -qx "$guess" <<< "$near"; then break; fi
  done
  echo "$guess"
}
failures() { administer show "$user" | sed -n 's/^failures //p'; }
expect_failures() { [ "$(failures)" = "$1" ] || fail "not $1 failures but $(failures): $2"; }

# PAM's result for a user's answer, from pamtester; the module's log is in /tmp/log. $watch is an optional checker.
watch=()
ask() {
  OTP_LOG=/tmp/log LD_PRELOAD=$build/intercept.so "${watch[@]}" pamtester sshd "${2:-$user}" authenticate \
    <<< "$1" 2>&1 | sed -n 's/^.*pamtester: //p' || true
}
