# What the proofs of compiled C begin with: the tier, an empty folder $out, SwiftPM's own objects and commands, and a
# Python with decoders of instructions.
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
if [ "$(uname -m)" != x86_64 ]; then
  echo "$name: this machine is not x86-64; nothing was proved"
  exit 0
fi
mkdir -p "$build"
# Until the caller has read the build, and unlocks: the other proofs use it too.
exec {lock}< "$build"
flock "$lock"
rm -rf "$out"
mkdir -p "$out"

SWIFT_DETERMINISTIC_HASHING=1 swift build --package-path "$root" --scratch-path "$build/swiftpm" -c release \
  --target COTPSupport > "$out/swift.log" 2>&1 || { cat "$out/swift.log" >&2; exit 1; }

# SwiftPM's objects as a library.
link_objects() {
  local objects
  mapfile -t objects < <(find "$build/swiftpm/release/COTPSupport.build/" -name '*.o')
  clang -shared -o "$1" "${objects[@]}" -lcrypto
}
decoders=$build/decoders
python_with_decoders() { "$decoders/bin/python" "$@"; }
"$decoders/bin/python" -c 'import capstone, iced_x86' 2> /dev/null \
  || { python3 -m venv --clear "$decoders" && "$decoders/bin/pip" install --quiet capstone iced-x86; }
