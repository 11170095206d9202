#!/usr/bin/env bash
# Formats the Swift and C sources in place, or those named.
#
#   Scripts/format.sh [--check] [FILE...]
#
# --check changes nothing, and fails if a file is not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."
check=false
if [ "${1:-}" = --check ]; then
  check=true
  shift
fi
if [ $# -eq 0 ]; then
  list=$(git ls-files --cached --others --exclude-standard -- '*.swift' '*.[ch]' '*.[ch]pp' | grep .)
  mapfile -t files <<< "$list"
  set -- "${files[@]}"
fi
swift=() c=()
for file in "$@"; do
  # A deleted file is still in the index, and a link's target is formatted itself.
  if [ ! -f "$file" ] || [ -L "$file" ]; then continue; fi
  case $file in
    *.swift) swift+=("$file") ;;
    *.[ch] | *.[ch]pp) c+=("$file") ;;
  esac
done
if $check; then
  if [ ${#swift[@]} -gt 0 ]; then swift format lint --strict "${swift[@]}"; fi
  if [ ${#c[@]} -gt 0 ]; then clang-format-19 --dry-run --Werror "${c[@]}"; fi
else
  if [ ${#swift[@]} -gt 0 ]; then swift format format --in-place "${swift[@]}"; fi
  if [ ${#c[@]} -gt 0 ]; then clang-format-19 -i "${c[@]}"; fi
fi
