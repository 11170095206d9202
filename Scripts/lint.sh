#!/usr/bin/env bash
# Checks the format, and the rules that a tool can check. With --budgets, it only sets the ceilings of budgets.txt to
# what is there.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --budgets ]; then exec Scripts/budgets.py --set; fi

# The project's matching files, one per line. Fails if git does, or if there are none.
files_like() { git ls-files --cached --others --exclude-standard -- "$@" | grep .; }

list=$(files_like '*.swift' '*.[ch]' '*.[ch]pp')
mapfile -t formatted_files <<< "$list"
Scripts/format.sh --check "${formatted_files[@]}"

list=$(files_like '*.sh' .ci/run)
mapfile -t shell_files <<< "$list"
shellcheck -x "${shell_files[@]}"

list=$(files_like '*.py' 'LibOTP/bindings/*.rs' 'LibOTP/examples/*.rs' '*.go' '*.modulemap' '*.in' '*Makefile')
mapfile -t other_files <<< "$list"
python3 Scripts/layout.py "${formatted_files[@]}" "${other_files[@]}"

# The version is defined in otp.h, where LibOTP/build.sh reads it. Everything that cannot read it there must say the same.
version=$(sed -n 's/^#define OTP_VERSION "\(.*\)"$/\1/p' LibOTP/include/otp.h)
major=${version%%.*}
status=0
same_version() {  # WHAT VERSION EXPECTED
  if [ "$2" != "$3" ]; then
    echo "lint: $1 has version '$2', but otp.h's OTP_VERSION is '$3'" >&2
    status=1
  fi
}
same_version OTPEngine "$(sed -n 's/.*staticVersion: StaticString { "\(.*\)" }$/\1/p' Sources/Core/OTP/OTPEngine.swift)" "$version"
same_version "the Python package" "$(sed -n 's/^version = "\(.*\)"$/\1/p' LibOTP/bindings/python/pyproject.toml)" "$version"
same_version "CHANGELOG.md" "$(sed -n 's/^## \([^ ]*\).*/\1/p' CHANGELOG.md | head -n 1)" "$version"
same_version "README.md's dependency" "$(sed -n 's/.*from: "\([^"]*\)".*/\1/p' README.md | sort -u)" "$version"
same_version "the Rust crate" "$(sed -n 's/^version = "\(.*\)"$/\1/p' LibOTP/bindings/rust/Cargo.toml)" "$version"
same_version "the package for Node" "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' LibOTP/bindings/node/package.json)" "$version"
same_version "the extension of PostgreSQL" "$(sed -n "s/^default_version = '\(.*\)'$/\1/p" LibOTP/postgresql/otp_record.control)" "$version"
# The binary interface has the major version's number.
sonames=$(git grep -hoE 'libotp\.so\.[0-9]+' -- . | sed 's/.*\.//' | sort -u | xargs)
same_version "a name of libotp.so" "$sonames" "$major"
[ $status -eq 0 ] || exit $status

# The documents agree with the sources, and no part has outgrown its budget.
python3 Scripts/architecture.py
Scripts/budgets.py
Scripts/lint-scripts.sh
# Each planted fault's text stands in its source.
Tests/faults/run.py --texts

# American spelling, in prose and names. (`cancelled` is Swift's.) Not covered: data, and the shell's `flavour_…`.
words='\benrols?\b|unenrol\b|enrolment|behaviour|colour|favour|honour|neighbour|labelled|licence|centre|catalogue|defence'
words+='|\b(after|back|for|to)wards\b|\bgrey\b|artefact|judgement|misspelt|whilst|amongst|analys(e|ing)\b'
words+='|(author|canonical|custom|final|general|initial|maxim|minim|normal|optim|organ|random|real|recogn|serial|special'
words+='|summar|synchron|util)is(e|ing|ation)'
if git grep -nIiE --untracked "$words" -- . ':!Scripts/lint.sh' ':!*.json' ':!vectors' \
  ':!Tests/OTPTests/KeyURI/URIBuildingTests.swift'; then
  echo "lint: British spelling" >&2
  exit 1
fi

# Files that must never be committed.
if git ls-files | grep -E '(^|/)(Package\.resolved$|\.build)'; then
  echo "lint: build products are committed" >&2
  exit 1
fi
# Sources must not contain traps, and only one place may declassify.
if grep -rnE 'fatalError|try!|\bas!' Sources Servers/Sources --include '*.swift'; then
  echo "lint: a trap in Sources" >&2
  exit 1
fi
if grep -rn 'otp_declassify' Sources --include '*.swift' | grep -v '^Sources/Core/OTP/ConstantTime/Mask.swift:'; then
  echo "lint: only Mask.swift may declassify" >&2
  exit 1
fi
echo "lint: ${#formatted_files[@]} Swift and C, ${#shell_files[@]} shell and ${#other_files[@]} other files are clean"
