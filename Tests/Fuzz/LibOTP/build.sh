#!/usr/bin/env bash
# Builds libotp, Swift and C, with coverage, Address and Undefined Behavior Sanitizer, and the fuzzer of its C API.
#
#   Tests/Fuzz/LibOTP/build.sh FOLDER      a folder relative to the repository's root; the program is FOLDER/fuzz-libotp
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/toolchain.sh
source Scripts/toolchain.sh
build=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The program links the sanitizers' own functions.
undefined="-fsanitize=undefined -fno-sanitize-recover=all -fsanitize-ignorelist=$PWD/Tests/Fuzz/LibOTP/ignored.txt"
OTP_LIBOTP_BUILD=$build OTP_LIBOTP_LDFLAGS=-Wl,--unresolved-symbols=ignore-all \
  OTP_LIBOTP_CFLAGS="-O1 -g -fsanitize=fuzzer-no-link,address $undefined" \
  OTP_LIBOTP_SWIFTFLAGS="-sanitize=fuzzer,address" LibOTP/build.sh > "$log" 2>&1 || { cat "$log"; exit 1; }
python3 -B Tests/Checks/libotp/calls.py LibOTP/include/otp.h > "$build/calls.h"
clang -fuse-ld=lld -std=c11 -g -O1 -Wall -Wextra -Werror -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
  -I "$build" -I Tests/Checks/libotp Tests/Fuzz/LibOTP/fuzz_libotp.c "$build/libotp.a" -lcrypto -o "$build/fuzz-libotp"
