#!/usr/bin/env bash
# Installs the command-line tool that `make build` left, with its manual page and completions.
#
#   Scripts/install-tool.sh install PREFIX   install it under $DESTDIR$PREFIX
#   Scripts/install-tool.sh uninstall PREFIX remove what install put there
#
# It builds nothing: so `sudo make install-tool` needs no toolchain, and leaves no files of root in the build folder.
# OTP_TOOL_BUILD names another build folder.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=${OTP_TOOL_BUILD:-.build-release}/release/otp
files=(bin/otp share/man/man1/otp.1 share/bash-completion/completions/otp share/zsh/vendor-completions/_otp
  share/fish/vendor_completions.d/otp.fish)

prefix=${2:-/usr/local}
if [[ ! $prefix =~ ^/[A-Za-z0-9/._+~-]*$ ]]; then
  echo "install-tool: PREFIX must be an absolute path of letters, digits and ._+~-" >&2
  exit 2
fi
place=${DESTDIR:-}$prefix
case ${1:-} in
  install)
    if [ ! -x "$tool" ] || [ -n "$(find Package.swift Sources Tool/Package.swift Tool/Sources -newer "$tool" -name '*.[sch]*' -type f)" ]
    then
      echo "install-tool: $tool is missing or older than the sources: run 'make build' first" >&2
      exit 1
    fi
    # Not `install -d`, which would change the mode of existing folders.
    for file in "${files[@]}"; do mkdir -p "$place/${file%/*}"; done
    install --strip -m 755 "$tool" "$place/${files[0]}"
    python3 -B LibOTP/pages.py otp.1 "$tool" > "$place/${files[1]}"
    chmod 644 "$place/${files[1]}"
    shells=(bash zsh fish)
    for index in 0 1 2; do
      # bash reads its completions, and does not run them.
      "$tool" --generate-completion-script "${shells[index]}" | sed '1{/^#!/d}' > "$place/${files[index + 2]}"
      chmod 644 "$place/${files[index + 2]}"
    done
    echo "otp: installed under $place; 'otp --help' and 'man otp' explain it"
    ;;
  uninstall)
    for file in "${files[@]}"; do rm -f "$place/$file"; done
    echo "otp: removed from $place"
    ;;
  *)
    echo "install-tool: install PREFIX or uninstall PREFIX" >&2
    exit 2
    ;;
esac
