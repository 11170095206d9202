#!/usr/bin/env bash
# Builds the program that answers by the sources: build.sh SOURCES PROGRAM.
set -euo pipefail
sources=$1 program=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B "$here/extract.py" "$sources" > "$work/Extracted.swift"
engine=$sources/OTP
swiftc -Onone -wmo -swift-version 6 -package-name swift-otp -parse-as-library -module-name Answers \
  -I "$sources/COTPSupport/include" "$engine"/ConstantTime/*.swift \
  "$engine"/Codes/{Digits,OTPCode,SubmittedCode,TypedDigits,TimeStep}.swift "$engine"/OTPError*.swift \
  "$engine/Text/DecimalDigit.swift" \
  "$engine"/Secrets/{Redaction,Base32Group}.swift "$engine"/Verification/{MatchScan,Verification}.swift \
  "$engine"/Verification/Verification{Task,Window}.swift "$work/Extracted.swift" "$here/Answers.swift" -o "$program"
