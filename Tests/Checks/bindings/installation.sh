#!/usr/bin/env bash
# What is installed and packed. The manual pages have no warnings, and examples that run. `make install` installs exactly
# the expected files, they work, also under a private prefix and in Go, and `make uninstall` removes them. Two builds of
# libotp are the same bytes. (LibOTP/bindings/README.md says how to compare everything else.)
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() {
  echo "installation: $1" >&2
  exit 1
}

# ---- The manual pages. -----------------------------------------------------------------------------------------------

# Built again, since install uses an existing build.
make --no-print-directory libotp
swift_build --package-path Tool "${flavour_client[@]}"
python3 -B LibOTP/pages.py otp.1 .build-client/release/otp > "$place/otp.1"
for page in "$place/otp.1" .build-libotp/otp.3; do
  # Without the system's manual, which lacks the other page.
  mandoc -T lint -W warning "$page"
  LC_ALL=C.UTF-8 man --warnings --local-file "$page" 2>&1 > /dev/null | tee "$place/warnings"
  [ ! -s "$place/warnings" ] || fail "$page has warnings"
done
# The blocks of literal text among a page's examples, one after the other.
examples() {
  awk '/^\.Sh / { section = $2 } /^\.(Bd -literal|Ed)/ { inside = /Bd/ && section == "EXAMPLES"; next }
    inside { gsub(/\\e/, "\\"); print }' "$1"
}

# otp.1's, by a user without a factor: codes.py types the codes.
mkdir "$place/bin" "$place/newcomer"
ln -s "$root/Tests/Checks/bindings/codes.py" "$place/bin/otp"
examples "$place/otp.1" > "$place/examples"
(cd "$place/newcomer" && env HOME="$place/newcomer" XDG_DATA_HOME="$place/newcomer/.local/share" PATH="$place/bin:$PATH" \
  OTP_TOOL="$root/.build-client/release/otp" bash -euo pipefail "$place/examples") > "$place/output" 2>&1 ||
  fail "an example of otp.1 fails: $(< "$place/output")"
for line in 'accepted step=.*' 'accepted factor=.*' 'enrolled factor=.*' welcome 'right factor=.*' 'account=alice.*' \
  'resealed documents=2 unreadable=0' 'copied documents=.*' revoked 'spent accounts=1 unreadable=0'; do
  grep -qx "$line" "$place/output" || fail "the examples of otp.1 do not print '$line': $(< "$place/output")"
done

# ---- An installation under /usr, as in a distribution's package. -----------------------------------------------------

umask 022
version=$(sed -n 's/^#define OTP_VERSION "\(.*\)"/\1/p' LibOTP/include/otp.h)
names=$(sed -nE 's/^[a-z].*[ *](otp_[a-z0-9_]+)\(.*/\1/p' LibOTP/include/otp.h)
system=$place/system
listed() { (cd "$system" && find . \( -type f -o -type l \) -printf '%M %P %l\n' | sed 's/ $//' | LC_ALL=C sort); }
make --no-print-directory install PREFIX=/usr DESTDIR="$system"
LC_ALL=C sort > "$place/expected" <<LIST
$(awk '{ print "-rw-r--r-- usr/share/man/man3/" $0 ".3" }' <<< "$names")
-rw-r--r-- usr/include/otp.cdef.h
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
for file in include/otp.h:LibOTP/include/otp.h include/otp.hpp:LibOTP/bindings/c++/otp.hpp \
  include/otp.cdef.h:.build-libotp/otp.cdef.h share/man/man3/otp.3:.build-libotp/otp.3; do
  cmp "$system/usr/${file%:*}" "${file#*:}"
done
if grep -rqF "$root" "$system"; then fail "an installed file contains this working copy's path"; fi

# A program builds against the installed files: the page's example, as a reader sees it.
packaged() { # pkg-config's output for the files just installed, as for a system under another root
  PKG_CONFIG_PATH=$system/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$system PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
    PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config "$@" libotp
}
[ "$(packaged --modversion)" = "$version" ]
read -ra cflags <<< "$(packaged --cflags)"
read -ra libs <<< "$(packaged --libs)"
read -ra static_libs <<< "$(packaged --libs --static)"
[[ " ${libs[*]} " != *" -lcrypto "* && " ${static_libs[*]} " == *" -lcrypto "* ]] || fail "libotp.pc: libcrypto must be private"
examples "$system/usr/share/man/man3/otp.3" > "$place/example.c"
strict=(-std=c99 -pedantic -Wall -Wextra -Werror)
said='With the code: in. With the same code again: out.'
clang "${strict[@]}" "${cflags[@]}" "$place/example.c" "${libs[@]}" -o "$place/example"
LD_LIBRARY_PATH=$system/usr/lib "$place/example" | grep -qFx "$said"
clang "${strict[@]}" "${cflags[@]}" "$place/example.c" "${static_libs[@]/#-lotp/-l:libotp.a}" -o "$place/static"
if ldd "$place/static" | grep -q libotp; then fail "the statically linked program needs the shared library"; fi
"$place/static" | grep -qFx "$said"

