// SHA-1 and SHA-256 with the CPU's own instructions for their rounds: one code, or up to four side by side. On Zen 5
// such an instruction has a latency of 4 to 6 cycles, and another one can start every second cycle, so streams fill
// each other's gaps.

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "constants.h"
#include "kernel.h"
#include "../include/otp_truncation.h"
#include "../include/otp_wipe.h"

// AVX is for VZEROUPPER. These instructions preserve the upper half of the register that they write; if it is not zero,
// each waits for the register's last use, and several streams take as long as one after the other.
#define TARGET "sha,avx"
#define INSIDE static inline __attribute__((always_inline, target(TARGET)))
#define ENTRY static __attribute__((noinline, target(TARGET)))

#define MAX_STREAMS 4
// Unrolled in full, since only what is indexed by constants can be in registers.
#define EACH_STREAM _Pragma("clang loop unroll(full)") for (size_t n = 0; n < streams; n++)
#define EACH_WORD(count) _Pragma("clang loop unroll(full)") for (size_t i = 0; i < (count); i++)

INSIDE __m128i load(const void *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }
INSIDE void store(void *bytes, __m128i vector) { _mm_storeu_si128((__m128i *)bytes, vector); }
INSIDE __m128i words(uint32_t first, uint32_t second, uint32_t third, uint32_t fourth) {
  return _mm_set_epi32((int)fourth, (int)third, (int)second, (int)first);
}

// Both pads of a key (RFC 2104, section 2) as messages, with the bytes put in order by a shuffle.
INSIDE void pads(const uint8_t *padded_key, __m128i order, __m128i messages[2][4]) {
  EACH_WORD(4) {
    const __m128i key = _mm_shuffle_epi8(load(padded_key + 16 * i), order);
    messages[0][i] = _mm_xor_si128(key, _mm_set1_epi8(0x36));
    messages[1][i] = _mm_xor_si128(key, _mm_set1_epi8(0x5c));
  }
}

// MARK: SHA-1. The instructions take a to d from the highest word to the lowest, and the message words likewise.

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

#define SHA1_FOUR_ROUNDS(f, g)                                                                                    \
  EACH_STREAM {                                                                                                   \
    __m128i *const w = messages[n];                                                                               \
    if ((g) >= 4) {                                                                                               \
      const __m128i mixed = _mm_sha1msg1_epu32(w[(g) & 3], w[((g) + 1) & 3]);                                     \
      w[(g) & 3] = _mm_sha1msg2_epu32(_mm_xor_si128(mixed, w[((g) + 2) & 3]), w[((g) + 3) & 3]);                  \
    }                                                                                                             \
    const __m128i sum = (g) == 0 ? _mm_add_epi32(after[n].e, w[0]) : _mm_sha1nexte_epu32(after[n].e, w[(g) & 3]); \
    after[n].e = after[n].abcd;                                                                                   \
    after[n].abcd = _mm_sha1rnds4_epu32(after[n].abcd, sum, f);                                                   \
  }
#define SHA1_TWENTY_ROUNDS(f)      \
  SHA1_FOUR_ROUNDS(f, 5 * (f))     \
  SHA1_FOUR_ROUNDS(f, 5 * (f) + 1) \
  SHA1_FOUR_ROUNDS(f, 5 * (f) + 2) \
  SHA1_FOUR_ROUNDS(f, 5 * (f) + 3) \
  SHA1_FOUR_ROUNDS(f, 5 * (f) + 4)

// FIPS 180-4, section 6.1.2, one block per stream. Overwrites the messages.
INSIDE void sha1_blocks(size_t streams, sha1_state states[], __m128i messages[][4]) {
  sha1_state after[MAX_STREAMS];
  EACH_STREAM after[n] = states[n];
  SHA1_TWENTY_ROUNDS(0)
  SHA1_TWENTY_ROUNDS(1)
  SHA1_TWENTY_ROUNDS(2)
  SHA1_TWENTY_ROUNDS(3)
  EACH_STREAM {
    states[n].abcd = _mm_add_epi32(states[n].abcd, after[n].abcd);
    states[n].e = _mm_sha1nexte_epu32(after[n].e, states[n].e);
  }
}

