#!/usr/bin/env bash
# Installs the Debian packages that are missing. Usage: setup.sh run|cross|test|check|bench|conformance
set -euo pipefail

run_packages=(binutils ca-certificates git libpq-dev libqrencode-dev libsqlite3-dev libssl-dev pkg-config)
test_packages=(libjansson-dev nlohmann-json3-dev oathtool postgresql python3 python3-jsonschema shellcheck)
cross_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
check_packages=("${cross_packages[@]}" iproute2 libpam0g-dev man-db mandoc openssh-client
  openssh-server pamtester pgbouncer procps python3-pyotp python3-venv qemu-user-static uidmap valgrind zbar-tools)
bench_packages=(libipsec-mb-dev liboath0 postgresql python3)
conformance_packages=(golang-github-pquerna-otp-dev golang-go libcotp-dev liboath-dev librust-totp-rs-dev python3-venv
  ruby ruby-rotp xxd)
# Any Rust will do, and many people have one that is not Debian's.
command -v cargo > /dev/null || conformance_packages+=(cargo)

case ${1:-} in
  run) wanted=("${run_packages[@]}") ;;
  cross) wanted=("${run_packages[@]}" "${cross_packages[@]}") ;;
  test) wanted=("${run_packages[@]}" "${test_packages[@]}") ;;
  check) wanted=("${run_packages[@]}" "${test_packages[@]}" "${check_packages[@]}") ;;
  bench) wanted=("${run_packages[@]}" "${bench_packages[@]}") ;;
  conformance) wanted=("${run_packages[@]}" "${conformance_packages[@]}") ;;
  *) echo "usage: $0 run|cross|test|check|bench|conformance" >&2; exit 64 ;;
esac

if ! swift --version 2> /dev/null | grep -E 'version (6\.([3-9]|[1-9][0-9])|[7-9]|[1-9][0-9])' > /dev/null; then
  echo "setup: a Swift toolchain, 6.3 or later, is needed first" >&2
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
# Debian starts the servers that it installs. The tests start one of their own, and nobody asked for another.
for service in ssh:openssh-server pgbouncer:pgbouncer; do
  if [[ " ${missing[*]} " == *" ${service#*:} "* && ! -e /etc/systemd/system/${service%:*}.service ]]; then
    "${as_root[@]}" mkdir -p /etc/systemd/system
    "${as_root[@]}" ln -s /dev/null "/etc/systemd/system/${service%:*}.service"
    echo "setup: ${service%:*}.service is masked, so that it does not start; to use it: systemctl unmask ${service%:*}"
  fi
done
# The same of PostgreSQL, and for as long as it is being installed: it makes no database of the machine's.
clusters=/etc/postgresql-common/createcluster.d/swift-otp.conf
if [[ " ${missing[*]} " == *" postgresql "* && ! -e $clusters ]]; then
  trap '"${as_root[@]}" rm -f "$clusters"' EXIT
  "${as_root[@]}" mkdir -p "${clusters%/*}"
  echo "create_main_cluster = false" | "${as_root[@]}" tee "$clusters" > /dev/null
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update --quiet=2
"${as_root[@]}" apt-get install --quiet=2 --yes --no-install-recommends "${missing[@]}" > /dev/null
