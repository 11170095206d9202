/// The implementations that the engine is compared with, each called as its users would. Each C file of this folder
/// becomes a shared object, which exports a table of them by the name `peers`. None compares or scans in constant time
/// unless its own library does.

#pragma once

#include <stddef.h>
#include <stdint.h>

/// A hash is known by its size, which all secrets have too: 20 bytes for SHA-1, 32 for SHA-256, 64 for SHA-512.
typedef struct __attribute__((swift_attr("safe"))) peer {
  /// With the version. NULL ends the table. A function may be NULL too.
  const char *name;
  /// Prepares a secret in this key, or in a new one if that is NULL. Keys are kept until the process ends.
  void *(*prepare)(void *key, size_t size, const uint8_t *secret);
  /// Writes the truncated values (RFC 4226, section 5.3) of `count` counters of each key, from its own first one on.
  void (*values)(
      void *const *keys, const uint64_t *first, size_t key_count, size_t size, size_t count, uint32_t *values);
  /// Its own verification of six digits, over `side` steps of 30 seconds on each side of one: whether it accepts them.
  int (*verify)(void *key, uint64_t step, unsigned side, const char *code);
  /// The same from the secret.
  int (*verify_secret)(size_t size, const uint8_t *secret, uint64_t step, unsigned side, const char *code);
  /// Makes a record of a TOTP secret for SHA-1.
  void (*enroll)(const uint8_t secret[20], uint64_t step);
  /// Opens it, verifies six digits over one step on either side, and seals the changed record: 1 if it accepts them, 0
  /// if it rejects them, -1 if it fails or changes nothing.
  int (*verify_record)(uint64_t step, const char *code);
} peer;

__attribute__((visibility("default"))) extern const peer peers[];

static inline uint32_t truncated(const uint8_t *tag, size_t size) {
  const uint8_t *bytes = tag + (tag[size - 1] & 15);
  return (uint32_t)(bytes[0] & 0x7f) << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void put_counter(uint8_t message[8], uint64_t counter) {
  counter = __builtin_bswap64(counter);
  __builtin_memcpy(message, &counter, 8);
}
