# What the checks of libotp share, also those on other CPUs: the plain library (of $target, where that is set), the flags, and the programs that run on each build.
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
strict=(-pedantic -Wall -Wextra -Werror -I "$plain" -I "$programs")
python3 -B calls.py "$root/Sources/COTP/otp.h" > "$programs/calls.h"
adapter=$root/Conformance/adapters/libotp

# exact 'COMMAND ...': an adapter of libotp answers every vector exactly as it says.
exact() { python3 "$root/Conformance/run.py" --exact "$@" || fail "the vectors fail: $1"; }
