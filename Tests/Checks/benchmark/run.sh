#!/usr/bin/env bash
# The benchmark's quick run must measure every documented row and find every subject right. Times are never checked.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
LibOTP/build.sh
swift_build --package-path Benchmarks "${flavour_release[@]}" --product otp-bench
mkdir -p .build-logs
results=.build-logs/benchmark.json
# This build of libotp, whatever the environment names; and pgbench.
PATH=$PATH:$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
export PATH OTP_LIBOTP=$PWD/.build-libotp/libotp.so.0
# shellcheck disable=SC2016 # the variable is that of the inner shell
Scripts/postgresql.sh bash -c '.build-release/release/otp-bench --quick --postgres "$OTP_POSTGRESQL" "$@"' bench \
  --json "$results" > /dev/null 2>&1
python3 - "$results" <<'PYTHON'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    results = json.load(file)
assert results["format"] == "otp-bench/1" and set(results["machine"]) == {"cpu", "openssl", "lanes"}
hashes = ["sha1", "sha256", "sha512"]
expected = {"base32/decode/32", "hotp-lookahead/sha1/100", "hotp-lookahead/sha1/1000"}
for name in hashes:
    expected |= {f"code/{name}/{state}" for state in ("cached", "cold")}
    expected |= {f"verify/{name}/window{side}/{state}" for side in (0, 1, 5, 10) for state in ("cached", "cold")}
    expected.add(f"codes-batch/{name}")
    expected |= {f"verify-batch/{name}/window{side}" for side in (1, 5)}
expected |= {f"record/verify/{kind}/{answer}" for kind in ("totp", "hotp") for answer in ("accepted", "rejected")}
expected |= {f"authenticate/totp/{store}" for store in ("memory", "sqlite", "postgresql")}
own = {row["name"] for row in results["rows"] if row["subject"] == "swift-otp"}
assert own == expected, own ^ expected
c_library = {row["name"] for row in results["rows"] if row["subject"] == "libotp"}
expected = {f"verify/sha1/window{side}/{state}" for side in (1, 5) for state in ("cached", "cold")}
expected |= {"verify-batch/sha1/window1", "code/sha1/cached"}
assert c_library == expected, c_library ^ expected
on_server = {row["subject"] for row in results["rows"] if row["name"] == "authenticate/totp/postgresql"}
expected = {"swift-otp", "swift-otp-parallel64", "swift-otp-parallel512"}
assert on_server == expected | {"postgresql-raw-update", "pgbench-clients1", "pgbench-clients64"}, on_server
parts = {row["subject"] for row in results["rows"] if row["name"].startswith("record/")}
assert parts == {"swift-otp", "opening", "engine", "sealing"}, parts
for row in results["rows"]:
    assert set(row) == {"name", "subject", "ns", "unit", "spread"} and row["ns"] > 0, row
subjects = {row["subject"] for row in results["rows"]}
assert {"swift-otp", "openssl-oneshot", "openssl-evp", "openssl-midstate"} <= subjects, subjects
print(f"benchmark: {len(results['rows'])} figures of {len(own)} rows, by {len(subjects)} subjects that all gave right answers")
PYTHON
python3 Benchmarks/plot.py "$results" | python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin)'
python3 Benchmarks/plot.py --table "$results" | grep -c '^|' > /dev/null
