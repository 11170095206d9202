#!/usr/bin/env bash
# The benchmark's quick run must measure every row, and find every subject right. Times are never checked.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
LibOTP/build.sh
swift_build --package-path Benchmarks "${flavour_release[@]}" --product otp-bench
swift_build --package-path Tool "${flavour_tool[@]}"
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
Benchmarks/programs/build.sh "$programs"
PATH=$PATH:$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
export PATH OTP_LIBOTP=$PWD/.build-libotp/libotp.so.0
# shellcheck disable=SC2016 # the variable is that of the inner shell
Scripts/postgresql.sh bash -c '.build-release/release/otp-bench --quick --postgres "$OTP_POSTGRESQL" --programs "$1"' \
  bench "$programs" > "$programs/table.md"
python3 - "$programs/table.md" << 'PYTHON'
import re, sys
with open(sys.argv[1], encoding="utf-8") as file:
    rows = dict(re.findall(r"^\| (.+?) \| [0-9.]+ [nµm]s \| (.*) \|$", file.read(), re.M))
openssl = {"HMAC()", "EVP_MAC", "midstate"}
expected = {"verify, ±5, SHA1": openssl | {"libotp"}}
for name in ("SHA1", "SHA256", "SHA512"):
    also = openssl | ({"libotp"} if name == "SHA1" else set())
    expected[f"verify, ±1, {name}"] = expected[f"verify, ±1, {name}, from the secret"] = also
    expected[f"verify 1024 people, ±1, {name}"] = openssl | {"requests kept"}
    expected[f"4096 codes, {name}"] = openssl
for answer in ("accepted", "rejected"):
    expected[f"record, {answer}"] = {"libotp", "the floor in C"}
expected |= {
    "sign-in, in memory": set(), "sign-in, SQLite": {"64 at once", "an update"},
    "sign-in, PostgreSQL": {"64 at once", "512 at once", "an update by libpq", "64 clients of pgbench"},
    "first code of a process": {"HMAC()"}, "otp --version": {"oathtool --version"}, "otp verify": {"oathtool"},
    "verify, ±1, SHA1, from Python": {"hmac"}, "verify, ±1, SHA1, from Go": {"crypto/hmac"},
    "record from Node, by otp record serve": {"three codes by createHmac"}}
assert set(rows) == set(expected), set(rows) ^ set(expected)
figures = 0
for name, beside in rows.items():
    others = set(re.findall(r"(?:^|, )([^,]+?) [0-9.]+(?: ±[0-9]+ %)?(?=,|$)", beside))
    assert others >= expected[name], (name, others, expected[name])
    figures += 1 + len(others)
print(f"benchmark: {figures} figures of {len(rows)} rows, by subjects that all gave right answers")
PYTHON
