// The instructions of x86-64's SHA extensions as plain C, after Intel's description (Software Developer's Manual,
// volume 2): what each does to the words of its operands, the lowest first. With SHA_BY_MODELS defined they replace the
// intrinsics, so that kernels of the extensions can run on a CPU that lacks them.

#ifndef SHA_MODELS_H
#define SHA_MODELS_H

#include <immintrin.h>
#include <stdint.h>

typedef uint32_t model_words __attribute__((vector_size(16)));

static inline uint32_t rotated_left(uint32_t word, int bits) { return word << bits | word >> (32 - bits); }
static inline uint32_t rotated_right(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }
static inline uint32_t choose(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (~x & z); }
static inline uint32_t majority(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (x & z) ^ (y & z); }

// Not inlined, since a kernel has hundreds of calls.
#define MODEL static __attribute__((noinline, unused))

MODEL __m128i model_sha1rnds4(__m128i abcd, __m128i message, int function) {
  const model_words state = (model_words)abcd, w = (model_words)message;
  const uint32_t constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
  uint32_t a = state[3], b = state[2], c = state[1], d = state[0], e = 0;
  for (int i = 3; i >= 0; i--) {
    const uint32_t mixed = function == 0 ? choose(b, c, d) : function == 2 ? majority(b, c, d) : b ^ c ^ d;
    const uint32_t sum = mixed + rotated_left(a, 5) + w[i] + e + constants[function];
    e = d, d = c, c = rotated_left(b, 30), b = a, a = sum;
  }
  return (__m128i)(model_words){d, c, b, a};
}

MODEL __m128i model_sha1nexte(__m128i before, __m128i message) {
  model_words w = (model_words)message;
  w[3] += rotated_left(((model_words)before)[3], 30);
  return (__m128i)w;
}

MODEL __m128i model_sha1msg1(__m128i first, __m128i second) {
  const model_words w = (model_words)first, next = (model_words)second;
  return (__m128i)(model_words){w[0] ^ next[2], w[1] ^ next[3], w[2] ^ w[0], w[3] ^ w[1]};
}

MODEL __m128i model_sha1msg2(__m128i mixed, __m128i last) {
  const model_words m = (model_words)mixed, w = (model_words)last;
  const uint32_t w16 = rotated_left(m[3] ^ w[2], 1);
  return (__m128i)(model_words){rotated_left(m[0] ^ w16, 1), rotated_left(m[1] ^ w[0], 1), rotated_left(m[2] ^ w[1], 1),
                                w16};
}

MODEL __m128i model_sha256rnds2(__m128i hgdc, __m128i feba, __m128i message) {
  const model_words late = (model_words)hgdc, early = (model_words)feba, w = (model_words)message;
  uint32_t a = early[3], b = early[2], c = late[3], d = late[2], e = early[1], f = early[0], g = late[1], h = late[0];
  for (int i = 0; i < 2; i++) {
    const uint32_t sum =
        h + (rotated_right(e, 6) ^ rotated_right(e, 11) ^ rotated_right(e, 25)) + choose(e, f, g) + w[i];
    const uint32_t rest = (rotated_right(a, 2) ^ rotated_right(a, 13) ^ rotated_right(a, 22)) + majority(a, b, c);
    h = g, g = f, f = e, e = d + sum, d = c, c = b, b = a, a = sum + rest;
  }
  return (__m128i)(model_words){f, e, b, a};
}

MODEL __m128i model_sha256msg1(__m128i first, __m128i second) {
  model_words w = (model_words)first;
  const uint32_t next[4] = {w[1], w[2], w[3], ((model_words)second)[0]};
  for (int i = 0; i < 4; i++) w[i] += rotated_right(next[i], 7) ^ rotated_right(next[i], 18) ^ next[i] >> 3;
  return (__m128i)w;
}

MODEL __m128i model_sha256msg2(__m128i mixed, __m128i last) {
  model_words w = (model_words)mixed;
  const model_words before = (model_words)last;
  for (int i = 0; i < 4; i++) {
    const uint32_t x = i < 2 ? before[i + 2] : w[i - 2];
    w[i] += rotated_right(x, 17) ^ rotated_right(x, 19) ^ x >> 10;
  }
  return (__m128i)w;
}

#if defined(SHA_BY_MODELS)
#undef _mm_sha1rnds4_epu32
#define _mm_sha1rnds4_epu32 model_sha1rnds4
#define _mm_sha1nexte_epu32 model_sha1nexte
#define _mm_sha1msg1_epu32 model_sha1msg1
#define _mm_sha1msg2_epu32 model_sha1msg2
#define _mm_sha256rnds2_epu32 model_sha256rnds2
#define _mm_sha256msg1_epu32 model_sha256msg1
#define _mm_sha256msg2_epu32 model_sha256msg2
#endif

#endif
