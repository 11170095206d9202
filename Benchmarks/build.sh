#!/usr/bin/env bash
# build.sh FOLDER: builds what otp-bench measures, as far as the machine has what it needs: the shared objects of peers,
# and the programs, with programs.txt: in each line a row, a subject, and the command that prints the nanoseconds that
# it takes, separated by tabs. AWS_LC=PREFIX adds the AWS-LC that is installed there.
set -euo pipefail
mkdir -p "$1"
build=$(cd "$1" && pwd)
cd "$(dirname "$0")"
root=$(cd .. && pwd)
# shellcheck source-path=SCRIPTDIR source=../Scripts/toolchain.sh
source "$root/Scripts/toolchain.sh"
libotp=$root/.build-libotp
otp=$root/.build-release/release/otp
with_libotp=("-I$libotp" "-L$libotp" -lotp "-Wl,-rpath,$libotp")
rm -f "$build"/*.so
: > "$build/programs.txt"
peer() {  # NAME FILE FLAG...
  clang -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden "peers/$2.c" -o "$build/$1.so" "${@:3}"
}
program() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >> "$build/programs.txt"; }
version() { dpkg-query --show --showformat=' ${Version}' "$1" 2> /dev/null | sed 's/-.*//' || true; }

# The CPU's name is often only a brand; the compiler knows its design. Zen 4 is its znver4.
design=$(clang -march=native -### -c -x c /dev/null 2>&1 | sed -n 's/.*"-target-cpu" "\([^"]*\)".*/\1/p')
LC_ALL=C lscpu | sed -n "s/^Model name: *\(.*\)/\1 (${design/znver/Zen })/p" > "$build/cpu"

peer libotp libotp "${with_libotp[@]}"
peer openssl openssl -lcrypto
if [ -e /usr/include/intel-ipsec-mb.h ]; then peer ipsec-mb ipsec-mb -lIPSec_MB; fi
if [ -e /usr/include/liboath/oath.h ]; then peer liboath liboath -loath; fi
# Its functions have the names of OpenSSL's.
if [ -n "${AWS_LC:-}" ]; then
  peer aws-lc openssl -isystem "$AWS_LC/include" "$AWS_LC/lib/libcrypto.a" -Wl,--exclude-libs,ALL,-Bsymbolic
fi

clang -O2 programs/measure.c -o "$build/measure" "${with_libotp[@]}" -lcrypto
clang -O2 programs/update.c -o "$build/update" -I/usr/include/postgresql -lpq
program "first code of a process" swift-otp "$build/measure libotp"
program "first code of a process" "HMAC()" "$build/measure OpenSSL"

# RFC 6238, appendix B.
secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ
install -m 600 /dev/stdin "$build/secret" <<< $secret
program "otp --version" swift-otp "$build/measure start $otp --version"
program "otp --version" "oathtool$(version oathtool)" "$build/measure start oathtool --version"
program "otp verify" swift-otp "$build/measure start $otp verify --secret-file $build/secret --at 59 287082"
program "otp verify" "oathtool$(version oathtool)" "$build/measure start oathtool --totp --base32 --now @59 $secret 287082"

language() {  # ROW COMMAND SUBJECT...: each subject's program is the command with its name
  local subject
  for subject in "${@:3}"; do program "verify, ±1, SHA1, from $1" "$subject" "$2 ${subject%% *}"; done
}

pyotp=$(version python3-pyotp)
language Python "/usr/bin/env OTP_LIBRARY=$libotp/libotp.so.0 PYTHONPATH=$root/LibOTP/bindings/python/src /usr/bin/python3 $PWD/programs/verify.py" \
  swift-otp hmac ${pyotp:+"pyotp$pyotp"}

if [ -d /usr/share/gocode/src/github.com/pquerna/otp ] && command -v go > /dev/null; then
  mkdir -p "$build/src/example.com"
  ln -sfn "$root/LibOTP/bindings/go" "$build/src/example.com/otp"
  GO111MODULE=off GOPATH=$build:/usr/share/gocode PKG_CONFIG_PATH=$libotp CGO_CFLAGS="-I$libotp" \
    CGO_LDFLAGS="-L$libotp -Wl,-rpath,$libotp" go build -o "$build/verify-go" programs/verify.go
  language Go "$build/verify-go" swift-otp crypto/hmac "pquerna$(version golang-github-pquerna-otp-dev)"
fi

crates=/usr/share/cargo/registry
if ls -d $crates/totp-rs-* > /dev/null 2>&1 && command -v cargo > /dev/null; then
  cat > "$build/Cargo.toml" << TOML
package = { name = "verify-rust", version = "0.0.0", edition = "2021" }
bin = [{ name = "verify-rust", path = "$PWD/programs/verify.rs" }]
dependencies = { libotp.path = "$root/LibOTP/bindings/rust", hmac = "*", sha1 = "*", subtle = "*", totp-rs = "*" }
TOML
  (cd "$build" && RUSTFLAGS="-L native=$libotp -C link-arg=-Wl,-rpath,$libotp" PKG_CONFIG_PATH=$libotp \
    cargo --config 'source.crates-io.replace-with="debian"' --config "source.debian.directory=\"$crates\"" \
    build --quiet --release --offline)
  language Rust "$build/target/release/verify-rust" swift-otp \
    "hmac$(version librust-hmac-dev) with sha1$(version librust-sha1-dev)" "totp-rs$(version librust-totp-rs-dev)"
fi

if command -v node > /dev/null; then
  [ -e "$build/keyring" ] || "$otp" keyring new "$build/keyring" > /dev/null
  node="$(command -v node) $PWD/programs/verify.mjs"
  program "record from Node, by otp record serve" swift-otp "$node service $otp $build/keyring"
  program "record from Node, by otp record serve" "three codes by createHmac" "$node createHmac"
fi