# `man` finds the page under each function's name.
MANPATH=$system/usr/share/man MANWIDTH=80 man 3 otp > "$place/page"
for name in $names; do
  MANPATH=$system/usr/share/man MANWIDTH=80 man 3 "$name" | cmp - "$place/page" || fail "man shows another page for $name(3)"
done

make --no-print-directory uninstall PREFIX=/usr DESTDIR="$system"
[ -z "$(listed)" ] || fail "uninstall leaves: $(listed)"

# ---- Under a private prefix, as LibOTP/bindings/README.md says, what needs Go included. ------------------------------

# Nothing is downloaded, and the cache is new, since Go looks for a library where it was when the package was first
# compiled.
export CC=clang GOCACHE=$place/go GOENV=off GOFLAGS=-count=1 GOPROXY=off
# cgo checks every pointer that is passed to C, not only those that are cheap to check.
case $(go env GOVERSION) in
  go1.19* | go1.20*) export GODEBUG=cgocheck=2 ;;
  *) export GOEXPERIMENT=cgocheck2 ;;
esac
mkdir "$place/user"
awk '/^## Installing/ { found = 1 } /^```/ { inside = found && !inside; next } inside' LibOTP/bindings/README.md \
  > "$place/steps"
HOME=$place/user bash -euo pipefail "$place/steps" > "$place/output" || fail "what LibOTP/bindings/README.md says fails: $(< "$place/output")"
for line in 'ok .*example.com/otp.*' "LibraryInfo(version='$version',.*"; do
  grep -qx "$line" <<< "$(tr '\t' ' ' < "$place/output")" || fail "what LibOTP/bindings/README.md says prints: $(< "$place/output")"
done
unformatted=$(gofmt -l LibOTP/bindings/go LibOTP/examples vectors/conformance/adapters/{libotp,adapter}.go)
[ -z "$unformatted" ] || fail "not in Go's format: $unformatted"
export PKG_CONFIG_PATH=$place/user/libotp/lib/pkgconfig
(cd LibOTP/bindings/go && go vet ./... &&
  CGO_LDFLAGS="-Wl,-rpath,$place/user/libotp/lib" go build -o "$place/adapter" \
    ../../../vectors/conformance/adapters/{libotp,adapter}.go)
python3 vectors/conformance/run.py --exact "$place/adapter"

# ---- The same bytes again: another folder, user, locale, time zone, umask, and times of files. -----------------------

other="$place/another folder"
mkdir "$other"
git ls-files -z Sources/Core Scripts LibOTP/{Sources,include,examples/c} LibOTP/*.* \
  | xargs -0 cp --parents -t "$other"
find "$other" -exec touch -d '2001-02-03 04:05:06' {} +
as_other=()
if [ "$(id -u)" -eq 0 ]; then
  chmod 755 "$place"
  chown -R nobody "$other"
  as_other=(setpriv --reuid nobody --regid nogroup --clear-groups)
fi
swift=$(dirname "$(command -v swiftc)")
(umask 077 && "${as_other[@]}" env -i PATH="$swift:/usr/bin:/bin" HOME="$other" TZ=Asia/Kathmandu LC_ALL=C.UTF-8 \
  "$other/LibOTP/build.sh")
for file in libotp.so.0 libotp.a libotp.pc otp.h otp.3; do
  cmp ".build-libotp/$file" "$other/.build-libotp/$file" || fail "$file differs"
done
# The comparison notices a path: debug information has one.
traced() { (cd "$1" && clang -g -c -I Sources/Core/COTPSupport/include Sources/Core/COTPSupport/wipe.c -o "$2"); }
traced . "$place/one.o"
traced "$other" "$place/two.o"
if cmp --silent "$place/one.o" "$place/two.o"; then fail "objects with the folders' names in them do not differ"; fi
echo "installation: the examples run; $version installs, serves programs, uninstalls, and is built twice to the same bytes"
