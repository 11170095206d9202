#!/usr/bin/env bash
# What a program linked to an earlier build relies on, and how the library is built: its names, structures and constants
# are the committed ones; its dependencies, the glibc that it needs, its hardening and its size.
#
#   binary.sh BUILD              the folder with libotp.so.0 and libotp.a
#   binary.sh BUILD --write      rewrites symbols.txt and layout.txt
#
# OTP_LIBOTP_TARGET names another machine that the library is for, and OTP_EMULATOR runs that machine's programs.
set -euo pipefail
cd "$(dirname "$0")"
build=$1
library=$build/libotp.so.0
target=${OTP_LIBOTP_TARGET:-}
tools=${target:+$target-}
compiler=${target:+$target-gcc}
read -ra emulator <<< "${OTP_EMULATOR:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "libotp: $*" >&2
  exit 1
}

# same COMMITTED FOUND WHAT
same() { git diff --no-index --word-diff --unified=0 "$1" "$2" >&2 || fail "$3 differ from the committed ones"; }

"${tools}nm" --dynamic --defined-only "$library" | awk '{ print $3 }' | sort > "$work/found-symbols"
python3 -B layout.py "$build/otp.h" | "${compiler:-clang}" -std=c11 -Wall -Wextra -Werror -x c - -o "$work/layout"
"${emulator[@]}" "$work/layout" > "$work/found-layout"
if [ "${2:-}" = --write ]; then
  cp "$work/found-symbols" symbols.txt
  cp "$work/found-layout" layout.txt
fi
same symbols.txt "$work/found-symbols" "the exported names"
same layout.txt "$work/found-layout" "structures or constants"
if grep -vE '^(otp_[a-z0-9_]+@@LIBOTP_0|LIBOTP_0)$' symbols.txt; then fail "an unexpected name is exported"; fi

# Every name is declared, and the archive defines no others.
sed -n 's/@@.*//p' symbols.txt > "$work/names"
while read -r name; do
  grep -qE "\b$name\(" "$build/otp.h" || fail "$name is not in otp.h"
done < "$work/names"
"${tools}nm" --extern-only --defined-only "$build/libotp.a" | awk 'NF == 3 { print $3 }' | sort > "$work/archive-names"
same "$work/names" "$work/archive-names" "the archive's names"

dynamic=$("${tools}readelf" --dynamic --wide "$library")
headers=$("${tools}readelf" --program-headers --wide "$library")
grep -q 'SONAME.*\[libotp\.so\.0\]' <<< "$dynamic" || fail "another soname"
grep -q 'BIND_NOW' <<< "$dynamic" || fail "it is not linked with BIND_NOW"
grep -q 'GNU_RELRO' <<< "$headers" || fail "no RELRO"
if grep -q 'TEXTREL' <<< "$dynamic"; then fail "text relocations"; fi
if grep -qE '(RPATH|RUNPATH)' <<< "$dynamic"; then fail "it has a run path"; fi
grep 'GNU_STACK' <<< "$headers" | grep -qv 'RWE' || fail "its stack is executable"
if grep -E '^ *LOAD .* RWE ' <<< "$headers"; then fail "it has memory that is writable and executable"; fi
needed=$(sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' <<< "$dynamic" | sort | xargs)
expected="libc.so.6 libcrypto.so.3"
# On arm64, the stack guard's value comes from the dynamic linker.
if [ -n "$target" ]; then expected="ld-linux-aarch64.so.1 $expected"; fi
expected=$(tr ' ' '\n' <<< "$expected" | sort | xargs)
[ "$needed" = "$expected" ] || fail "it needs $needed"

# The newest glibc version that the library needs: secure_getenv's, since set-user-ID programs must ignore the
# environment. A later version excludes systems, and needs a reason.
recorded=2.17
glibc=$("${tools}readelf" --version-info --wide "$library" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -V | tail -n 1)
[ "$(printf '%s\n' "$glibc" "$recorded" | sort -V | tail -n 1)" = "$recorded" ] ||
  fail "it needs glibc $glibc, for $("${tools}nm" --dynamic --undefined-only "$library" | grep -F "@GLIBC_$glibc" | xargs);" \
    "recorded is $recorded"
# The archive's object calls nothing that the shared library does not, so that programs can be linked on older systems.
"${tools}nm" "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u > "$work/known-names"
calls=$("${tools}nm" --undefined-only --format=posix "$build/libotp.o" | cut -d ' ' -f 1 | sort -u |
  comm -23 - "$work/known-names" | xargs)
[ -z "$calls" ] || fail "the archive calls $calls, and the shared library does not"

# No global is initialized on first use: its memory would outlive an unloaded library, and a child that was forked by
# another thread meanwhile would wait for it forever.
globals=$("${tools}nm" "$build/libotp.o" | grep '_WZ$' || true)
[ -z "$globals" ] || fail "initialized on first use: $globals"

"${tools}strip" -o "$work/stripped" "$library"
size=$(stat -c %s "$work/stripped")
# Most of it is kernels: 40 on x86-64, of 1 to 20 KB each. Records, with their cipher and keyrings, take some 110 KB.
[ "$size" -le 716800 ] || fail "$size bytes stripped are more than 716800"
echo "binary: $(wc -l < "$work/names") functions, structures and constants as committed;" \
  "$size bytes stripped; needs $needed, glibc $glibc"
