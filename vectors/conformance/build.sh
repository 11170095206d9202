#!/usr/bin/env bash
# Builds what the adapters need in the folder $1: a virtual environment with PyPI's packages, and the adapters in C, Go
# and Rust, from Debian's packages (Scripts/setup.sh conformance).
set -euo pipefail
mkdir -p "$1"
build=$(cd "$1" && pwd)
cd "$(dirname "$0")"

version_of() { dpkg-query --show --showformat='${Version}' "$1" | sed 's/-.*//'; }

if [ ! -e "$build/venv/bin/python" ]; then python3 -m venv "$build/venv"; fi
"$build/venv/bin/pip" install --quiet --disable-pip-version-check --requirement peers.txt

OTP_LIBOTP_BUILD=$build/.build-libotp ../../LibOTP/build.sh
libotp=$build/.build-libotp
flags=(-O2 -Wall -Wextra -Werror)
cc "${flags[@]}" "-I$libotp" adapters/libotp.c -o "$build/libotp" "-L$libotp" -lotp "-Wl,-rpath,$libotp"
cc "${flags[@]}" adapters/liboath.c -o "$build/liboath" -loath
cc "${flags[@]}" "-DPEER_VERSION=\"$(version_of libcotp-dev)\"" adapters/libcotp.c -o "$build/libcotp" -lcotp -lgcrypt

GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$build/go go build \
  -ldflags "-X main.version=$(version_of golang-github-pquerna-otp-dev)" -o "$build/pquerna" adapters/{pquerna,adapter}.go

# Cargo can use a folder of crates instead of its registry.
mkdir -p "$build/rust/.cargo"
cat > "$build/rust/Cargo.toml" << TOML
[package]
name = "totp_rs_adapter"
version = "0.0.0"
edition = "2021"
[[bin]]
name = "totp_rs"
path = "$PWD/adapters/totp_rs.rs"
[dependencies]
totp-rs = { version = "*", features = ["otpauth"] }
TOML
cat > "$build/rust/.cargo/config.toml" << TOML
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"
TOML
(cd "$build/rust" && PEER_VERSION=$(version_of librust-totp-rs-dev) cargo build --quiet --release --offline)
cp "$build/rust/target/release/totp_rs" "$build/totp_rs"
