#!/usr/bin/env bash
# Builds a package that depends on the product OTP alone, and checks what that brings in: no other Swift package, and
# of shared libraries libcrypto, but neither libssl nor Foundation.
set -euo pipefail
cd "$(dirname "$0")"
build=../../../.build-consumer
rm -rf "$build" Package.resolved

swift build -c release --scratch-path "$build"
output=$("$build/release/consumer")
[ "$output" = "287082 accepted(step: 1, offset: -1)" ]

if [ -n "$(ls -A "$build/checkouts" 2> /dev/null)" ] || [ -e Package.resolved ]; then
  echo "consumer: other Swift packages were resolved: $(ls "$build/checkouts")" >&2
  exit 1
fi

libraries=$(ldd "$build/release/consumer" | awk '{print $1}' | xargs)
echo "consumer: no other Swift package; the program needs $libraries"
case $libraries in *libcrypto*) ;; *) echo "consumer: libcrypto is not linked" >&2; exit 1 ;; esac
case $libraries in *libssl* | *Foundation*) echo "consumer: more is linked than should be" >&2; exit 1 ;; esac
