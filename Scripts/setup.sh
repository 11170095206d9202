#!/usr/bin/env bash
# Installs the Debian packages that are missing.
#
#   Scripts/setup.sh libotp|run|cross|test|check|bench|conformance|packages|packages-check
set -euo pipefail

# What these depend on is not listed, such as Debian's own Python.
libotp_packages=(binutils libssl-dev pkg-config python3)
run_packages=("${libotp_packages[@]}" ca-certificates libpq-dev libqrencode-dev libsqlite3-dev)
test_packages=(clang-format-19 oathtool postgresql python3-cryptography python3-jsonschema
  shellcheck)
cross_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
check_packages=("${cross_packages[@]}" chromium-driver default-jdk-headless erlang-p1-pgsql etcd-server
  freeradius freeradius-postgresql freeradius-utils golang-github-lib-pq-dev golang-github-mattn-go-sqlite3-dev haproxy iproute2 libpam-google-authenticator libpam0g-dev libpostgresql-jdbc-java
  man-db mandoc mono-mcs mono-runtime mypy opensc openssh-server pamtester patroni pgbouncer php-cli php-pgsql
  postgresql-server-dev-15 python3-django python3-etcd python3-psycopg python3-psycopg2 python3-qrcode
  python3-setuptools python3-sqlalchemy python3-venv python3-wheel qemu-user-static ruby-activerecord ruby-devise-two-factor ruby-pg ruby-sqlite3 softhsm2 spin
  systemd uidmap valgrind zbar-tools)
packages_check_packages=(iproute2 mmdebstrap python3-venv)
bench_packages=(gcc golang-github-pquerna-otp-dev golang-go libipsec-mb-dev liboath-dev librust-totp-rs-dev oathtool
  postgresql python3-pyotp)
conformance_packages=(freeradius gcc golang-github-lib-pq-dev golang-github-mattn-go-sqlite3-dev
  golang-github-pquerna-otp-dev golang-go libcotp-dev liboath-dev libpam0g-dev libpam-google-authenticator libpam-oath
  librust-totp-rs-dev pamtester postgresql python3-psycopg2 python3-venv ruby ruby-rotp xxd)
packages_packages=("${run_packages[@]}" "${cross_packages[@]}" debhelper dpkg-dev gcc libpam0g-dev lintian make
  postgresql-server-dev-all python3-setuptools python3-wheel)
# Any Node and any Rust will do, and many machines have one that is not Debian's.
if ! command -v node > /dev/null; then
  bench_packages+=(nodejs)
  conformance_packages+=(nodejs)
fi
if ! command -v cargo > /dev/null; then
  bench_packages+=(cargo)
  packages_packages+=(cargo)
  conformance_packages+=(cargo)
fi

case ${1:-} in
  libotp) wanted=("${libotp_packages[@]}") ;;
  run) wanted=("${run_packages[@]}") ;;
  cross) wanted=("${libotp_packages[@]}" "${cross_packages[@]}") ;;
  test) wanted=("${run_packages[@]}" "${test_packages[@]}") ;;
  check) wanted=("${run_packages[@]}" "${test_packages[@]}" "${bench_packages[@]}" "${check_packages[@]}") ;;
  packages) wanted=("${packages_packages[@]}") ;;
  packages-check) wanted=("${packages_packages[@]}" "${test_packages[@]}" "${packages_check_packages[@]}") ;;
  bench) wanted=("${run_packages[@]}" "${bench_packages[@]}" python3-matplotlib) ;;
  conformance) wanted=("${run_packages[@]}" "${conformance_packages[@]}") ;;
  *) echo "usage: $0 libotp|run|cross|test|check|bench|conformance|packages|packages-check" >&2; exit 64 ;;
esac

if ! swift --version 2> /dev/null | grep -E 'version (6\.([3-9]|[1-9][0-9])|[7-9]|[1-9][0-9])' > /dev/null; then
  echo "setup: first install a Swift toolchain, 6.3 or later" >&2
  exit 1
fi

if ! command -v dpkg-query > /dev/null; then
  echo "setup: not a Debian system; install what corresponds to: ${wanted[*]}"
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2> /dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "setup: as root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"

# Debian starts the servers that it installs, and enables them for the machine's next start. The tests start their own,
# so these must do neither: while they are being installed, Debian asks a policy; afterward, they are disabled. A
# service of a package that the machine already had is not touched, nor is a policy of the machine's own. (Tests set
# OTP_SETUP_ROOT.)
root=${OTP_SETUP_ROOT:-}
policy=$root/usr/sbin/policy-rc.d
clusters=$root/etc/postgresql-common/createcluster.d/swift-otp.conf
services=()
for service in ssh:openssh-server pgbouncer:pgbouncer etcd:etcd-server haproxy:haproxy patroni:patroni \
  freeradius:freeradius; do
  if [[ " ${missing[*]} " == *" ${service#*:} "* ]]; then services+=("${service%:*}"); fi
done
temporary=()
trap '[ ${#temporary[@]} -eq 0 ] || "${as_root[@]}" rm -f "${temporary[@]}"' EXIT
create() {  # FILE MODE, with its contents on standard input
  temporary+=("$1")
  "${as_root[@]}" mkdir -p "${1%/*}"
  "${as_root[@]}" tee "$1" > /dev/null
  "${as_root[@]}" chmod "$2" "$1"
}
# One with the marker was left by a set-up that was killed.
marker="# Of swift-otp's Scripts/setup.sh, while it installs"
if [ ${#services[@]} -gt 0 ] && { [ ! -e "$policy" ] || grep -qF "$marker" "$policy"; }; then
  names=$(IFS='|'; echo "${services[*]}")
  create "$policy" 755 << POLICY
#!/bin/sh
$marker: 101 is no, 0 is yes.
while [ "\${1#-}" != "\$1" ]; do shift; done
case \${1%.*} in $names) exit 101 ;; esac
POLICY
fi
# Debian would also create a database cluster.
if [[ " ${missing[*]} " == *" postgresql "* && ! -e $clusters ]]; then
  create "$clusters" 644 <<< "create_main_cluster = false"
fi

export DEBIAN_FRONTEND=noninteractive
apt=("${as_root[@]}" apt-get -o DPkg::Lock::Timeout=600 -o Acquire::Retries=5 --quiet=2)
# The option makes apt-get wait for another one that installs, but not for one that updates the lists.
tries=0
until errors=$("${apt[@]}" update 2>&1 > /dev/null); do
  if [[ $errors != *"/lists/lock"* || $((tries += 1)) -gt 600 ]]; then
    echo "$errors" >&2
    exit 1
  fi
  sleep 1
done
[ -z "$errors" ] || echo "$errors" >&2
"${apt[@]}" install --yes --no-install-recommends "${missing[@]}" > /dev/null
if [ ${#services[@]} -gt 0 ] && command -v systemctl > /dev/null; then
  "${as_root[@]}" systemctl --quiet disable "${services[@]}"
  echo "setup: installed but not enabled: ${services[*]}; to start one with the machine: systemctl enable --now NAME"
fi
