#!/usr/bin/env bash
# libotp's use of a caller's stack: no function needs more than otp.h says, and if a stack is too small, the process
# ends at the guard page.
#
#   stack.sh BUILD PROGRAMS      the folder with libotp.so.0 and its objects, and a folder to build in, with calls.h
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")"
build=$1
programs=$2

fail() {
  echo "libotp: $*" >&2
  exit 1
}

clang -std=c11 -pedantic -Wall -Wextra -Werror -O1 -g -I "$build" -I "$programs" -Wl,-z,now stack.c -L "$build" -lotp \
  "-Wl,-rpath,$build" -pthread -o "$programs/stack"

# otp.h's table: per line, a function, "other" or "first", and two numbers.
of_records=$(grep -oE '\botp_(record|keyring_(create|open))[a-z_]*\(' interface.txt | tr -d '(' | xargs)
awk -v records="$of_records" '/^ \* Stack$/ { inside = 1 } / \* Timing$/ { inside = 0 }
  inside && NF > 3 && $(NF - 1) ~ /^[0-9]+$/ && $NF ~ /^[0-9]+$/ {
    line = $0
    numbers = $(NF - 1) " " $NF
    if (line ~ /the first call/) { print "first", numbers; next }
    if (line ~ /any other function/) print "other", numbers
    if (line ~ /those of records/) line = records
    if (line ~ /the others that create a key/) line = line " otp_key_create_base32 otp_key_create_with_backend"
    while (match(line, /otp_[a-z0-9_]+/)) {
      print substr(line, RSTART, RLENGTH), numbers
      line = substr(line, RSTART + RLENGTH)
    }
  }' "$build/otp.h" > "$programs/stack-table"
[ "$(wc -l < "$programs/stack-table")" -ge 14 ] || fail "otp.h lacks its table of stack sizes"

tried=0
for backend in evp midstate lanes-portable lanes-sha-ni lanes-avx2 lanes-avx512 lanes-sha-arm lanes-sha512-arm \
  lanes; do
  # Only backends that this machine has.
  OTP_BACKEND=$backend "$programs/stack" present || continue
  tried=$((tried + 1))
  OTP_BACKEND=$backend "$programs/stack" first > "$programs/stack-needs"
  OTP_BACKEND=$backend "$programs/stack" >> "$programs/stack-needs"
  if [ "$backend" = lanes ]; then "$programs/stack" measuring >> "$programs/stack-needs"; fi
  awk -v backend="$backend" '
    NR == FNR { lanes[$1] = $2; any[$1] = $3; next }
    {
      row = $1 in any ? $1 : "other"
      allowed = 1024 * (backend ~ /^lanes/ ? lanes[row] : any[row])
      if ($2 <= allowed) next
      print "libotp: with " backend ", " $1 " takes " $2 " bytes of stack, not " allowed
      wrong = 1
    }
    END { exit wrong }' "$programs/stack-table" "$programs/stack-needs" >&2
  sort -k 2 -n -r "$programs/stack-needs" | head -n 1 | sed "s/^/$backend: the most stack: /"
done
[ "$tried" -ge 4 ] || fail "only $tried backends were tried"
