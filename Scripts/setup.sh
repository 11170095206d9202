#!/usr/bin/env bash
# Installs the Debian packages that are missing. Usage: setup.sh libotp|run|cross|test|check|bench|conformance
set -euo pipefail

libotp_packages=(binutils libssl-dev pkg-config)
run_packages=("${libotp_packages[@]}" ca-certificates git libpq-dev libqrencode-dev libsqlite3-dev)
test_packages=(libjansson-dev nlohmann-json3-dev oathtool postgresql python3 python3-jsonschema shellcheck)
cross_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
check_packages=("${cross_packages[@]}" chromium chromium-driver etcd-server gcc golang-github-lib-pq-dev
  golang-github-mattn-go-sqlite3-dev golang-go haproxy iproute2 libpam0g-dev man-db mandoc openssh-client openssh-server
  pamtester patroni pgbouncer procps python3-etcd python3-psycopg2 python3-pyotp python3-venv qemu-user-static spin
  uidmap valgrind zbar-tools)
bench_packages=(libipsec-mb-dev liboath0 postgresql python3)
conformance_packages=(freeradius gcc golang-github-lib-pq-dev golang-github-mattn-go-sqlite3-dev
  golang-github-pquerna-otp-dev golang-go libcotp-dev liboath-dev libpam0g-dev libpam-google-authenticator libpam-oath librust-totp-rs-dev pamtester
  postgresql python3-psycopg2 python3-venv ruby ruby-rotp xxd)
# Any Rust will do, and many machines have one that is not Debian's.
command -v cargo > /dev/null || conformance_packages+=(cargo)

case ${1:-} in
  libotp) wanted=("${libotp_packages[@]}") ;;
  run) wanted=("${run_packages[@]}") ;;
  cross) wanted=("${libotp_packages[@]}" "${cross_packages[@]}") ;;
  test) wanted=("${run_packages[@]}" "${test_packages[@]}") ;;
  check) wanted=("${run_packages[@]}" "${test_packages[@]}" "${check_packages[@]}") ;;
  bench) wanted=("${run_packages[@]}" "${bench_packages[@]}") ;;
  conformance) wanted=("${run_packages[@]}" "${conformance_packages[@]}") ;;
  *) echo "usage: $0 libotp|run|cross|test|check|bench|conformance" >&2; exit 64 ;;
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
# Debian starts the servers that it installs. The tests start their own, so no other should run.
for service in ssh:openssh-server pgbouncer:pgbouncer etcd:etcd-server haproxy:haproxy patroni:patroni \
  freeradius:freeradius; do
  if [[ " ${missing[*]} " == *" ${service#*:} "* && ! -e /etc/systemd/system/${service%:*}.service ]]; then
    "${as_root[@]}" mkdir -p /etc/systemd/system
    "${as_root[@]}" ln -s /dev/null "/etc/systemd/system/${service%:*}.service"
    echo "setup: ${service%:*}.service is masked, so that it does not start; to use it: systemctl unmask ${service%:*}"
  fi
done
# The same for PostgreSQL; also, while it is being installed, Debian must not create a database cluster.
clusters=/etc/postgresql-common/createcluster.d/swift-otp.conf
if [[ " ${missing[*]} " == *" postgresql "* && ! -e $clusters ]]; then
  trap '"${as_root[@]}" rm -f "$clusters"' EXIT
  "${as_root[@]}" mkdir -p "${clusters%/*}"
  echo "create_main_cluster = false" | "${as_root[@]}" tee "$clusters" > /dev/null
fi
export DEBIAN_FRONTEND=noninteractive
apt=("${as_root[@]}" apt-get -o DPkg::Lock::Timeout=600 --quiet=2)
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
