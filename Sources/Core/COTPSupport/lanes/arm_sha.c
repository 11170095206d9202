// SHA-1 and SHA-256 with ARMv8's own instructions for their rounds.

#if defined(__AARCH64EL__)

#define TARGET "+sha2"
#include "arm_sha.h"

typedef uint32x4_t block[4];
#define REVERSE_BYTES vrev32q_u8
#define FROM_BYTES vreinterpretq_u32_u8

// MARK: SHA-1.

typedef struct sha1_state {
  uint32x4_t abcd;
  uint32_t e;
} sha1_state;

INSIDE sha1_state sha1_load(const uint32_t *state) { return (sha1_state){vld1q_u32(state), state[4]}; }

INSIDE void sha1_store(uint32_t *state, sha1_state after) {
  vst1q_u32(state, after.abcd);
  state[4] = after.e;
}

#define SHA1_FOUR_ROUNDS(rounds, constant, g)                                                             \
  EACH_STREAM {                                                                                           \
    uint32x4_t *const words = messages[n];                                                                \
    if ((g) >= 4) {                                                                                       \
      const uint32x4_t mixed = vsha1su0q_u32(words[(g) & 3], words[((g) + 1) & 3], words[((g) + 2) & 3]); \
      words[(g) & 3] = vsha1su1q_u32(mixed, words[((g) + 3) & 3]);                                        \
    }                                                                                                     \
    const uint32x4_t sum = vaddq_u32(words[(g) & 3], vdupq_n_u32(constant));                              \
    const uint32_t e = vsha1h_u32(vgetq_lane_u32(after[n].abcd, 0));                                      \
    after[n] = (sha1_state){rounds(after[n].abcd, after[n].e, sum), e};                                   \
  }
#define SHA1_TWENTY_ROUNDS(rounds, constant, g) \
  SHA1_FOUR_ROUNDS(rounds, constant, g)         \
  SHA1_FOUR_ROUNDS(rounds, constant, (g) + 1)   \
  SHA1_FOUR_ROUNDS(rounds, constant, (g) + 2)   \
  SHA1_FOUR_ROUNDS(rounds, constant, (g) + 3)   \
  SHA1_FOUR_ROUNDS(rounds, constant, (g) + 4)

// FIPS 180-4, section 6.1.2. Overwrites the messages.
INSIDE void sha1_blocks(size_t streams, sha1_state *states, block *messages) {
  sha1_state after[MOST_STREAMS];
  EACH_STREAM after[n] = states[n];
  SHA1_TWENTY_ROUNDS(vsha1cq_u32, 0x5a827999, 0)
  SHA1_TWENTY_ROUNDS(vsha1pq_u32, 0x6ed9eba1, 5)
  SHA1_TWENTY_ROUNDS(vsha1mq_u32, 0x8f1bbcdc, 10)
  SHA1_TWENTY_ROUNDS(vsha1pq_u32, 0xca62c1d6, 15)
  EACH_STREAM states[n] = (sha1_state){vaddq_u32(states[n].abcd, after[n].abcd), states[n].e + after[n].e};
}

INSIDE void sha1_values(size_t streams, const otp_lane *lanes, uint32_t *values) {
  const uint32x4_t zero = vdupq_n_u32(0);
  sha1_state states[MOST_STREAMS];
  block messages[MOST_STREAMS];
  EACH_STREAM {
    const uint64_t counter = lanes[n].counter;
    states[n] = sha1_load(lanes[n].key->words_32);
    messages[n][0] = (uint32x4_t){(uint32_t)(counter >> 32), (uint32_t)counter, 0x80000000, 0};
    messages[n][1] = messages[n][2] = zero;
    messages[n][3] = (uint32x4_t){0, 0, 0, 8 * (64 + 8)};
  }
  sha1_blocks(streams, states, messages);
  EACH_STREAM {
    messages[n][0] = states[n].abcd;
    messages[n][1] = (uint32x4_t){states[n].e, 0x80000000, 0, 0};
    messages[n][2] = zero;
    messages[n][3] = (uint32x4_t){0, 0, 0, 8 * (64 + 20)};
    states[n] = sha1_load(lanes[n].key->words_32 + 8);
  }
  sha1_blocks(streams, states, messages);
  EACH_STREAM {
    const uint32x4_t abcd = states[n].abcd;
    const uint32_t words[5] = {
        vgetq_lane_u32(abcd, 0), vgetq_lane_u32(abcd, 1), vgetq_lane_u32(abcd, 2), vgetq_lane_u32(abcd, 3),
        states[n].e};
    values[n] = otp_truncate_words(words, words[4]);
  }
}

