# Builds libotp and sets what cargo needs to find it, for the checks that build Rust. Run in the repository's root.
#
# The build folder is one for all, so that the crate is compiled once; nothing is fetched.
# shellcheck shell=bash
LibOTP/build.sh
mkdir -p .build-rust
described=$(mktemp .build-rust/libotp.XXXXXX)
cat > "$described" << PC
prefix=$PWD/.build-libotp
includedir=\${prefix}

Name: libotp
Description: libotp as built
Version: $(sed -n 's/^#define OTP_VERSION "\(.*\)"$/\1/p' LibOTP/include/otp.h)
Cflags: -I\${includedir}
Libs: -L\${prefix} -lotp
PC
# At once, since another check may be reading it.
mv "$described" .build-rust/libotp.pc
export PKG_CONFIG_PATH=$PWD/.build-rust CARGO_TARGET_DIR=$PWD/.build-rust/target CARGO_NET_OFFLINE=true
