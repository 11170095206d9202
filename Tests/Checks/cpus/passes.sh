# What a CPU must pass, for arm64.sh and run.sh.
# shellcheck shell=bash disable=SC2154

# passes NAME FEATURES SET NAMED BUILD PREFIX...: where the prefix runs programs, otp_info() reports these features and
# that this set is in use, and every vector passes; of the sets that are asked for by name, there are only these.
passes() {
  local name=$1 features=$2 set=$3 named=$4 build=$5 backends=(lanes) found backend
  shift 5
  found=$("$@" "$programs/describe$build")
  # shellcheck disable=SC2053 # the features may be a pattern
  [[ $found == features=$features" set=$set backend=lanes lanes=passed "*" evp=passed self-test=0 code=287082" ]] ||
    fail "$name should have $features and $set: $found"
  echo "$name: $found"
  # libcrypto's other code is that of the CPU, too.
  [[ $1 != qemu* ]] || backends+=(midstate evp)
  for backend in "${backends[@]}"; do exact "env OTP_BACKEND=$backend $* $programs/adapter$build"; done
  # What has a name is the code that one of the CPUs has as `lanes`, with every vector.
  for backend in portable sha-ni avx2 avx512 sha-arm sha512-arm; do
    found=$(OTP_BACKEND=lanes-$backend "$@" "$programs/describe$build")
    if [[ " $named " == *" $backend "* ]]; then
      [[ $found == *" backend=lanes-$backend lanes=passed "*" self-test=0 code=287082" ]] || fail "$name: $found"
    else
      [[ $found == *" backend= "*" self-test=61 code=none" ]] || fail "$name with $backend: $found"
    fi
  done
  say "$name"
}