INSIDE void sha1_read_block(uint32x4_t *message, const uint32_t *words) {
  for (size_t i = 0; i < 4; i++) message[i] = vld1q_u32(words + 4 * i);
}

ABSORB_KEY(sha1, words_32, block, sha1_initial_state)
KERNEL(sha1, uint32_t, 5, block, 1)
KERNEL(sha1, uint32_t, 5, block, 2)

// MARK: SHA-256.

typedef struct sha256_state {
  uint32x4_t abcd, efgh;
} sha256_state;

INSIDE sha256_state sha256_load(const uint32_t *state) {
  return (sha256_state){vld1q_u32(state), vld1q_u32(state + 4)};
}

INSIDE void sha256_store(uint32_t *state, sha256_state after) {
  vst1q_u32(state, after.abcd);
  vst1q_u32(state + 4, after.efgh);
}

#define SHA256_FOUR_ROUNDS(g)                                                                      \
  EACH_STREAM {                                                                                    \
    uint32x4_t *const words = messages[n];                                                         \
    if ((g) >= 4) {                                                                                \
      const uint32x4_t mixed = vsha256su0q_u32(words[(g) & 3], words[((g) + 1) & 3]);              \
      words[(g) & 3] = vsha256su1q_u32(mixed, words[((g) + 2) & 3], words[((g) + 3) & 3]);         \
    }                                                                                              \
    const uint32x4_t sum = vaddq_u32(words[(g) & 3], vld1q_u32(sha256_round_constants + 4 * (g))); \
    const sha256_state before = after[n];                                                          \
    after[n].abcd = vsha256hq_u32(before.abcd, before.efgh, sum);                                  \
    after[n].efgh = vsha256h2q_u32(before.efgh, before.abcd, sum);                                 \
  }
#define SHA256_SIXTEEN_ROUNDS(g) \
  SHA256_FOUR_ROUNDS(g) SHA256_FOUR_ROUNDS((g) + 1) SHA256_FOUR_ROUNDS((g) + 2) SHA256_FOUR_ROUNDS((g) + 3)

// FIPS 180-4, section 6.2.2. Overwrites the messages.
INSIDE void sha256_blocks(size_t streams, sha256_state *states, block *messages) {
  sha256_state after[MOST_STREAMS];
  EACH_STREAM after[n] = states[n];
  SHA256_SIXTEEN_ROUNDS(0)
  SHA256_SIXTEEN_ROUNDS(4)
  SHA256_SIXTEEN_ROUNDS(8)
  SHA256_SIXTEEN_ROUNDS(12)
  EACH_STREAM {
    states[n] = (sha256_state){vaddq_u32(states[n].abcd, after[n].abcd), vaddq_u32(states[n].efgh, after[n].efgh)};
  }
}

INSIDE void sha256_values(size_t streams, const otp_lane *lanes, uint32_t *values) {
  sha256_state states[MOST_STREAMS];
  block messages[MOST_STREAMS];
  EACH_STREAM {
    const uint64_t counter = lanes[n].counter;
    states[n] = sha256_load(lanes[n].key->words_32);
    messages[n][0] = (uint32x4_t){(uint32_t)(counter >> 32), (uint32_t)counter, 0x80000000, 0};
    messages[n][1] = messages[n][2] = vdupq_n_u32(0);
    messages[n][3] = (uint32x4_t){0, 0, 0, 8 * (64 + 8)};
  }
  sha256_blocks(streams, states, messages);
  EACH_STREAM {
    messages[n][0] = states[n].abcd;
    messages[n][1] = states[n].efgh;
    messages[n][2] = (uint32x4_t){0x80000000, 0, 0, 0};
    messages[n][3] = (uint32x4_t){0, 0, 0, 8 * (64 + 32)};
    states[n] = sha256_load(lanes[n].key->words_32 + 8);
  }
  sha256_blocks(streams, states, messages);
  EACH_STREAM {
    const uint32x4_t abcd = states[n].abcd, efgh = states[n].efgh;
    const uint32_t words[5] = {
        vgetq_lane_u32(abcd, 0), vgetq_lane_u32(abcd, 1), vgetq_lane_u32(abcd, 2), vgetq_lane_u32(abcd, 3),
        vgetq_lane_u32(efgh, 0)};
    values[n] = otp_truncate_words(words, vgetq_lane_u32(efgh, 3));
  }
}

INSIDE void sha256_read_block(uint32x4_t *message, const uint32_t *words) { sha1_read_block(message, words); }

ABSORB_KEY(sha256, words_32, block, sha256_initial_state)
KERNEL(sha256, uint32_t, 8, block, 1)
KERNEL(sha256, uint32_t, 8, block, 2)

#endif