INSIDE void sha1_values(size_t streams, const otp_lane lanes[], uint32_t *values) {
  _mm256_zeroupper();
  const __m128i zero = _mm_setzero_si128();
  sha1_state states[MAX_STREAMS];
  __m128i messages[MAX_STREAMS][4];
  EACH_STREAM {
    const uint64_t counter = lanes[n].counter;
    states[n] = sha1_load(lanes[n].key->words_32);
    messages[n][0] = words(0, 0x80000000, (uint32_t)counter, (uint32_t)(counter >> 32));
    messages[n][1] = messages[n][2] = zero;
    messages[n][3] = words(8 * (64 + 8), 0, 0, 0);
  }
  sha1_blocks(streams, states, messages);
  EACH_STREAM {
    messages[n][0] = states[n].abcd;
    messages[n][1] = _mm_or_si128(states[n].e, words(0, 0, 0x80000000, 0));
    messages[n][2] = zero;
    messages[n][3] = words(8 * (64 + 20), 0, 0, 0);
    states[n] = sha1_load(lanes[n].key->words_32 + 8);
  }
  sha1_blocks(streams, states, messages);
  EACH_STREAM {
    uint32_t tag[5];
    sha1_store(tag, states[n]);
    values[n] = otp_truncate_words(tag, tag[4]);
    otp_wipe_inline(tag, sizeof tag);
  }
}

INSIDE void sha1_compress(size_t streams, uint32_t *words, const uint32_t *blocks) {
  sha1_state states[MAX_STREAMS];
  __m128i messages[MAX_STREAMS][4];
  uint32_t lane[16];
  EACH_STREAM {
    EACH_WORD(5) lane[i] = words[i * streams + n];
    states[n] = sha1_load(lane);
    EACH_WORD(16) lane[i] = blocks[i * streams + n];
    EACH_WORD(4) messages[n][i] = REVERSED(load(lane + 4 * i));
  }
  _mm256_zeroupper();
  sha1_blocks(streams, states, messages);
  EACH_STREAM {
    sha1_store(lane, states[n]);
    EACH_WORD(5) words[i * streams + n] = lane[i];
  }
}

ENTRY void sha1_ni_absorb_key(const uint8_t *padded_key, otp_midstates *midstates) {
  _mm256_zeroupper();
  sha1_state states[2] = {sha1_load(sha1_initial_state), sha1_load(sha1_initial_state)};
  __m128i messages[2][4];
  pads(padded_key, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), messages);
  sha1_blocks(2, states, messages);
  sha1_store(midstates->words_32, states[0]);
  sha1_store(midstates->words_32 + 8, states[1]);
}

// MARK: SHA-256. The instructions take the state as (f, e, b, a) and (h, g, d, c), from the lowest word up.

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

#define SHA256_FOUR_ROUNDS(g)                                                                          \
  EACH_STREAM {                                                                                        \
    __m128i *const w = messages[n];                                                                    \
    if ((g) >= 4) {                                                                                    \
      const __m128i before = _mm_alignr_epi8(w[((g) + 3) & 3], w[((g) + 2) & 3], 4);                   \
      const __m128i mixed = _mm_sha256msg1_epu32(w[(g) & 3], w[((g) + 1) & 3]);                        \
      w[(g) & 3] = _mm_sha256msg2_epu32(_mm_add_epi32(mixed, before), w[((g) + 3) & 3]);               \
    }                                                                                                  \
    const __m128i sum = _mm_add_epi32(w[(g) & 3], load(sha256_round_constants + 4 * (g)));             \
    after[n].hgdc = _mm_sha256rnds2_epu32(after[n].hgdc, after[n].feba, sum);                          \
    after[n].feba = _mm_sha256rnds2_epu32(after[n].feba, after[n].hgdc, _mm_shuffle_epi32(sum, 0x0e)); \
  }
#define SHA256_SIXTEEN_ROUNDS(g) \
  SHA256_FOUR_ROUNDS(g) SHA256_FOUR_ROUNDS((g) + 1) SHA256_FOUR_ROUNDS((g) + 2) SHA256_FOUR_ROUNDS((g) + 3)

// FIPS 180-4, section 6.2.2, one block per stream. Overwrites the messages.
INSIDE void sha256_blocks(size_t streams, sha256_state states[], __m128i messages[][4]) {
  sha256_state after[MAX_STREAMS];
  EACH_STREAM after[n] = states[n];
  SHA256_SIXTEEN_ROUNDS(0)
  SHA256_SIXTEEN_ROUNDS(4)
  SHA256_SIXTEEN_ROUNDS(8)
  SHA256_SIXTEEN_ROUNDS(12)
  EACH_STREAM {
    states[n].feba = _mm_add_epi32(states[n].feba, after[n].feba);
    states[n].hgdc = _mm_add_epi32(states[n].hgdc, after[n].hgdc);
  }
}

