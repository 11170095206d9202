#!/usr/bin/env bash
# The manual pages have no warnings, and examples that run. (The checks `libotp` and `tool` compare them with what exists.)
# Then `make install` must install exactly the expected files, they must work, also under a private prefix and in Go,
# and `make uninstall` must remove them.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
here=Tests/Checks/man
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() {
  echo "man: $1" >&2
  exit 1
}

for page in man/otp.1 man/otp.3; do
  # Without the system's manual, which lacks the other page.
  mandoc -T lint -W warning "$page"
  LC_ALL=C.UTF-8 man --warnings --local-file "$page" 2>&1 > /dev/null | tee "$place/warnings"
  [ ! -s "$place/warnings" ] || fail "$page has warnings"
done
names=$(python3 $here/pages.py names Sources/COTP/otp.h)
swift_build --package-path Tool "${flavour_client[@]}" --product otp

# The page's examples, by a user without a factor: codes.py types the codes.
mkdir "$place/bin" "$place/newcomer"
ln -s "$PWD/$here/codes.py" "$place/bin/otp"
python3 $here/pages.py commands man/otp.1 > "$place/examples"
(cd "$place/newcomer" && env HOME="$place/newcomer" XDG_DATA_HOME="$place/newcomer/.local/share" PATH="$place/bin:$PATH" OTP_TOOL="$root/.build-client/release/otp" \
  bash -euo pipefail "$place/examples") > "$place/output" 2>&1 || fail "an example of otp.1 fails: $(< "$place/output")"
for line in 'accepted step=.*' 'accepted factor=.*' 'enrolled factor=.*' welcome 'right factor=.*' 'account=alice.*' \
  'resealed documents=2 unreadable=0' 'copied documents=.*' revoked 'spent accounts=1'; do
  grep -qx "$line" "$place/output" || fail "the examples of otp.1 do not print '$line': $(< "$place/output")"
done

# The files of an installation under /usr, as in a distribution's package.
umask 022
version=$(sed -n 's/^#define OTP_VERSION "\(.*\)"/\1/p' Sources/COTP/otp.h)
root=$place/root
listed() { (cd "$root" && find . \( -type f -o -type l \) -printf '%M %P %l\n' | sed 's/ $//' | LC_ALL=C sort); }
# Built again, since install uses an existing build.
make --no-print-directory libotp install PREFIX=/usr DESTDIR="$root"
LC_ALL=C sort > "$place/expected" <<LIST
$(awk '{ print "-rw-r--r-- usr/share/man/man3/" $0 ".3" }' <<< "$names")
-rw-r--r-- usr/include/otp.h
-rw-r--r-- usr/include/otp.hpp
-rw-r--r-- usr/lib/libotp.a
-rw-r--r-- usr/lib/pkgconfig/libotp.pc
-rw-r--r-- usr/share/man/man3/otp.3
-rwxr-xr-x usr/lib/libotp.so.$version
lrwxrwxrwx usr/lib/libotp.so libotp.so.0
lrwxrwxrwx usr/lib/libotp.so.0 libotp.so.$version
LIST
listed | diff "$place/expected" - || fail "the installed files differ from the expected ones as shown"
for file in include/otp.h:Sources/COTP/otp.h include/otp.hpp:Bindings/c++/otp.hpp share/man/man3/otp.3:man/otp.3; do
  cmp "$root/usr/${file%:*}" "${file#*:}"
done
if grep -rqF "$PWD" "$root"; then fail "an installed file contains this working copy's path"; fi

# A program builds against the installed files: the page's example, as a reader sees it.
packaged() { # pkg-config's output for the files just installed, as for a system under another root
  PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
    PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config "$@" libotp
}
[ "$(packaged --modversion)" = "$version" ]
read -ra cflags <<< "$(packaged --cflags)"
read -ra libs <<< "$(packaged --libs)"
read -ra static_libs <<< "$(packaged --libs --static)"
[[ " ${libs[*]} " != *" -lcrypto "* && " ${static_libs[*]} " == *" -lcrypto "* ]] || fail "libotp.pc: libcrypto must be private"
python3 $here/pages.py example man/otp.3 > "$place/example.c"
strict=(-std=c99 -pedantic -Wall -Wextra -Werror)
clang "${strict[@]}" "${cflags[@]}" "$place/example.c" "${libs[@]}" -o "$place/example"
LD_LIBRARY_PATH=$root/usr/lib "$place/example" > "$place/output"
sed -n 's|.*/\* prints \(.*\) \*/.*|\1|p' "$place/example.c" | diff - "$place/output" || fail "the example's output differs from what it says, as shown"
[ -s "$place/output" ]
clang "${strict[@]}" "${cflags[@]}" "$place/example.c" "${static_libs[@]/#-lotp/-l:libotp.a}" -o "$place/static"
if ldd "$place/static" | grep -q libotp; then fail "the statically linked program needs the shared library"; fi
"$place/static" | diff - "$place/output"

found=$(MANPATH=$root/usr/share/man man --where otp)
[ "$found" = "$root/usr/share/man/man3/otp.3" ] || fail "man finds '$found' for otp"
MANPATH=$root/usr/share/man MANWIDTH=80 man 3 otp > "$place/page"
for name in $names; do
  MANPATH=$root/usr/share/man MANWIDTH=80 man 3 "$name" | cmp - "$place/page" || fail "man shows another page for $name(3)"
done

make --no-print-directory uninstall PREFIX=/usr DESTDIR="$root"
[ -z "$(listed)" ] || fail "uninstall leaves: $(listed)"

# Under a private prefix, as Bindings/README.md says, what needs Go included. Nothing is downloaded, and the cache is new,
# since Go looks for a library where it was when the package was first compiled.
export CC=clang GOCACHE=$place/go GOENV=off GOFLAGS=-count=1 GOPROXY=off
# What is checked of pointers that C gets: all.
case $(go env GOVERSION) in
  go1.19* | go1.20*) export GODEBUG=cgocheck=2 ;;
  *) export GOEXPERIMENT=cgocheck2 ;;
esac
mkdir "$place/user"
awk '/^```/ { inside = !inside; next } inside' Bindings/README.md > "$place/steps"
HOME=$place/user bash -euo pipefail "$place/steps" > "$place/output" || fail "what Bindings/README.md says fails: $(< "$place/output")"
for line in 'ok .*example.com/otp.*' 'With the code: true\. With the same code again: false\.' \
  'In one batch: 1000 of 1000\.' accepted rejected; do
  grep -qx "$line" <<< "$(tr '\t' ' ' < "$place/output")" || fail "what Bindings/README.md says prints: $(< "$place/output")"
done
unformatted=$(gofmt -l Bindings/go Examples Conformance/adapters/{libotp,adapter}.go)
[ -z "$unformatted" ] || fail "not in Go's format: $unformatted"
export PKG_CONFIG_PATH=$place/user/libotp/lib/pkgconfig
(cd Bindings/go && go vet ./... && GOFLAGS='' CGO_LDFLAGS="-Wl,-rpath,$place/user/libotp/lib" \
  go build -o "$place/adapter" ../../Conformance/adapters/{libotp,adapter}.go)
python3 Conformance/run.py --exact "$place/adapter"
cd Examples/go/login
go vet
# (Flags that hold for `go run` too.)
GOFLAGS='' CGO_LDFLAGS="-Wl,-rpath,$place/user/libotp/lib" go run . > /dev/null
echo "man: the examples run; $version installs, serves programs, and uninstalls"
