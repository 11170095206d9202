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
quick=(arguments_keys arguments_verify arguments_batch arguments_texts arguments_memory records leaks threads failures)
examples=$root/Examples
adapter=$root/Conformance/adapters/libotp
strict=(-pedantic -Wall -Wextra -Werror -I "$plain")

# exact 'COMMAND ...' [--types TYPE...]: an adapter of libotp answers every vector exactly as it says.
exact() { python3 "$root/Conformance/run.py" --exact "$@" || fail "the vectors fail: $1"; }
