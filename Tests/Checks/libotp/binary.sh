#!/usr/bin/env bash
# What a program linked to an earlier build relies on, and how the library is built: its functions, structures and
# constants are the recorded ones; its dependencies, the glibc that it needs, its hardening and its size.
#
#   binary.sh BUILD              the folder with libotp.so.0 and libotp.a
#   binary.sh BUILD --write      rewrites interface.txt
#
# OTP_LIBOTP_TARGET names another machine that the library is for, and OTP_EMULATOR runs that machine's programs.
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")"
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

# same EXPECTED FOUND WHAT
same() { git diff --no-index --word-diff --unified=0 "$1" "$2" >&2 || fail "$3 differ"; }

python3 -B interface.py "$build/otp.h" interface.txt |
  "${compiler:-clang}" -std=c11 -Wall -Wextra -Werror -x c - -o "$work/interface"
"${emulator[@]}" "$work/interface" > "$work/found-interface"
if [ "${2:-}" = --write ]; then cp "$work/found-interface" interface.txt; fi
same interface.txt "$work/found-interface" "the recorded functions, structures or constants"

# The library and the archive define these functions, and no other name.
sed -nE 's/^[0-9.]+ .*[ *](otp_[a-z0-9_]+)\(.*/\1/p' interface.txt | LC_ALL=C sort > "$work/names"
{ sed 's/$/@@LIBOTP_0/' "$work/names"; echo LIBOTP_0; } | LC_ALL=C sort > "$work/symbols"
"${tools}nm" --dynamic --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort > "$work/found-symbols"
same "$work/symbols" "$work/found-symbols" "the exported names"
"${tools}nm" --extern-only --defined-only "$build/libotp.a" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort > "$work/archive-names"
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
[ "$size" -le 729088 ] || fail "$size bytes stripped are more than 716800"
echo "binary: $(wc -l < "$work/names") functions, structures and constants as committed;" \
  "$size bytes stripped; needs $needed, glibc $glibc"
