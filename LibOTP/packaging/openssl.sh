#!/usr/bin/env bash
# Runs in a chroot whose OpenSSL and PostgreSQL are not those of the checks: the tests of the engine, of keyrings and
# records, and of the PostgreSQL store; every vector with every backend; then the vectors, keyrings and records with
# OpenSSL's FIPS provider, and no other, behind the process's default properties.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
tests=.build-test/release/swift-otpPackageTests.xctest
otp=$work/usr/bin/otp
dpkg-deb --extract dist/otp-tool_*_amd64.deb "$work"
openssl=$(openssl version | cut -d ' ' -f 1-2)
# passes FILTER: runs all tests of these names, and sets `found` to how many passed.
found=
passes() {
  if ! "${runner[@]}" "$tests" --testing-library swift-testing --filter "$1" > "$work/log" 2>&1; then
    grep -aE '✘' "$work/log" | cut -c 1-200 | head -n 20 >&2
    exit 1
  fi
  found=$(grep -aoE 'Test run with [0-9]+ tests? in [0-9]+ suites? passed' "$work/log")
}
# answers SECRET WANTED: the code at 59, or the error.
answers() {
  local answer
  answer=$({ "$otp" generate --secret "$1" --at 59 2>&1 || true; } | xargs)
  if [ "$answer" != "$2" ]; then
    echo "openssl: with $1, otp answers '$answer', not '$2'" >&2
    exit 1
  fi
  found="a secret of $((${#1} * 5)) bits: $answer"
}
runner=()
passes '^(OTP|OTPFoundation|OTPSeeds|OTPVectors|Keyring|FactorRecord)Tests\.'
echo "openssl: $openssl: $found"
"$otp" vectors vectors > "$work/log" || { tail -n 3 "$work/log" >&2; exit 1; }
echo "openssl: $openssl: vectors: $(tail -n 1 "$work/log")"
runner=(env "POSTGRESQL_OPTIONS=-c fsync=off" Scripts/postgresql.sh)
passes '^MultiFactorPostgreSQLTests\.'
echo "openssl: $(psql --version): $found"

# ---- The FIPS provider. ----
openssl fipsinstall -quiet -out "$work/fipsmodule.cnf" -module /usr/lib/x86_64-linux-gnu/ossl-modules/fips.so
cat > "$work/openssl.cnf" << CNF
openssl_conf = openssl_init
.include $work/fipsmodule.cnf
[openssl_init]
providers = provider_sect
alg_section = algorithm_sect
[provider_sect]
fips = fips_sect
base = base_sect
[base_sect]
activate = 1
[algorithm_sect]
default_properties = fips=yes
CNF
export OPENSSL_CONF=$work/openssl.cnf OTP_BACKEND=evp
openssl list -providers | grep -A 1 '^  fips' > /dev/null
if openssl list -providers | grep '^  default'; then exit 1; fi
"$otp" vectors vectors > "$work/log" || { tail -n 3 "$work/log" >&2; exit 1; }
echo "openssl: FIPS provider of $openssl: vectors: $(tail -n 1 "$work/log")"
answers JBSWY3DPEHPK3PXP 996554
echo "openssl: FIPS provider: $found"
runner=()
passes '^(Keyring|FactorRecord)Tests\.'
echo "openssl: FIPS provider: $found"
# What is refused if the provider checks the length of keys.
sed -i 's/^hmac-key-check = 0/hmac-key-check = 1/' "$work/fipsmodule.cnf"
grep -q '^hmac-key-check = 1' "$work/fipsmodule.cnf"
answers GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ 287082
echo "openssl: FIPS provider with hmac-key-check: $found"
answers JBSWY3DPEHPK3PXP 'otp: the cryptographic library failed'
echo "openssl: FIPS provider with hmac-key-check: $found"
