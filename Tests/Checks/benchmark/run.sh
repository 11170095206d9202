#!/usr/bin/env bash
# The benchmark's quick run must measure every row, and find every subject right. Times are never checked.
set -euo pipefail
cd "$(dirname "$0")/../../.."
table=$(mktemp)
trap 'rm -f "$table"' EXIT
Scripts/bench.sh --quick > "$table"
python3 - "$table" << 'PYTHON'
import re, sys
with open(sys.argv[1], encoding="utf-8") as file:
    rows = dict(re.findall(r"^\| (.+?) \| [0-9.]+ [nµm]s \| (.*) \|$", file.read(), re.M))
computing = {"HMAC()", "EVP_MAC", "midstate", "ipsec-mb"}
verifying = computing | {"libotp", "liboath"}
expected = {"verify, ±5, SHA1": verifying}
for name in ("SHA1", "SHA256", "SHA512"):
    expected[f"verify, ±1, {name}"] = expected[f"verify, ±1, {name}, from the secret"] = verifying
    expected[f"verify 1024 people, ±1, {name}"] = computing | {"requests kept"}
    expected[f"4096 codes, {name}"] = computing
for answer in ("accepted", "rejected"):
    expected[f"record, {answer}"] = {"libotp", "the floor in C"}
expected |= {
    "sign-in, in memory": set(), "sign-in, SQLite": {"64 at once", "an update"},
    **{f"sign-in, PostgreSQL{kind}": {"64 at once", "512 at once", "an update by libpq"}
       for kind in ("", ", without the disk")},
    "first code of a process": {"HMAC()"}, "otp --version": {"oathtool"}, "otp verify": {"oathtool"},
    "verify, ±1, SHA1, from Python": {"hmac", "pyotp"}, "verify, ±1, SHA1, from Go": {"crypto/hmac", "pquerna"},
    "verify, ±1, SHA1, from Rust": {"hmac with sha1", "totp-rs"},
    "record from Node, by otp record serve": {"three codes by createHmac"}}
assert set(rows) == set(expected), set(rows) ^ set(expected)
figures = 0
for name, beside in rows.items():
    # Without versions and figures.
    others = {re.sub(r" [0-9.]+( ±.*)?", "", each) for each in beside.split(", ") if each}
    assert others >= expected[name], (name, others, expected[name])
    figures += 1 + len(others)
print(f"benchmark: {figures} figures of {len(rows)} rows, by subjects that all gave right answers")
PYTHON
