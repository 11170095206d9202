#!/usr/bin/env bash
# `make run` shows all that README promises of it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
output=$(make run)
echo "$output"

expect() {
  if ! grep -qE "$1" <<< "$output"; then
    echo "run: nothing printed like: $1" >&2
    exit 1
  fi
}
for file in vectors/*.json; do
  [ "$file" = vectors/schema.json ] || expect "$(basename "$file")"
done
expect '^[0-9]{3,} passed, 0 failed$'
expect '^otpauth://totp/Example:alice%40example\.com\?secret=[A-Z2-7]{32}&issuer=Example$'
expect '^[0-9]{6}$'
expect '^accepted step=[0-9]+ offset=0$'
expect '^replayed$'
expect '^rejected$'
echo "run: vectors, a secret, a code, an acceptance, a replay and a refusal were shown"
