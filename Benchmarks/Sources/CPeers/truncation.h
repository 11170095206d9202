// Dynamic truncation as RFC 4226, section 5.3, writes it.

#ifndef PEERS_TRUNCATION_H
#define PEERS_TRUNCATION_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t truncated(const uint8_t *tag, size_t size) {
  const uint8_t *bytes = tag + (tag[size - 1] & 15);
  return (uint32_t)(bytes[0] & 0x7f) << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void put_counter(uint8_t message[8], uint64_t counter) {
  counter = __builtin_bswap64(counter);
  __builtin_memcpy(message, &counter, 8);
}

#endif
