// The same random numbers everywhere: SplitMix64.

#ifndef RANDOM_H
#define RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t next_random(uint64_t *state) {
  uint64_t word = *state += 0x9e3779b97f4a7c15;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
  word = (word ^ word >> 27) * 0x94d049bb133111eb;
  return word ^ word >> 31;
}

static inline void fill_random(uint64_t *state, uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)next_random(state);
}

#endif
