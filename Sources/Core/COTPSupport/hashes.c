#include "otp_hash.h"

#include "lanes/constants.h"

#define HASH(of, state) \
  {of, sizeof *(state), sizeof(state) / sizeof *(state), 16 * sizeof *(state), sizeof(state), state}

const otp_hash_properties otp_hashes[OTP_HASH_COUNT] = {
    [OTP_KERNEL_HASH_SHA1] = HASH("SHA1", sha1_initial_state),
    [OTP_KERNEL_HASH_SHA256] = HASH("SHA256", sha256_initial_state),
    [OTP_KERNEL_HASH_SHA512] = HASH("SHA512", sha512_initial_state),
};