INSIDE void sha256_values(size_t streams, const otp_lane lanes[], uint32_t *values) {
  _mm256_zeroupper();
  const __m128i zero = _mm_setzero_si128();
  sha256_state states[MAX_STREAMS];
  __m128i messages[MAX_STREAMS][4];
  EACH_STREAM {
    const uint64_t counter = lanes[n].counter;
    states[n] = sha256_load(lanes[n].key->words_32);
    messages[n][0] = words((uint32_t)(counter >> 32), (uint32_t)counter, 0x80000000, 0);
    messages[n][1] = messages[n][2] = zero;
    messages[n][3] = words(0, 0, 0, 8 * (64 + 8));
  }
  sha256_blocks(streams, states, messages);
  EACH_STREAM {
    sha256_words(states[n], messages[n]);
    messages[n][2] = words(0x80000000, 0, 0, 0);
    messages[n][3] = words(0, 0, 0, 8 * (64 + 32));
    states[n] = sha256_load(lanes[n].key->words_32 + 8);
  }
  sha256_blocks(streams, states, messages);
  EACH_STREAM {
    __m128i halves[2];
    uint32_t tag[5];
    sha256_words(states[n], halves);
    store(tag, halves[0]);
    tag[4] = (uint32_t)_mm_cvtsi128_si32(halves[1]);
    values[n] = otp_truncate_words(tag, (uint32_t)_mm_extract_epi32(halves[1], 3));
    otp_wipe_inline(tag, sizeof tag);
  }
}

INSIDE void sha256_compress(size_t streams, uint32_t *words, const uint32_t *blocks) {
  sha256_state states[MAX_STREAMS];
  __m128i messages[MAX_STREAMS][4];
  uint32_t lane[16];
  EACH_STREAM {
    EACH_WORD(8) lane[i] = words[i * streams + n];
    states[n] = sha256_load(lane);
    EACH_WORD(16) lane[i] = blocks[i * streams + n];
    EACH_WORD(4) messages[n][i] = load(lane + 4 * i);
  }
  _mm256_zeroupper();
  sha256_blocks(streams, states, messages);
  EACH_STREAM {
    sha256_store(lane, states[n]);
    EACH_WORD(8) words[i * streams + n] = lane[i];
  }
}

ENTRY void sha256_ni_absorb_key(const uint8_t *padded_key, otp_midstates *midstates) {
  _mm256_zeroupper();
  sha256_state states[2] = {sha256_load(sha256_initial_state), sha256_load(sha256_initial_state)};
  __m128i messages[2][4];
  pads(padded_key, _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3), messages);
  sha256_blocks(2, states, messages);
  sha256_store(midstates->words_32, states[0]);
  sha256_store(midstates->words_32 + 8, states[1]);
}

// MARK: Kernels.

#define KERNEL(name, hash, count, stack, absorb)                                                                  \
  ENTRY void name##_key_values(const otp_midstates *key, uint64_t first, uint32_t *values) {                      \
    const size_t streams = count;                                                                                 \
    otp_lane lanes[count];                                                                                        \
    EACH_STREAM lanes[n] = (otp_lane){key, first + n};                                                            \
    hash##_values(streams, lanes, values);                                                                        \
  }                                                                                                               \
  ENTRY void name##_lane_values(const otp_lane *lanes, uint32_t *values) { hash##_values(count, lanes, values); } \
  ENTRY void name##_compress(void *states, const void *blocks) { hash##_compress(count, states, blocks); }        \
  const lane_kernel otp_##name = {                                                                                \
      .width = count,                                                                                             \
      .stack_bytes = stack,                                                                                       \
      .key_values = name##_key_values,                                                                            \
      .lane_values = name##_lane_values,                                                                          \
      .compress = name##_compress,                                                                                \
      .absorb_key = absorb,                                                                                       \
  };

KERNEL(sha1_ni, sha1, 1, 256, sha1_ni_absorb_key)
KERNEL(sha1_ni_x2, sha1, 2, 256, NULL)
KERNEL(sha1_ni_x3, sha1, 3, 448, NULL)
KERNEL(sha1_ni_x4, sha1, 4, 640, NULL)
KERNEL(sha256_ni, sha256, 1, 256, sha256_ni_absorb_key)
KERNEL(sha256_ni_x2, sha256, 2, 320, NULL)
KERNEL(sha256_ni_x3, sha256, 3, 512, NULL)
KERNEL(sha256_ni_x4, sha256, 4, 704, NULL)

#endif
