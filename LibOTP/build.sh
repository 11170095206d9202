#!/usr/bin/env bash
# Builds libotp, the engine as a C library, into .build-libotp: libotp.so.0 and its links, libotp.a, otp.h, libotp.pc,
# and what is made of the header: otp.3 of its comments, and otp.cdef.h for parsers without a preprocessor.
#
#   LibOTP/build.sh                        build
#   LibOTP/build.sh install PREFIX [LIB]   install it under $DESTDIR$PREFIX, libraries in its folder LIB (default lib);
#                                          builds first if there is no build
#   LibOTP/build.sh uninstall PREFIX [LIB]  remove what install put there
#
# So after a build, `sudo make install` needs no toolchain, and leaves no files of root in the build folder.
#
# The Swift is compiled as Embedded Swift, which needs no runtime. OTP_LIBOTP_BUILD names another build folder, and
# OTP_LIBOTP_CFLAGS, OTP_LIBOTP_SWIFTFLAGS and OTP_LIBOTP_LDFLAGS add flags (for sanitizers and checks). A folder whose
# library was built from the same sources with the same tools and flags is left as it is.
#
# OTP_LIBOTP_TARGET=aarch64-linux-gnu builds for arm64, into .build-libotp-aarch64-linux-gnu, with the linker and tools
# of Debian's cross compiler, and Debian's libcrypto for arm64 (Scripts/foreign.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=../Scripts/toolchain.sh
source Scripts/toolchain.sh
target=${OTP_LIBOTP_TARGET:-}
if [[ -n $target && $target != aarch64-linux-gnu ]]; then
  echo "libotp: TARGET must be aarch64-linux-gnu, or empty for this machine" >&2
  exit 64
fi
build=${OTP_LIBOTP_BUILD:-.build-libotp${target:+-$target}}
# The prefix of binutils' program names.
tools=${target:+$target-}
version=$(sed -n 's/^#define OTP_VERSION "\(.*\)"/\1/p' LibOTP/include/otp.h)
major=${version%%.*}
soname=libotp.so.$major
mapfile -t functions < <(sed -nE 's/^[a-z].*[ *](otp_[a-z0-9_]+)\(.*/\1/p' LibOTP/include/otp.h)

# Sets what differs between targets: compilers, linker, and the flags for libcrypto.
choose_compilers() {
  local foreign flag
  if [ -z "$target" ]; then
    compiler=(clang)
    swift_compiler=(swiftc)
    linker=(clang)
    read -ra crypto_cflags <<< "$(pkg-config --cflags libcrypto)"
    read -ra crypto_libs <<< "$(pkg-config --libs libcrypto)"
    return
  fi
  foreign=$(Scripts/foreign.sh arm64 libssl-dev libssl3)
  # Not this machine's own headers.
  crypto_cflags=(-nostdlibinc -isystem "/usr/$target/include" -isystem "$foreign/usr/include"
    -isystem "$foreign/usr/include/$target")
  crypto_libs=("-L$foreign/usr/lib/$target" -lcrypto)
  compiler=(clang "--target=$target")
  # The toolchain's Embedded Swift for arm64 targets no operating system: it reaches one only through our C.
  swift_compiler=(swiftc -target aarch64-none-none-elf)
  for flag in "${crypto_cflags[@]}"; do swift_compiler+=(-Xcc "$flag"); done
  linker=("$target-gcc")
}

# Everything that the library depends on: sources, this script, flags and tools.
fingerprint() {
  {
    find Sources/Core LibOTP/{Sources,include,build.sh} \
      Scripts/foreign.sh -type f ! -path '*.docc/*' -print0 \
      | LC_ALL=C sort -z | xargs -0 sha256sum
    swiftc --version
    clang --version
    "${linker[0]}" --version
    "${tools}ld" --version
    "${tools}objcopy" --version
    if [ -z "$target" ]; then pkg-config --modversion libcrypto; fi
    printf '%s\n' "${crypto_cflags[@]}" "${crypto_libs[@]}"
    printf '%s\n' "${OTP_LIBOTP_CFLAGS:-}" "${OTP_LIBOTP_SWIFTFLAGS:-}" "${OTP_LIBOTP_LDFLAGS:-}"
  } 2>&1 | sha256sum
}

