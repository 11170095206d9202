# What the checks of libotp share, also those on other CPUs: the plain library (for $target, if that is set), the flags,
# and the programs that run on each build.
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
examples=$root/LibOTP/examples
strict=(-pedantic -Wall -Wextra -Werror -I "$plain" -I "$programs")
python3 -B calls.py "$root/LibOTP/include/otp.h" > "$programs/calls.h"
adapter=$root/vectors/conformance/adapters/libotp

# exact 'COMMAND ...': an adapter of libotp answers every vector exactly as it says.
exact() { python3 "$root/vectors/conformance/run.py" --exact "$@" || fail "the vectors fail: $1"; }
