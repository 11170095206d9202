// libcrypto's bare transforms as kernels of one lane: where a CPU has no instructions for a hash's rounds that our own
// kernels use, one code is faster by them than by lanes. Absent where OpenSSL lacks its deprecated functions.

#include <openssl/opensslconf.h>

#if !defined(OPENSSL_NO_DEPRECATED_3_0)

#include "../include/otp_wipe.h"
#include "kernel.h"
#include "scalar_truncation.h"

static inline uint32_t value(otp_kernel_hash hash, size_t tag_bytes, const otp_midstates *key, uint64_t counter) {
  uint32_t tag[OTP_MAX_TAG_BYTES / 4];
  otp_midstate_counter_tag(hash, key, counter, (uint8_t *)tag);
  uint32_t words[5];
  for (size_t i = 0; i < 5; i++) words[i] = from_big_endian(tag[i]);
  const uint32_t result = truncate_words(words, from_big_endian(tag[tag_bytes / 4 - 1]));
  otp_wipe_inline(tag, sizeof tag);
  otp_wipe_inline(words, sizeof words);
  return result;
}

#define TRANSFORM(name, hash, tag_bytes, stack)                                               \
  static void name##_key_values(const otp_midstates *key, uint64_t first, uint32_t *values) { \
    *values = value(hash, tag_bytes, key, first);                                             \
  }                                                                                           \
  static void name##_lane_values(const otp_lane *lanes, uint32_t *values) {                   \
    *values = value(hash, tag_bytes, lanes->key, lanes->counter);                             \
  }                                                                                           \
  const lane_kernel otp_transform_##name = {                                                  \
      .width = 1,                                                                             \
      .stack_bytes = stack,                                                                   \
      .key_values = name##_key_values,                                                        \
      .lane_values = name##_lane_values,                                                      \
  };

TRANSFORM(sha1, OTP_KERNEL_HASH_SHA1, 20, OTP_SHA256_STACK_BYTES)
TRANSFORM(sha256, OTP_KERNEL_HASH_SHA256, 32, OTP_SHA256_STACK_BYTES)
TRANSFORM(sha512, OTP_KERNEL_HASH_SHA512, 64, OTP_SHA512_STACK_BYTES)

#endif
