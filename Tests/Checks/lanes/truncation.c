// The kernels' dynamic truncation (RFC 4226, section 5.3) without a hash: at each of the 16 offsets, all values of each
// two adjacent bytes of the four there, among random bytes. That is enough: except for the offset, each bit of the
// truncated value is a copy of one bit of the tag.

#include <stdio.h>
#include <string.h>

#include "cpu.h"
#include "random.h"

#include "lanes/portable.c"
#include "otp_truncation.h"
#include "lanes/avx2.c"
#undef TARGET
#include "lanes/avx512.c"

// A kernel's own truncation function, for each of its streams.
#define TRUNCATE(kernel, streams, words, lanes, features)                                          \
  __attribute__((target(features))) static void kernel##_run(const void *tags, uint32_t *values) { \
    kernel##_vector tag[words][streams];                                                           \
    memcpy(tag, tags, sizeof tag);                                                                 \
    for (size_t n = 0; n < (streams); n++) kernel##_truncate(tag, n, values + n * (lanes));        \
  }
TRUNCATE(otp_portable_sha1_x4, 1, 5, 4, "sse2")
TRUNCATE(otp_portable_sha256_x4, 1, 8, 4, "sse2")
TRUNCATE(otp_portable_sha512_x2, 1, 8, 2, "sse2")
TRUNCATE(otp_avx2_sha1_x8, 1, 5, 8, "avx2")
TRUNCATE(otp_avx2_sha1_x16, 2, 5, 8, "avx2")
TRUNCATE(otp_avx2_sha256_x8, 1, 8, 8, "avx2")
TRUNCATE(otp_avx2_sha512_x4, 1, 8, 4, "avx2")
TRUNCATE(otp_avx2_sha512_x8, 2, 8, 4, "avx2")
TRUNCATE(otp_avx512_sha1_x8, 1, 5, 8, "avx512f,avx512vl")
TRUNCATE(otp_avx512_sha1_x16, 1, 5, 16, "avx512f,avx512vl")
TRUNCATE(otp_avx512_sha1_x32, 2, 5, 16, "avx512f,avx512vl")
TRUNCATE(otp_avx512_sha256_x8, 1, 8, 8, "avx512f,avx512vl")
TRUNCATE(otp_avx512_sha256_x16, 1, 8, 16, "avx512f,avx512vl")
TRUNCATE(otp_avx512_sha256_x32, 2, 8, 16, "avx512f,avx512vl")
TRUNCATE(otp_avx512_sha512_x4, 1, 8, 4, "avx512f,avx512vl")
TRUNCATE(otp_avx512_sha512_x8, 1, 8, 8, "avx512f,avx512vl")
TRUNCATE(otp_avx512_sha512_x16, 2, 8, 8, "avx512f,avx512vl")

// The kernels of one lane: the SHA extensions' streams, and libcrypto's transforms.
static void scalar_run(const void *tag, uint32_t *value) {
  const uint32_t *words = tag;
  *value = otp_truncate_words(words, words[7]);
}

static size_t failures;

// `width` tags of `words` words of `size` bytes each, word by word, as in a kernel's vectors.
static inline __attribute__((always_inline)) void compare(
    const char *name, size_t width, size_t words, size_t size, void (*run)(const void *tags, uint32_t *values)) {
  uint64_t random = 20261122;
  for (size_t offset = 0; offset < 16; offset++) {
    for (size_t pair = 0; pair < 3; pair++) {
      for (uint32_t first = 0; first < 65536; first += width) {
        _Alignas(64) uint8_t tags[8 * 32 * 8];
        uint32_t expected[32], values[32];
        for (size_t lane = 0; lane < width; lane++) {
          uint64_t bytes[8];
          for (size_t i = 0; i < 8; i++) bytes[i] = next_random(&random);
          uint8_t *tag = (uint8_t *)bytes, *last = tag + words * size - 1, *at = tag + offset;
          at[pair] = (uint8_t)((first + lane) >> 8), at[pair + 1] = (uint8_t)(first + lane);
          *last = (uint8_t)((*last & 0xf0) | offset);
          expected[lane] = (uint32_t)(at[0] & 0x7f) << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
          for (size_t word = 0; word < words; word++) {
            uint8_t *to = tags + (word * width + lane) * size;
            for (size_t i = 0; i < size; i++) to[size - 1 - i] = tag[word * size + i];
          }
        }
        run(tags, values);
        if (memcmp(values, expected, width * sizeof *values) != 0 && failures++ < 10) {
          printf("truncation: %s is wrong at offset %zu\n", name, offset);
        }
      }
    }
  }
}

#define COMPARE(kernel, words, size) compare(#kernel, kernel.width, words, size, kernel##_run)

int main(void) {
  compare("one lane", 1, 8, 4, scalar_run);
  COMPARE(otp_portable_sha1_x4, 5, 4);
  COMPARE(otp_portable_sha256_x4, 8, 4);
  COMPARE(otp_portable_sha512_x2, 8, 8);
  if (otp_cpu_has_avx2()) {
    COMPARE(otp_avx2_sha1_x8, 5, 4);
    COMPARE(otp_avx2_sha1_x16, 5, 4);
    COMPARE(otp_avx2_sha256_x8, 8, 4);
    COMPARE(otp_avx2_sha512_x4, 8, 8);
    COMPARE(otp_avx2_sha512_x8, 8, 8);
  }
  if (otp_cpu_has_avx512()) {
    COMPARE(otp_avx512_sha1_x8, 5, 4);
    COMPARE(otp_avx512_sha1_x16, 5, 4);
    COMPARE(otp_avx512_sha1_x32, 5, 4);
    COMPARE(otp_avx512_sha256_x8, 8, 4);
    COMPARE(otp_avx512_sha256_x16, 8, 4);
    COMPARE(otp_avx512_sha256_x32, 8, 4);
    COMPARE(otp_avx512_sha512_x4, 8, 8);
    COMPARE(otp_avx512_sha512_x8, 8, 8);
    COMPARE(otp_avx512_sha512_x16, 8, 8);
  }
  printf("truncation: %zu wrong, at 16 offsets of each kernel\n", failures);
  return failures != 0;
}
