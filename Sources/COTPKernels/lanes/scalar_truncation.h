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
  uint32_t near[3];
  for (int i = 0; i < 3; i++) near[i] = words[i] ^ (by_8 & (words[i] ^ words[i + 2]));
  const uint32_t high = near[0] ^ (by_4 & (near[0] ^ near[1]));
  const uint32_t low = near[1] ^ (by_4 & (near[1] ^ near[2]));
  const uint64_t pair = (uint64_t)high << 32 | low;
  return (uint32_t)(pair << (8 * (last & 3)) >> 32) & 0x7fffffff;
}

#endif
