#!/usr/bin/env bash
# libotp through the foreign functions of PHP, Ruby and .NET (by Mono): the programs of LibOTP/examples/ffi enroll a
# user, and accept each code once.
set -euo pipefail
cd "$(dirname "$0")/../../.."
LibOTP/build.sh > /dev/null
export LD_LIBRARY_PATH=$PWD/.build-libotp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mcs -out:"$work/Factor.exe" LibOTP/examples/ffi/Factor.cs
header=.build-libotp/otp.cdef.h
php -r "FFI::cdef(file_get_contents('$header'), 'libotp.so.0')->otp_keyring_create_file('$work/keyring');"

# Types a wrong code, then the app's code twice and the next one twice.
tries() {
  local uri secret code answer input process now answers=()
  coproc "$@"
  input=${COPROC[1]} process=$COPROC_PID
  read -r uri <&"${COPROC[0]}"
  secret=${uri#*secret=}
  now=$(date +%s)
  for code in 000000 $((now)) $((now)) $((now + 30)) $((now + 30)); do
    [ "$code" = 000000 ] || code=$(oathtool --totp --base32 --now="@$code" "${secret%%&*}")
    echo "$code" >&"$input"
    read -r answer <&"${COPROC[0]}"
    answers+=("$answer")
  done
  exec {input}>&-
  wait "$process"
  if [ "${answers[*]}" != "rejected enrolled rejected accepted rejected" ]; then
    echo "ffi: $1 has answered: ${answers[*]}" >&2
    return 1
  fi
}
tries php LibOTP/examples/ffi/factor.php $header "$work/keyring"
tries ruby LibOTP/examples/ffi/factor.rb "$work/keyring"
tries mono "$work/Factor.exe" "$work/keyring"
echo "ffi: PHP, Ruby and .NET accept each code once"
