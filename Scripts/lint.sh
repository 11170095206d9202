#!/usr/bin/env bash
# Checks the format and the habits that a tool can check.
set -euo pipefail
cd "$(dirname "$0")/.."

# The project's files that match, one a line. Fails where git does, or where there are none.
files_like() { git ls-files --cached --others --exclude-standard -- "$@" | grep .; }

list=$(files_like '*.swift')
mapfile -t swift_files <<< "$list"
swift format lint --strict "${swift_files[@]}"

list=$(files_like '*.sh' .ci/run)
mapfile -t shell_files <<< "$list"
shellcheck -x "${shell_files[@]}"

list=$(files_like '*.py')
mapfile -t python_files <<< "$list"
PYTHONDONTWRITEBYTECODE=1 python3 - "${python_files[@]}" <<'PYTHON'
import ast, sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    ast.parse(text, path)
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > 120 or line != line.rstrip():
            sys.exit(f"{path}:{number}: over 120 columns, or space at its end")
PYTHON

# What must never be committed.
if git ls-files | grep -E '(^|/)(Package\.resolved$|\.build)'; then
  echo "lint: build products are committed" >&2
  exit 1
fi
# The engine and its layers never trap on input, and only one place may declassify.
if grep -rnE 'fatalError|try!|\bas!' Sources --include '*.swift'; then
  echo "lint: a trap in Sources" >&2
  exit 1
fi
if grep -rn 'otp_declassify' Sources --include '*.swift' | grep -v '^Sources/OTP/ConstantTime/Mask.swift:'; then
  echo "lint: declassify has one home" >&2
  exit 1
fi
echo "lint: ${#swift_files[@]} Swift, ${#shell_files[@]} shell and ${#python_files[@]} Python files are clean"
