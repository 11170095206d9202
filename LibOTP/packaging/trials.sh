#!/usr/bin/env bash
# Runs in a clean chroot, with this repository at /source and no network: installs dist's packages, uses each as its user
# would, upgrades, removes and purges them, and expects to find nothing left.
set -euo pipefail
source=/source
dist=$source/dist
work=$(mktemp -d)
cd "$work"
fail() {
  echo "trials: $*" >&2
  exit 1
}
# Every file of the system, but for dpkg's, apt's and the loader's own notes and what programs cache.
system() {
  find / -xdev \( -path /source -o -path /tmp -o -path /root -o -path /var/lib/dpkg -o -path /var/lib/apt \
    -o -path /var/cache -o -path /var/log -o -path /proc -o -path /etc/ld.so.cache -o -path /run \) -prune \
    -o \( -type f -o -type l -o -type d ! -path /usr/share ! -path '/etc*' \) -printf '%y %p %m %u %l\n' | sort
  find /etc /usr/share/pam-configs /var/lib/pam -type f -exec sha256sum {} + | sort
}
shopt -s nullglob
server=$(ls /usr/lib/postgresql)
built=$dist
if [ "$server" != 15 ]; then
  # dist's extension is for the Debian that it was built on. The same sources, built here.
  built=$work
  cp -r $source/.build-packages/amd64/swift-otp sources
  (cd sources && pg_buildext updatecontrol && DH_OPTIONS="--package=libotp0 --package=postgresql-$server-otp-record" \
    dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) > build.log 2>&1 || fail "$(tail -n 30 build.log)"
