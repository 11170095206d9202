// SHA-1 and SHA-256 by the CPU's own instructions for their rounds: one code at a time. Interleaving several was
// measured and gained nothing: the next code's rounds start before the last one's end as it is.

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "constants.h"
#include "kernel.h"
#include "../include/otp_truncation.h"
#include "../include/otp_wipe.h"

#define TARGET "sha,sse4.1,ssse3"
#define STACK_BYTES 1024
#define INSIDE static inline __attribute__((always_inline, target(TARGET)))
#define ENTRY static __attribute__((noinline, target(TARGET)))

INSIDE __m128i load(const void *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }
INSIDE void store(void *bytes, __m128i vector) { _mm_storeu_si128((__m128i *)bytes, vector); }
INSIDE __m128i words(uint32_t first, uint32_t second, uint32_t third, uint32_t fourth) {
  return _mm_set_epi32((int)fourth, (int)third, (int)second, (int)first);
}

// MARK: SHA-1. The instructions want a to d from the highest word to the lowest, and message words likewise.

#define REVERSED(vector) _mm_shuffle_epi32(vector, 0x1b)

typedef struct sha1_state {
  __m128i abcd, e;
} sha1_state;

INSIDE sha1_state sha1_load(const uint32_t *state) {
  return (sha1_state){REVERSED(load(state)), _mm_slli_si128(_mm_cvtsi32_si128((int)state[4]), 12)};
}

INSIDE void sha1_store(uint32_t *state, sha1_state after) {
  store(state, REVERSED(after.abcd));
  state[4] = (uint32_t)_mm_extract_epi32(after.e, 3);
}

#define SHA1_FOUR_ROUNDS(f, g)                                                                              \
  {                                                                                                         \
    if ((g) >= 4) {                                                                                         \
      const __m128i mixed = _mm_sha1msg1_epu32(message[(g) & 3], message[((g) + 1) & 3]);                   \
      message[(g) & 3] =                                                                                    \
          _mm_sha1msg2_epu32(_mm_xor_si128(mixed, message[((g) + 2) & 3]), message[((g) + 3) & 3]);         \
    }                                                                                                       \
    const __m128i sum = (g) == 0 ? _mm_add_epi32(e, message[0]) : _mm_sha1nexte_epu32(e, message[(g) & 3]); \
    e = abcd;                                                                                               \
    abcd = _mm_sha1rnds4_epu32(abcd, sum, f);                                                               \
  }
#define SHA1_TWENTY_ROUNDS(f)     \
  SHA1_FOUR_ROUNDS(f, 5 * (f))     \
  SHA1_FOUR_ROUNDS(f, 5 * (f) + 1) \
  SHA1_FOUR_ROUNDS(f, 5 * (f) + 2) \
  SHA1_FOUR_ROUNDS(f, 5 * (f) + 3) \
  SHA1_FOUR_ROUNDS(f, 5 * (f) + 4)

// FIPS 180-4, section 6.1.2. Overwrites the message.
INSIDE sha1_state sha1_block(sha1_state before, __m128i message[4]) {
  __m128i abcd = before.abcd, e = before.e;
  SHA1_TWENTY_ROUNDS(0)
  SHA1_TWENTY_ROUNDS(1)
  SHA1_TWENTY_ROUNDS(2)
  SHA1_TWENTY_ROUNDS(3)
  return (sha1_state){_mm_add_epi32(before.abcd, abcd), _mm_sha1nexte_epu32(e, before.e)};
}

INSIDE uint32_t sha1_value(const otp_midstates *key, uint64_t counter) {
  const __m128i zero = _mm_setzero_si128();
  __m128i message[4] = {words(0, 0x80000000, (uint32_t)counter, (uint32_t)(counter >> 32)), zero, zero,
                        words(8 * (64 + 8), 0, 0, 0)};
  const sha1_state digest = sha1_block(sha1_load(key->words_32), message);
  message[0] = digest.abcd;
  message[1] = _mm_or_si128(digest.e, words(0, 0, 0x80000000, 0));
  message[2] = zero;
  message[3] = words(8 * (64 + 20), 0, 0, 0);
  const sha1_state tag = sha1_block(sha1_load(key->words_32 + 8), message);
  uint32_t tag_words[5];
  sha1_store(tag_words, tag);
  const uint32_t value = otp_truncate_words(tag_words, tag_words[4]);
  otp_wipe_inline(tag_words, sizeof tag_words);
  return value;
}

