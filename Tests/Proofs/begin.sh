# What proofs begin with: the tier, an empty folder $out, and functions that build and run.
# shellcheck shell=bash
root=$(cd ../../.. && pwd)
tier=${1:-quick}
build=$root/.build-proofs
name=${PWD##*/}
out=$build/$name
case $tier in
  quick | all) ;;
  *) echo "usage: $0 quick|all" >&2; exit 64 ;;
esac
rm -rf "$out"
mkdir -p "$out"
# shellcheck source-path=SCRIPTDIR source=../../Scripts/toolchain.sh
source "$root/Scripts/toolchain.sh"

x86_only() {
  if [ "$(uname -m)" != x86_64 ]; then
    echo "$name: this machine is not x86-64; nothing was proved"
    exit 0
  fi
}

# Builds libotp, perhaps for another TARGET, and copies it.
build_libotp() {
  OTP_LIBOTP_TARGET=${2:-} "$root/LibOTP/build.sh" > "$1.log" || { cat "$1.log" >&2; exit 1; }
  cp "$root/.build-libotp${2:+-$2}/libotp.so.0" "$1"
}

# Links SwiftPM's own objects as a library.
link_swiftpm() {
  SWIFT_DETERMINISTIC_HASHING=1 swift build --package-path "$root" --scratch-path "$build/swiftpm" -c release \
    --target COTPSupport > "$1.log" 2>&1 || { cat "$1.log" >&2; exit 1; }
  mapfile -t objects < <(find "$build/swiftpm/release/COTPSupport.build/" -name '*.o')
  clang -shared -Wl,-z,now,-z,relro -o "$1" "${objects[@]}" -lcrypto
}

# Runs a program in Python, in a virtual environment with decoders of instructions and with z3. (For arm64 only an older
# iced-x86 is on PyPI as a binary.)
run() {
  local environment=$build/python
  if [ ! -e "$environment/complete" ]; then
    python3 -m venv --clear "$environment"
    "$environment/bin/pip" install --quiet --prefer-binary capstone iced-x86 z3-solver
    touch "$environment/complete"
  fi
  PYTHONPATH=$root/Tests/Proofs "$environment/bin/python" -B "$1.py" "${@:2}"
}
