// libcrypto's block transforms as kernels of one lane. If a CPU has no instructions for a hash that our own kernels
// use, a single code is faster with these than in lanes. OpenSSL deprecates them, but their behavior is unchanged.

#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/opensslconf.h>

#if !defined(OPENSSL_NO_DEPRECATED_3_0)

#include <stddef.h>
#include <string.h>

#include <openssl/sha.h>

#include "../include/otp_truncation.h"
#include "../include/otp_wipe.h"
#include "kernel.h"

#define INSIDE static inline __attribute__((always_inline))

// Every context begins with the words of its state, and a transform reads nothing else.
typedef union context {
  SHA_CTX sha1;
  SHA256_CTX sha256;
  SHA512_CTX sha512;
} context;

_Static_assert(offsetof(SHA_CTX, h0) == 0 && offsetof(SHA_CTX, h4) == 4 * sizeof(SHA_LONG), "SHA_CTX");
_Static_assert(offsetof(SHA256_CTX, h) == 0 && offsetof(SHA512_CTX, h) == 0, "SHA256_CTX, SHA512_CTX");

typedef void transform(context *, const uint8_t *block);

INSIDE void store_big_endian(uint8_t *bytes, uint64_t word, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(word >> 8 * (size - 1 - i));
}

// Copies words as big-endian bytes.
INSIDE void store_words(uint8_t *bytes, const void *words, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++) {
    uint64_t word = size == 8 ? ((const uint64_t *)words)[i] : ((const uint32_t *)words)[i];
    store_big_endian(bytes + i * size, word, size);
  }
}

// Pads the last block of a message of a whole block and `size` bytes (FIPS 180-4, section 5.1).
INSIDE void pad(uint8_t *block, size_t block_bytes, size_t size) {
  memset(block + size, 0, block_bytes - 8 - size);
  block[size] = 0x80;
  store_big_endian(block + block_bytes - 8, 8 * (block_bytes + (uint64_t)size), 8);
}

INSIDE uint32_t value(transform *run, size_t word, size_t words, const otp_midstates *key, uint64_t counter) {
  // Aligned, since a transform may otherwise make a copy of the block that is not wiped.
  _Alignas(uint64_t) uint8_t block[OTP_MAX_BLOCK_BYTES];
  context state;
  memcpy(&state, key, words * word);
  store_big_endian(block, counter, 8);
  pad(block, 16 * word, 8);
  run(&state, block);

  store_words(block, &state, words, word);
  pad(block, 16 * word, words * word);
  memcpy(&state, (const uint8_t *)key + 8 * word, words * word);
  run(&state, block);

  store_words(block, &state, words, word);
  const uint32_t result = otp_truncate(block, words * word);
  otp_wipe_inline(block, words * word);
  otp_wipe_inline(&state, words * word);
  return result;
}

INSIDE void compress(transform *run, size_t word, size_t words, void *states, const void *blocks) {
  _Alignas(uint64_t) uint8_t block[OTP_MAX_BLOCK_BYTES];
  context state;
  store_words(block, blocks, 16, word);
  memcpy(&state, states, words * word);
  run(&state, block);
  memcpy(states, &state, words * word);
  otp_wipe_inline(block, 16 * word);
  otp_wipe_inline(&state, words * word);
}

#define KERNEL(name, function, member, word, words, stack)                                                             \
  static void name##_run(context *state, const uint8_t *block) { function(&state->member, block); }                    \
  static void name##_key_values(const otp_midstates *key, uint64_t first, uint32_t *values) {                          \
    *values = value(name##_run, word, words, key, first);                                                              \
  }                                                                                                                    \
  static void name##_lane_values(const otp_lane *lanes, uint32_t *values) {                                            \
    *values = value(name##_run, word, words, lanes->key, lanes->counter);                                              \
  }                                                                                                                    \
  static void name##_compress(void *states, const void *blocks) { compress(name##_run, word, words, states, blocks); } \
  const lane_kernel otp_transform_##name = {                                                                           \
      .width = 1,                                                                                                      \
      .stack_bytes = stack,                                                                                            \
      .key_values = name##_key_values,                                                                                 \
      .lane_values = name##_lane_values,                                                                               \
      .compress = name##_compress,                                                                                     \
  };

KERNEL(sha1, SHA1_Transform, sha1, 4, 5, OTP_SHA256_STACK_BYTES)
KERNEL(sha256, SHA256_Transform, sha256, 4, 8, OTP_SHA256_STACK_BYTES)
KERNEL(sha512, SHA512_Transform, sha512, 8, 8, OTP_SHA512_STACK_BYTES)

#endif
