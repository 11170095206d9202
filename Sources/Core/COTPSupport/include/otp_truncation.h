/// Dynamic truncation of one tag (RFC 4226, section 5.3).
///
/// The RFC reads four bytes at an offset given by the tag's last four bits. The tag is secret, and so is the offset:
/// here the tag is moved into place by masks and a shift, and no branch or address depends on it.

#ifndef OTP_TRUNCATION_H
#define OTP_TRUNCATION_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "otp_constant_time.h"
#include "otp_wipe.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The truncated value of a tag whose first five words are `words`, and whose last one is `last`.
static inline uint32_t otp_truncate_words(const uint32_t words[5], uint32_t last) {
  // Move by eight bytes and by four, then by the rest, 0 to 3 bytes.
  const uint32_t by_8 = (uint32_t)otp_value_barrier(0 - (uint64_t)(last >> 3 & 1));
  const uint32_t by_4 = (uint32_t)otp_value_barrier(0 - (uint64_t)(last >> 2 & 1));
  const uint32_t first = words[0] ^ (by_8 & (words[0] ^ words[2]));
  const uint32_t second = words[1] ^ (by_8 & (words[1] ^ words[3]));
  const uint32_t third = words[2] ^ (by_8 & (words[2] ^ words[4]));
  const uint32_t high = first ^ (by_4 & (first ^ second));
  const uint32_t low = second ^ (by_4 & (second ^ third));
  const uint64_t pair = (uint64_t)high << 32 | low;
  return (uint32_t)(pair << (8 * (last & 3)) >> 32) & 0x7fffffff;
}

/// The truncated value of a tag of `size` bytes, 20 or more.
static inline uint32_t otp_truncate(const uint8_t *tag, size_t size) {
  uint32_t words[5];
  for (size_t i = 0; i < 5; i++) {
    const uint8_t *bytes = tag + 4 * i;
    words[i] = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
  }
  const uint32_t value = otp_truncate_words(words, tag[size - 1]);
  otp_wipe_inline(words, sizeof words);
  return value;
}

#ifdef __cplusplus
}
#endif

#endif
