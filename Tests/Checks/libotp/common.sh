# What the checks of libotp share, also those on other CPUs: the plain library (of $target, where that is set), the flags, the vectors, and the programs that run on each build.
# shellcheck shell=bash
# Each of them uses some of this.
# shellcheck disable=SC2034
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$(cd ../../.. && pwd)
plain=$root/.build-libotp${target:+-$target}
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT

say() { echo "[$SECONDS s] $*"; }

fail() {
  echo "${check:-libotp}: $*" >&2
  exit 1
}

# The programs that are fast on any build.
quick=(arguments results records threads failures)
examples=$root/Examples
read -ra json <<< "$(pkg-config --cflags --libs jansson)"
c_sources=("$examples"/c/{vectors,codes,fields,texts,texts_to_codes,records,verifications}.c)
strict=(-pedantic -Wall -Wextra -Werror -I "$plain" -I "$programs")
python3 -B calls.py "$root/Sources/COTP/otp.h" > "$programs/calls.h"
mapfile -t files < <(find "$root/vectors" -name '*.json' ! -name schema.json | sort)
python3 count.py "${files[@]}" > "$programs/counts"
total=$(awk '{ sum += $2 } END { print sum }' "$programs/counts")

all_kinds=(hotp totp verify-hotp verify-totp base32 uri-parse uri-build uri-round-trip base32-code uri-code record-totp record-hotp)

# ran PROGRAM KIND... : every vector passes, and none of the kinds that it runs is left out.
ran() {
  local program=$1 output expected
  shift
  output=$("$program" "${files[@]}") || { echo "$output" >&2; fail "$(basename "$program") fails"; }
  # Each kind's line; kinds that were not run have a remark.
  while read -r kind count; do
    [[ " $* " == *" $kind "* ]] || count+=", not run"
    grep -qFx "$kind $count" <<< "$output" || fail "$(basename "$program") does not say: $kind $count"
  done < "$programs/counts"
  expected=$(grep -E "^($(tr ' ' '|' <<< "$*")) " "$programs/counts" | awk '{ sum += $2 } END { print sum }')
  [ "$(tail -n 1 <<< "$output")" = "$expected passed, 0 failed" ] || fail "$(basename "$program"): not $expected passed"
  echo "$(basename "$program"): $(tail -n 1 <<< "$output")"
}
