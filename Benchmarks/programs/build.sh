#!/usr/bin/env bash
# build.sh FOLDER: builds the programs here that the machine can build, and writes programs.txt, which otp-bench reads:
# in each line a row, a subject, and the command that prints the nanoseconds that it takes, apart by tabs.
set -euo pipefail
mkdir -p "$1"
build=$(cd "$1" && pwd)
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
libotp=$root/.build-libotp
otp=$root/.build-release/release/otp
: > "$build/programs.txt"
program() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >> "$build/programs.txt"; }
version() { dpkg-query --show --showformat='${Version}' "$1" 2> /dev/null | sed 's/-.*//' || true; }

cc -O2 measure.c -o "$build/measure" "-I$libotp" "-L$libotp" -lotp -lcrypto "-Wl,-rpath,$libotp"
program "first code of a process" swift-otp "$build/measure libotp"
program "first code of a process" "HMAC()" "$build/measure OpenSSL"

if [ -x "$otp" ]; then
  # RFC 6238, appendix B.
  GEZDGNBVGY=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ
  printf '%s' $GEZDGNBVGY > "$build/secret"
  program "otp --version" swift-otp "$build/measure start $otp --version"
  program "otp --version" "oathtool --version" "$build/measure start oathtool --version"
  program "otp verify" swift-otp "$build/measure start $otp verify --secret-file $build/secret --at 59 287082"
  program "otp verify" "oathtool" "$build/measure start oathtool --totp --base32 --now @59 $GEZDGNBVGY 287082"
fi

python="/usr/bin/env OTP_LIBRARY=$libotp/libotp.so.0 PYTHONPATH=$root/LibOTP/bindings/python/src /usr/bin/python3 $PWD/verify.py"
program "verify, ±1, SHA1, from Python" swift-otp "$python libotp"
program "verify, ±1, SHA1, from Python" hmac "$python hmac"
if /usr/bin/python3 -c 'import pyotp' 2> /dev/null; then
  program "verify, ±1, SHA1, from Python" "pyotp $(version python3-pyotp)" "$python pyotp"
fi

if [ -d /usr/share/gocode/src/github.com/pquerna/otp ] && command -v go > /dev/null; then
  mkdir -p "$build/src/example.com"
  ln -sfn "$root/LibOTP/bindings/go" "$build/src/example.com/otp"
  GO111MODULE=off GOPATH=$build:/usr/share/gocode PKG_CONFIG_PATH=$libotp CGO_CFLAGS="-I$libotp" \
    CGO_LDFLAGS="-L$libotp -Wl,-rpath,$libotp" go build -o "$build/verify-go" verify.go
  for subject in swift-otp crypto/hmac "pquerna $(version golang-github-pquerna-otp-dev)"; do
    name=${subject% *}
    program "verify, ±1, SHA1, from Go" "$subject" "$build/verify-go ${name/swift-otp/libotp}"
  done
fi

if [ -x "$otp" ] && command -v node > /dev/null; then
  [ -e "$build/keyring" ] || "$otp" keyring new "$build/keyring" > /dev/null
  program "record from Node, by otp record serve" swift-otp "$(command -v node) $PWD/verify.mjs service $otp $build/keyring"
  program "record from Node, by otp record serve" "three codes by createHmac" "$(command -v node) $PWD/verify.mjs createHmac"
fi
