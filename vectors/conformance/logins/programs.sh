#!/usr/bin/env bash
# Builds the logins of this repository into .build-conformance/logins-programs: with --only NAME..., those of peers.py
# that are named.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
readonly programs=$root/.build-conformance/logins-programs example=LibOTP/examples/own-table
arguments=$*
wants() { [[ $arguments != *--only* || $arguments == *"$1"* ]]; }
mkdir -p "$programs"
LibOTP/build.sh

printf '%s\n' 'Name: libotp' 'Description: libotp as built' 'Version: 0' "Cflags: -I$root/.build-libotp" \
  "Libs: -L$root/.build-libotp -lotp -Wl,-rpath,$root/.build-libotp" > "$programs/libotp.pc"
export PKG_CONFIG_PATH=$programs
if wants 'own-table, Go'; then
  # Go's packages are Debian's, outside of modules, so that nothing is fetched.
  mkdir -p "$programs/go/src/example.com"
  ln -sfn "$root/LibOTP/bindings/go" "$programs/go/src/example.com/otp"
  ln -sfn "$root/$example/go" "$programs/go/src/example.com/own-table"
  CGO_LDFLAGS_ALLOW='-Wl,-rpath.*' GO111MODULE=off GOFLAGS='' GOPATH=$programs/go:/usr/share/gocode \
    go build -o "$programs/own-table-go" example.com/own-table
fi
if wants 'own-table, C'; then
  # shellcheck disable=SC2046 # a list of flags
  clang -std=c99 -pedantic -O2 -Wall -Wextra -Werror -pthread $example/c/{main,factors}.c \
    $(pkg-config --cflags --libs libotp libpq sqlite3) -o "$programs/own-table-c"
fi
if wants 'own-table, Rust'; then
  (
    source Tests/Checks/bindings/environment.sh
    cargo build --quiet --manifest-path $example/rust/Cargo.toml
    ln -sf "$CARGO_TARGET_DIR/debug/own-table" "$programs/own-table-rust"
  )
fi
swift_program() {  # NAME FLAG...
  swift_build "${@:2}" --product "$1"
  ln -sf "$(swift_build "${@:2}" --show-bin-path)/$1" "$programs/$1"
}
if wants 'own-table, Swift'; then swift_program OwnTable "${flavour_client[@]}" --package-path $example/swift; fi
if wants 'own-table, Node'; then
  ln -sfn "$(Scripts/foreign.sh "$(dpkg --print-architecture)" node-pg node-split2 node-xtend)/usr/share/nodejs" \
    "$programs/nodejs"
fi
if wants 'record serve' || wants 'own-table, Node'; then swift_program otp "${flavour_client[@]}" --package-path Tool; fi
for server in login-example api-example auth-emulator; do
  if wants $server; then swift_program $server "${flavour_servers[@]}" --package-path Servers; fi
done
if wants pam_otp; then
  LibOTP/build.sh install "$programs/usr" > /dev/null
  PKG_CONFIG_PATH=$programs/usr/lib/pkgconfig make --silent -C LibOTP/examples/pam OUT="$programs" CC=clang \
    CFLAGS=-O2 LDFLAGS="-Wl,-rpath,$programs/usr/lib"
fi
