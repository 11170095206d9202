#!/usr/bin/env bash
# Lists every block of instructions that libotp runs in a verification, under qemu: the list must be the same for every
# secret and, if the code is accepted, for every step that it may belong to. A planted leak must change the list.
#
#   constant_time.sh NAME LIBRARY EMULATOR COMPILER...    a CPU's name, the folder of libotp.a, and commands
set -euo pipefail
cd "$(dirname "$0")"
name=$1
library=$2
read -ra emulator <<< "$3"
compiler=("${@:4}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "constant time: $name: $*" >&2
  exit 1
}

# Linked at fixed addresses, so that only blocks of the program and libotp are listed, and none of libcrypto.
"${compiler[@]}" -std=c11 -Wall -Wextra -Werror -O1 -no-pie -I "$library" traced.c "$library/libotp.a" -lcrypto \
  -o "$work/traced"

# What the test of another backend measures differs from run to run; a plan depends on no secret.
export OTP_BACKEND=lanes-fixed

# Prints the number of blocks that ran, and a digest of their addresses.
blocks() {
  "${emulator[@]}" -d exec,nochain -dfilter 0x400000..0x4fffff -D "$work/log" "$work/traced" "$@" > "$work/output" ||
    fail "traced $* fails"
  awk -F / '/^Trace/ { print $2 }' "$work/log" > "$work/blocks"
  echo "$(wc -l < "$work/blocks") $(sha256sum < "$work/blocks")"
}

secrets=(00112233445566778899aabbccddeeff 00000000000000000000000000000000 ffffffffffffffffffffffffffffffff
  8f3c61d20a97b54ee1480d76f9a2bc35)
names=('' SHA1 SHA256 SHA512)
for hash in 1 2 3; do
  oath=(oathtool "--totp=${names[hash]}" -d 6)
  first=
  for secret in "${secrets[@]}"; do
    # A code that no step of any of the windows has.
    found=$(blocks "$hash" "$secret" 000000 0)
    [ "${first:=$found}" = "$found" ] || fail "hash $hash: what runs depends on the secret"
  done
  [ "${first%% *}" -gt 10000 ] || fail "only ${first%% *} blocks were seen"
  accepted=
  for interval in -10 -9 -1 0 1 5 10; do
    code=$("${oath[@]}" --now "@$((1111111111 + 30 * interval))" "${secrets[0]}")
    found=$(blocks "$hash" "${secrets[0]}" "$code" 10)
    [ "${accepted:=$found}" = "$found" ] || fail "hash $hash: what runs depends on the matched step"
  done
  echo "constant time: $name, hash $hash: ${first%% *} blocks for each of ${#secrets[@]} secrets," \
    "${accepted%% *} for each matched step"
done
[ "$(blocks 1 "${secrets[1]}" 000000 0 leak)" != "$(blocks 1 "${secrets[2]}" 000000 0 leak)" ] ||
  fail "the planted leak was not noticed"
