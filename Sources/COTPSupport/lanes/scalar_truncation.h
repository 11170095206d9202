// Dynamic truncation (RFC 4226, section 5.3) of one tag in 32-bit words: no branch or address depends on it.

#ifndef OTP_LANES_SCALAR_TRUNCATION_H
#define OTP_LANES_SCALAR_TRUNCATION_H

#include <stdint.h>

#include "../include/otp_constant_time.h"

static inline uint32_t from_big_endian(uint32_t word) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return __builtin_bswap32(word);
#else
  return word;
#endif
}

// `words` are the tag's first five, `last` its last.
static inline uint32_t truncate_words(const uint32_t words[5], uint32_t last) {
  // By eight bytes and by four, then by the rest, 0 to 3 bytes.
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

#endif