ENTRY void sha1_ni_key_values(const otp_midstates *key, uint64_t first, uint32_t *values) {
  *values = sha1_value(key, first);
}

ENTRY void sha1_ni_lane_values(const otp_lane *lanes, uint32_t *values) {
  *values = sha1_value(lanes->key, lanes->counter);
}

ENTRY void sha1_ni_compress(void *states, const void *blocks) {
  uint32_t *state = states;
  __m128i message[4];
  for (size_t i = 0; i < 4; i++) message[i] = REVERSED(load((const uint32_t *)blocks + 4 * i));
  sha1_store(state, sha1_block(sha1_load(state), message));
}

// Both pads at once (RFC 2104, section 2): neither waits for the other.
ENTRY void sha1_ni_absorb_key(const uint8_t *padded_key, otp_midstates *midstates) {
  const __m128i initial =
      words(sha1_initial_state[3], sha1_initial_state[2], sha1_initial_state[1], sha1_initial_state[0]);
  const sha1_state start = {initial, _mm_slli_si128(_mm_cvtsi32_si128((int)sha1_initial_state[4]), 12)};
  const __m128i reverse_bytes = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __m128i inner[4], outer[4];
  for (size_t i = 0; i < 4; i++) {
    const __m128i key = _mm_shuffle_epi8(load(padded_key + 16 * i), reverse_bytes);
    inner[i] = _mm_xor_si128(key, _mm_set1_epi8(0x36));
    outer[i] = _mm_xor_si128(key, _mm_set1_epi8(0x5c));
  }
  sha1_store(midstates->words_32, sha1_block(start, inner));
  sha1_store(midstates->words_32 + 8, sha1_block(start, outer));
}

// MARK: SHA-256. The instructions want the state as (f, e, b, a) and (h, g, d, c), from the lowest word up.

typedef struct sha256_state {
  __m128i feba, hgdc;
} sha256_state;

INSIDE sha256_state sha256_load(const uint32_t *state) {
  const __m128i badc = _mm_shuffle_epi32(load(state), 0xb1), hgfe = _mm_shuffle_epi32(load(state + 4), 0x1b);
  return (sha256_state){_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0)};
}

// Words 0 to 3 and 4 to 7.
INSIDE void sha256_words(sha256_state state, __m128i halves[2]) {
  const __m128i abef = _mm_shuffle_epi32(state.feba, 0x1b), dchg = _mm_shuffle_epi32(state.hgdc, 0xb1);
  halves[0] = _mm_blend_epi16(abef, dchg, 0xf0);
  halves[1] = _mm_alignr_epi8(dchg, abef, 8);
}

INSIDE void sha256_store(uint32_t *state, sha256_state after) {
  __m128i halves[2];
  sha256_words(after, halves);
  store(state, halves[0]);
  store(state + 4, halves[1]);
}

#define SHA256_FOUR_ROUNDS(g)                                                                                       \
  {                                                                                                                 \
    if ((g) >= 4) {                                                                                                 \
      const __m128i before = _mm_alignr_epi8(message[((g) + 3) & 3], message[((g) + 2) & 3], 4);                    \
      const __m128i mixed = _mm_sha256msg1_epu32(message[(g) & 3], message[((g) + 1) & 3]);                         \
      message[(g) & 3] = _mm_sha256msg2_epu32(_mm_add_epi32(mixed, before), message[((g) + 3) & 3]);                \
    }                                                                                                               \
    const __m128i sum = _mm_add_epi32(message[(g) & 3], load(sha256_round_constants + 4 * (g)));                    \
    hgdc = _mm_sha256rnds2_epu32(hgdc, feba, sum);                                                                  \
    feba = _mm_sha256rnds2_epu32(feba, hgdc, _mm_shuffle_epi32(sum, 0x0e));                                         \
  }