compile() {
  local objects=$build/objects made_of lock
  local -a compiler swift_compiler linker crypto_cflags crypto_libs
  if [[ -e $build && $(basename "$build") != .build* ]]; then
    echo "libotp: $build already exists, and is not a build folder" >&2
    exit 64
  fi
  mkdir -p "$build"
  # One build at a time, if several checks need the library.
  exec {lock}< "$build"
  if command -v flock > /dev/null; then flock "$lock"; fi
  choose_compilers
  made_of=$(fingerprint)
  if [ "$(cat "$build/fingerprint" 2> /dev/null)" = "$made_of" ]; then return; fi
  echo "libotp: compiling"
  find "$build" -mindepth 1 -delete
  mkdir -p "$objects"
  read -ra extra_c <<< "${OTP_LIBOTP_CFLAGS:-}"
  read -ra extra_swift <<< "${OTP_LIBOTP_SWIFTFLAGS:-}"
  read -ra extra_link <<< "${OTP_LIBOTP_LDFLAGS:-}"

  local source
  for source in Sources/Core/COTPSupport/*.c Sources/Core/COTPSupport/lanes/*.c; do
    "${compiler[@]}" -std=c11 -O2 -fPIC -fstack-clash-protection -fvisibility=hidden -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables \
      -Wall -Wextra -Werror "${extra_c[@]}" "${crypto_cflags[@]}" -I Sources/Core/COTPSupport/include -c "$source" \
      -o "$objects/$(basename "$source" .c).o"
  done
  local module folder
  local -a sources flags
  flags=(-enable-experimental-feature Embedded -wmo -O -swift-version 6 -strict-memory-safety -warnings-as-errors
    -package-name swift-otp -parse-as-library -Xfrontend -function-sections "${extra_swift[@]}"
    -I Sources/Core/COTPSupport/include -I LibOTP/include -I Sources/Core/CLibcrypto -I "$build")
  # What changes a keyring's file is not part of the library.
  for module in OTP Keyring FactorRecord LibOTP; do
    folder=Sources/Core/$module
    [ -d "$folder" ] || folder=$module/Sources
    mapfile -t sources < <(find "$folder" -name '*.swift' ! -path 'Sources/Core/Keyring/File/*' | sort)
    "${swift_compiler[@]}" "${flags[@]}" -module-name "$module" -emit-module -emit-module-path "$build/$module.swiftmodule" \
      -c "${sources[@]}" -o "$objects/$module.o"
  done

  # One object with only what otp.h's functions reach, and with its internal names hidden, since a program may have its
  # own otp_wipe. GNU ld drops unused functions, but keeps the undefined names that only they used, with their libc
  # versions.
  printf '%s\n' "${functions[@]}" > "$build/symbols"
  "${tools}ld" -r --gc-sections "${functions[@]/#/--undefined=}" -o "$build/libotp.o" "$objects"/*.o
  "${tools}nm" --undefined-only --format=posix "$build/libotp.o" | cut -d ' ' -f 1 > "$build/undefined"
  "${tools}objcopy" --keep-global-symbols="$build/symbols" --strip-unneeded-symbols="$build/undefined" "$build/libotp.o"

  {
    echo "LIBOTP_$major {"
    echo "global: ${functions[*]/%/;}"
    echo "local: *; };"
  } > "$build/libotp.map"
  "${linker[@]}" -shared -o "$build/libotp.so.$version" "$build/libotp.o" "${extra_c[@]}" -Wl,-soname,"$soname" \
    -Wl,"--version-script=$build/libotp.map" -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack \
    -Wl,-z,defs "${extra_link[@]}" -Wl,--as-needed "${crypto_libs[@]}"
  ln -sf "libotp.so.$version" "$build/$soname"
  ln -sf "$soname" "$build/libotp.so"

  rm -f "$build/libotp.a"
  "${tools}ar" rcs "$build/libotp.a" "$build/libotp.o"
  cp LibOTP/include/otp.h "$build"
  echo "$made_of" > "$build/fingerprint"
}

# The files that install writes, relative to the prefix. Each function's manual page is a link to otp.3.
pages=("${functions[@]/#/share/man/man3/}")
pages=("${pages[@]/%/.3}")
lib=${3:-lib}
installed=(include/otp.h include/otp.cdef.h include/otp.hpp "$lib/libotp.so.$version" "$lib/$soname" "$lib/libotp.so" "$lib/libotp.a"
  "$lib/pkgconfig/libotp.pc" share/man/man3/otp.3 "${pages[@]}")

# The pkg-config file for the requested prefix.
write_pc() { sed -e "s|@VERSION@|$version|" -e "s|@PREFIX@|$prefix|" -e "s|@LIB@|$lib|" LibOTP/Sources/libotp.pc.in > "$1"; }

install_under() {
  local root=$1 page
  # Not `install -d`, which would change the mode of existing folders.
  mkdir -p "$root"/{include,"$lib/pkgconfig",share/man/man3}
  install -m 644 "$build"/otp{,.cdef}.h LibOTP/bindings/c++/otp.hpp "$root/include"
  install -m 755 "$build/libotp.so.$version" "$root/$lib"
  cp -P "$build/$soname" "$build/libotp.so" "$root/$lib"
  install -m 644 "$build/libotp.a" "$root/$lib"
  write_pc "$root/$lib/pkgconfig/libotp.pc"
  chmod 644 "$root/$lib/pkgconfig/libotp.pc"
  install -m 644 "$build/otp.3" "$root/share/man/man3"
  for page in "${pages[@]}"; do
    echo ".so man3/otp.3" > "$root/$page"
    chmod 644 "$root/$page"
  done
}

report() {
  local size
  "${tools}strip" -o "$build/stripped" "$build/libotp.so.$version"
  size=$(stat -c %s "$build/stripped")
  rm "$build/stripped"
  echo "libotp: $build/libotp.so.$version, $size bytes stripped; needs" \
    "$("${tools}readelf" --dynamic "$build/libotp.so.$version" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | xargs)"
}

prefix=${2:-/usr/local}
# Other characters have a meaning to pkg-config or sed.
if [[ ! $prefix/$lib =~ ^/[A-Za-z0-9/._+~-]*$ ]]; then
  echo "libotp: PREFIX must be an absolute path, and it and LIB of letters, digits and . _ + ~ - only" >&2
  exit 64
fi
case ${1:-build} in
  build)
    # For the other languages. Only these and the manual page need Python.
    if [ -e LibOTP/bindings/generate.py ] && command -v python3 > /dev/null; then LibOTP/bindings/generate.py; fi
    compile
    write_pc "$build/libotp.pc"
    python3 -B LibOTP/pages.py otp.3 > "$build/otp.3.new"
    mv "$build/otp.3.new" "$build/otp.3"
    python3 -B LibOTP/header.py > "$build/otp.cdef.h"
    report
    ;;
  install)
    if [ ! -e "$build/otp.3" ]; then LibOTP/build.sh; fi
    install_under "${DESTDIR:-}$prefix"
    echo "libotp: installed under ${DESTDIR:-}$prefix"
    ;;
  uninstall)
    for file in "${installed[@]}"; do rm -f "${DESTDIR:-}$prefix/$file"; done
    echo "libotp: removed from ${DESTDIR:-}$prefix"
    ;;
  *)
    echo "libotp: build, install PREFIX [LIB] or uninstall PREFIX [LIB]" >&2
    exit 64
    ;;
esac