fi
ours=("$dist"/{libotp0,libotp-dev,otp-tool,libpam-otp}_*_amd64.deb "$built/postgresql-$server-otp-record"_*_amd64.deb)
[ ${#ours[@]} -eq 5 ] || fail "there are ${#ours[@]} of five packages"
mapfile -t names < <(printf '%s\n' "${ours[@]##*/}" | cut -d _ -f 1)
export DEBIAN_FRONTEND=noninteractive
install_ours() { apt-get install --yes --quiet=2 "$@" > install.log 2>&1 || fail "$(< install.log)"; }

system > before
install_ours "${ours[@]}"

# ---- C and C++ ----
examples=/usr/share/doc/libotp-dev/examples
read -ra flags <<< "$(pkg-config --cflags --libs libotp)"
# (pkg-config --static also names what a static libcrypto needs.)
read -ra static <<< "-l:libotp.a $(pkg-config --cflags --libs libcrypto)"
expected="With the code: in. With the same code again: out."
cp $examples/* .
# Debian compresses large files.
gunzip --force ./*.gz 2> /dev/null || true
gcc -std=c99 -Wall -Werror login.c "${flags[@]}" -o login
gcc -std=c99 -Wall -Werror login.c "${static[@]}" -o login-static
for program in login login-static; do
  [ "$(./$program | tail -n 1)" = "$expected" ] || fail "C: $program"
done
adapters=$source/vectors/conformance/adapters
gcc -std=c99 -Wall -Werror $adapters/libotp.c "${flags[@]}" -o adapter
python3 $source/vectors/conformance/run.py --exact ./adapter > vectors.log || fail "vectors: $(tail -n 3 vectors.log)"
g++ -std=c++17 -Wall -Werror -I "$source/LibOTP/bindings/c++" $adapters/libotp.cpp "${flags[@]}" -o adapter-cxx
python3 $source/vectors/conformance/run.py --exact ./adapter-cxx > vectors.log || fail "C++: $(tail -n 3 vectors.log)"

# ---- The tool ----
secret=$(otp secret)
code_of() { otp generate --secret "$secret"; }
otp verify --secret "$secret" -- "$(code_of)" > /dev/null || fail "otp verify refuses a right code"
[ "$(otp verify --secret "$secret" --at 59 -- "$(otp generate --secret "$secret" --at 6000)" || true)" = rejected ] ||
  fail "otp verify does not reject a wrong code"
for page in "1 otp" "3 otp" "3 otp_totp_verify"; do
  # shellcheck disable=SC2086 # two words
  man --where $page > /dev/null || fail "no manual page: $page"
done
bash -n /usr/share/bash-completion/completions/otp
ls /lib/systemd/system/otp-record@.{service,socket} /usr/share/doc/otp-tool/{README.md.gz,schema.json} > /dev/null

# ---- PAM: off until a service's file, or pam-auth-update, names it. ----
if grep -r pam_otp /etc/pam.d; then fail "PAM uses the module without being asked to"; fi
pam-auth-update --enable otp
grep -q 'pam_otp.so dir=/etc/otp' /etc/pam.d/common-auth || fail "pam-auth-update does not know the profile"
echo 'auth required pam_otp.so dir=/etc/otp nodelay' > /etc/pam.d/otp-trial
install -d -m 700 /etc/otp
otp keyring new /etc/otp/.keyring > /dev/null
pam-otp /etc/otp import alice <<< "$secret" > /dev/null
authenticate() { pamtester otp-trial alice authenticate <<< "$1" > pam.log 2>&1; }
code=$(code_of)
authenticate "$code" || fail "PAM refuses a code: $(< pam.log)"
if authenticate "$code"; then fail "PAM accepts a code twice"; fi

# ---- PostgreSQL, by the steps of the extension's README. ----
pg_createcluster "$server" main --start > /dev/null
sudo() { if [ "$1" = -u ]; then runuser --user "$2" -- "${@:3}"; else "$@"; fi; }
(cd / && sudo -u postgres createuser shop && sudo -u postgres createdb --owner shop shop)
awk '/^```/ { inside = /sh$/ } inside && /^sudo/ && !/apt/' $source/LibOTP/postgresql/README.md > steps
sed -i "s/15/$server/" steps
grep -q CREATE steps
# shellcheck source=/dev/null
(cd / && . "$work/steps") > steps.log 2>&1 || fail "the extension's README: $(< steps.log)"
as_shop() {
  (cd / && sudo -u postgres psql --no-psqlrc --quiet --tuples-only --no-align shop \
    --command 'SET SESSION AUTHORIZATION shop' --command "$1") 2>&1
}
secret=$(as_shop "SELECT otp.enroll('user 42', 'Example', 'alice')" | sed -n 's/.*secret=\([A-Z2-7]*\).*/\1/p')
[ "$(as_shop "CALL otp.verify('user 42', '$(code_of)')")" = 'rejected|||' ] || fail "a pending factor signs in"
code=$(code_of)
answers=$(for function in confirm verify; do as_shop "CALL otp.$function('user 42', '$code')"; done)
[ "$answers" = $'enrolled|||\nrejected|||' ] || fail "the extension answers: $answers"
pg_dropcluster "$server" main --stop
rm /etc/postgresql/otp-keyring.json

# ---- Python, Go, Rust and C with records: own-table meets the suite for logins. ----
mkdir -p own/LibOTP/bindings own/LibOTP/examples go/src/example.com
cp -r $source/LibOTP/examples/own-table own/LibOTP/examples
python3 -m venv --system-site-packages python
python/bin/pip install --quiet --no-index --no-deps "$dist"/*.whl
tar --extract --gzip --file "$dist"/*.crate && mv libotp-[0-9]* own/LibOTP/bindings/rust
(cd own/LibOTP/examples/own-table/rust && cargo build --quiet --offline --target-dir "$work/rust")
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall()' "$dist"/go/example.com/otp/@v/*.zip
mv example.com/otp@v* go/src/example.com/otp
cp -r $source/LibOTP/examples/own-table/go go/src/example.com/own-table
GO111MODULE=off GOPATH=$work/go:/usr/share/gocode GOFLAGS='' go build -o own-go example.com/own-table
# As a module, from the folder as a proxy.
mkdir go-user
cat > go-user/main.go << 'GO'
package main

import (
	"fmt"

	"example.com/otp"
)

func main() { fmt.Println(otp.Version()) }
GO
(cd go-user && go mod init trial && export GOPROXY=file://$dist/go GONOSUMDB='*' GOFLAGS=-mod=mod &&
  go get "example.com/otp@$(< "$dist/go/example.com/otp/@v/list")" && go run .) > go.log 2>&1 || fail "Go: $(< go.log)"
read -ra flags <<< "$(pkg-config --cflags --libs libotp libpq sqlite3)"
gcc -std=c99 -O2 -Wall -pthread own/LibOTP/examples/own-table/c/{main,factors}.c "${flags[@]}" -o own-c
logins=$source/vectors/conformance/logins
held=
for program in "$work/own-c" "--own-clock $work/own-go" "$work/rust/debug/own-table" \
  "$work/python/bin/python own/LibOTP/examples/own-table/python/main.py"; do
  python/bin/python "$logins/run.py" --quiet --seconds 1 \
    --adapter "$work/python/bin/python $logins/adapters/own_table.py $program" > suite.log || fail "$(< suite.log)"
  held+="$(tail -n 1 suite.log); "
done

# ---- Upgraded, removed, purged. ----
mkdir newer
for package in "${ours[@]}"; do
  rm -rf unpacked
  dpkg-deb --raw-extract "$package" unpacked
  sed -i 's/^Version: .*/&+newer/; s/(= \([^)]*\))/(= \1+newer)/' unpacked/DEBIAN/control
  dpkg-deb --build --root-owner-group unpacked newer > /dev/null
done
install_ours "$work"/newer/*.deb
[ "$(./login | tail -n 1)" = "$expected" ] || fail "after the upgrade: login"
dpkg-query --show --showformat='${Version}\n' libotp0 | grep -q newer || fail "not upgraded"
grep -q pam_otp.so /etc/pam.d/common-auth || fail "the upgrade disables the profile"
if authenticate "$code"; then fail "after the upgrade, PAM accepts a used code"; fi
apt-get remove --yes --quiet=2 "${names[@]}" > /dev/null
# Otherwise no user could log in any more.
if grep -r pam_otp /etc/pam.d --exclude otp-trial; then fail "a removed module is still required"; fi
# (They have no configuration files, so that nothing is left to purge.)
if dpkg-query --show "${names[@]}" 2> /dev/null; then fail "removed packages are still known"; fi
rm -rf /etc/otp /etc/pam.d/otp-trial
system > after
diff before after || fail "files are left"
if ldconfig -p | grep libotp; then fail "the loader still knows libotp"; fi
echo "trials: $(. /etc/os-release && echo "$PRETTY_NAME"), $(openssl version | cut -d ' ' -f 1-2): installed, used, upgraded and purged; own-table: $held"