#define SHA256_SIXTEEN_ROUNDS(g)                         \
  SHA256_FOUR_ROUNDS(g) SHA256_FOUR_ROUNDS((g) + 1)      \
  SHA256_FOUR_ROUNDS((g) + 2) SHA256_FOUR_ROUNDS((g) + 3)

// FIPS 180-4, section 6.2.2. Overwrites the message.
INSIDE sha256_state sha256_block(sha256_state before, __m128i message[4]) {
  __m128i feba = before.feba, hgdc = before.hgdc;
  SHA256_SIXTEEN_ROUNDS(0)
  SHA256_SIXTEEN_ROUNDS(4)
  SHA256_SIXTEEN_ROUNDS(8)
  SHA256_SIXTEEN_ROUNDS(12)
  return (sha256_state){_mm_add_epi32(before.feba, feba), _mm_add_epi32(before.hgdc, hgdc)};
}

INSIDE uint32_t sha256_value(const otp_midstates *key, uint64_t counter) {
  const __m128i zero = _mm_setzero_si128();
  __m128i message[4] = {words((uint32_t)(counter >> 32), (uint32_t)counter, 0x80000000, 0), zero, zero,
                        words(0, 0, 0, 8 * (64 + 8))};
  const sha256_state digest = sha256_block(sha256_load(key->words_32), message);
  sha256_words(digest, message);
  message[2] = words(0x80000000, 0, 0, 0);
  message[3] = words(0, 0, 0, 8 * (64 + 32));
  const sha256_state tag = sha256_block(sha256_load(key->words_32 + 8), message);
  __m128i halves[2];
  sha256_words(tag, halves);
  uint32_t tag_words[5];
  store(tag_words, halves[0]);
  tag_words[4] = (uint32_t)_mm_cvtsi128_si32(halves[1]);
  const uint32_t value = otp_truncate_words(tag_words, (uint32_t)_mm_extract_epi32(halves[1], 3));
  otp_wipe_inline(tag_words, sizeof tag_words);
  return value;
}

ENTRY void sha256_ni_key_values(const otp_midstates *key, uint64_t first, uint32_t *values) {
  *values = sha256_value(key, first);
}

ENTRY void sha256_ni_lane_values(const otp_lane *lanes, uint32_t *values) {
  *values = sha256_value(lanes->key, lanes->counter);
}

ENTRY void sha256_ni_compress(void *states, const void *blocks) {
  uint32_t *state = states;
  __m128i message[4];
  for (size_t i = 0; i < 4; i++) message[i] = load((const uint32_t *)blocks + 4 * i);
  sha256_store(state, sha256_block(sha256_load(state), message));
}

// Both pads at once (RFC 2104, section 2): neither waits for the other.
ENTRY void sha256_ni_absorb_key(const uint8_t *padded_key, otp_midstates *midstates) {
  const sha256_state start = sha256_load(sha256_initial_state);
  const __m128i swap_bytes = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  __m128i inner[4], outer[4];
  for (size_t i = 0; i < 4; i++) {
    const __m128i key = _mm_shuffle_epi8(load(padded_key + 16 * i), swap_bytes);
    inner[i] = _mm_xor_si128(key, _mm_set1_epi8(0x36));
    outer[i] = _mm_xor_si128(key, _mm_set1_epi8(0x5c));
  }
  sha256_store(midstates->words_32, sha256_block(start, inner));
  sha256_store(midstates->words_32 + 8, sha256_block(start, outer));
}

const lane_kernel otp_sha1_ni = {
    .width = 1,
    .stack_bytes = STACK_BYTES,
    .key_values = sha1_ni_key_values,
    .lane_values = sha1_ni_lane_values,
    .compress = sha1_ni_compress,
    .absorb_key = sha1_ni_absorb_key,
};
const lane_kernel otp_sha256_ni = {
    .width = 1,
    .stack_bytes = STACK_BYTES,
    .key_values = sha256_ni_key_values,
    .lane_values = sha256_ni_lane_values,
    .compress = sha256_ni_compress,
    .absorb_key = sha256_ni_absorb_key,
};

#endif
