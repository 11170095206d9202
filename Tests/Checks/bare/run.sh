#!/usr/bin/env bash
# With as little around it as possible: the engine, the keyring and records as Embedded Swift, in a program without a
# Swift runtime; and libotp for an OpenSSL without the functions deprecated in version 3, to none of which it refers.
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Embedded, as in libotp.
LibOTP/build.sh
read -ra crypto_libs <<< "$(pkg-config --libs libcrypto)"
# Without the C interface.
mapfile -t objects < <(find .build-libotp/objects -name '*.o' ! -name LibOTP.o | sort)
swiftc -enable-experimental-feature Embedded -wmo -O -swift-version 6 -strict-memory-safety -warnings-as-errors \
  -package-name swift-otp -parse-as-library -I Sources/Core/COTPSupport/include -I Sources/Core/CLibcrypto -I .build-libotp \
  Tests/Checks/bare/main.swift "${objects[@]}" "${crypto_libs[@]}" -Xlinker --gc-sections -o "$work/embedded-check"
output=$("$work/embedded-check")
echo "$output"
[ "$output" = "embedded: 4 passed" ]
libraries=$(ldd "$work/embedded-check")
strip "$work/embedded-check"
echo "embedded: $(stat -c %s "$work/embedded-check") bytes stripped; needs $(echo "$libraries" | awk '{print $1}' | xargs)"
if echo "$libraries" | grep -qi swift; then
  echo "embedded: the program needs a Swift runtime library" >&2
  exit 1
fi

# Without deprecated functions: libotp built as for an OpenSSL that lacks them, and every vector through it, by both of
# the backends that remain.
without=.build-libotp-no-deprecated
OTP_LIBOTP_BUILD=$without OTP_LIBOTP_CFLAGS=-DOPENSSL_NO_DEPRECATED \
  OTP_LIBOTP_SWIFTFLAGS="-Xcc -DOPENSSL_NO_DEPRECATED" LibOTP/build.sh
deprecated() { nm --undefined-only "$1"/objects/*.o | grep -E '(SHA(1|256|512)|HMAC)_|RAND_set'; }
if deprecated "$without"; then
  echo "bare: deprecated functions are used" >&2
  exit 1
fi
# The control: in a usual build the same search must find them.
deprecated .build-libotp > "$work/found"
clang -std=c99 -O1 -I "$without" vectors/conformance/adapters/libotp.c "$without/libotp.a" "${crypto_libs[@]}" \
  -o "$work/adapter"
for backend in lanes evp; do OTP_BACKEND=$backend python3 vectors/conformance/run.py --exact "$work/adapter"; done
echo "bare: no Swift runtime and no deprecated function is needed"
