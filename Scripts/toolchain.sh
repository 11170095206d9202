# The clang that belongs to swiftc comes first in PATH, and is named once: Debian's older one cannot link what swiftc
# compiles, and writes other instructions than the theorems are about.
# shellcheck shell=bash
if [ -z "${OTP_TOOLCHAIN:-}" ] && command -v swiftc > /dev/null; then
  OTP_TOOLCHAIN=$(swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift.*".*|\1/bin|p')
  if [ ! -x "$OTP_TOOLCHAIN/clang" ]; then
    echo "toolchain: there is no clang beside swiftc, in $OTP_TOOLCHAIN" >&2
    exit 1
  fi
  export OTP_TOOLCHAIN PATH=$OTP_TOOLCHAIN:$PATH
  echo "toolchain: $OTP_TOOLCHAIN/clang, $(clang --version | head -n 1)" >&2
fi
