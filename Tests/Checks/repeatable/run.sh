#!/usr/bin/env bash
# Two builds of libotp, in different folders, by different users, with different locales, time zones, umasks and file
# times, are identical. (Packaging/README.md says how to compare everything else.)
set -euo pipefail
cd "$(dirname "$0")/../../.."
Scripts/libotp.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
other="$work/another folder"
mkdir "$other"
git ls-files -z Sources/{OTP,Keyring,FactorRecord,LibOTP,COTP,COTPSupport,CLibcrypto} Scripts/{libotp,foreign}.sh \
  | xargs -0 cp --parents -t "$other"
find "$other" -exec touch -d '2001-02-03 04:05:06' {} +
as_other=()
if [ "$(id -u)" -eq 0 ]; then
  chmod 755 "$work"
  chown -R nobody "$other"
  as_other=(setpriv --reuid nobody --regid nogroup --clear-groups)
fi
swift=$(dirname "$(command -v swiftc)")
(umask 077 && "${as_other[@]}" env -i PATH="$swift:/usr/bin:/bin" HOME="$other" TZ=Asia/Kathmandu LC_ALL=C.UTF-8 \
  "$other/Scripts/libotp.sh")

for file in "libotp.so.0" libotp.a libotp.pc otp.h; do
  if ! cmp ".build-libotp/$file" "$other/.build-libotp/$file"; then
    echo "repeatable: $file differs" >&2
    exit 1
  fi
done
# The comparison notices a path: debug information has one.
traced() { (cd "$1" && clang -g -c -I Sources/COTPSupport/include Sources/COTPSupport/wipe.c -o "$2"); }
traced . "$work/one.o"
traced "$other" "$work/two.o"
if cmp --silent "$work/one.o" "$work/two.o"; then
  echo "repeatable: objects with the folders' names in them do not differ" >&2
  exit 1
fi
echo "repeatable: two builds are identical: $(sha256sum .build-libotp/libotp.so.0 | cut -c 1-16)… and .a"
