#!/usr/bin/env bash
# The Rust crate over libotp: its tests and the examples of its documentation, its declarations, compared
# with otp.h; every vector, through its adapter; its format, its documentation's links and, if there is clippy, its lints.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source-path=SCRIPTDIR source=environment.sh
source Tests/Checks/bindings/environment.sh
export LD_LIBRARY_PATH=$PWD/.build-libotp

tools=()
for crate in LibOTP/bindings/rust LibOTP/examples/own-table/rust; do
  cd "$crate"
  # Debian has the first two in packages of their own.
  if cargo fmt --version > /dev/null 2>&1; then
    cargo fmt --check
    tools=(rustfmt)
  fi
  if cargo clippy --version > /dev/null 2>&1; then
    cargo clippy --quiet --all-targets -- -D warnings
    tools+=(clippy)
  fi
  cd - > /dev/null
done
cd LibOTP/bindings/rust
RUSTDOCFLAGS='-D warnings' cargo doc --quiet --no-deps
found=$(cargo test 2>&1) || { echo "$found"; exit 1; }
passed=$(sed -n 's/^test result: ok\. \([0-9]*\) passed; 0 failed; 0 ignored; .*/\1/p' <<< "$found" | paste -s -d +)
# The crate's own, its programs of tests, and the documentation's examples.
if [[ ! $passed =~ ^[1-9][0-9]*(\+[1-9][0-9]*){3,}$ ]]; then
  echo "rust: not all tests ran:" >&2
  echo "$found" >&2
  exit 1
fi
cd - > /dev/null
cargo build --quiet --manifest-path LibOTP/bindings/rust/Cargo.toml
rustc --edition 2021 vectors/conformance/adapters/libotp.rs --extern "otp=$CARGO_TARGET_DIR/debug/libotp.rlib" -L .build-libotp \
  -o "$CARGO_TARGET_DIR/adapter"
python3 vectors/conformance/run.py --exact "$CARGO_TARGET_DIR/adapter"
echo "rust: $((passed)) tests passed, 0 failed, with every vector; $(cargo --version | cut -d ' ' -f 1-2), ${tools[*]:-only tests}"
