#!/usr/bin/env bash
# Runs in a chroot whose OpenSSL and PostgreSQL are not those of the checks: the tests of the engine, of keyrings and
# records, and of the PostgreSQL store; every vector with every backend; then the vectors, keyrings and records with
# OpenSSL's FIPS provider, and no other, behind the process's default properties.
set -euo pipefail
cd "$(dirname "$0")/.."
tests=.build-test/release/swift-otpPackageTests.xctest
otp=.build-tool/release/otp
work=$(mktemp -d)
openssl=$(openssl version | cut -d ' ' -f 1-2)
# passes FILTER: all tests of these names, with how many.
passes() {
  if ! "${runner[@]}" "$tests" --testing-library swift-testing --filter "$1" > "$work/log" 2>&1; then
    grep -aE '✘' "$work/log" | cut -c 1-200 | head -n 20 >&2
    return 1
  fi
  grep -aoE 'Test run with [0-9]+ tests? in [0-9]+ suites? passed' "$work/log"
}
runner=()
echo "openssl: $openssl: $(passes '^(OTP|OTPFoundation|OTPSeeds|OTPVectors|Keyring|FactorRecord)Tests\.')"
"$otp" vectors vectors > "$work/log" || { tail -n 3 "$work/log" >&2; exit 1; }
echo "openssl: $openssl: vectors: $(tail -n 1 "$work/log")"
runner=(env "POSTGRESQL_OPTIONS=-c fsync=off" Scripts/postgresql.sh)
echo "openssl: $(psql --version): $(passes '^MultiFactorPostgreSQLTests\.')"

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
answer() { "$otp" generate --secret "$1" --at 59 2>&1 | xargs; }
for secret in JBSWY3DPEHPK3PXP JBSWY3DP; do
  echo "openssl: FIPS provider: a secret of $((${#secret} * 5)) bits: $(answer "$secret")"
done
runner=()
echo "openssl: FIPS provider: $(passes '^(Keyring|FactorRecord)Tests\.')"
# What would be refused, if the provider were to check the length of keys.
sed -i 's/^hmac-key-check = 0/hmac-key-check = 1/' "$work/fipsmodule.cnf"
for secret in GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ JBSWY3DPEHPK3PXP JBSWY3DP; do
  echo "openssl: with hmac-key-check: a secret of $((${#secret} * 5)) bits: $(answer "$secret")"
done
