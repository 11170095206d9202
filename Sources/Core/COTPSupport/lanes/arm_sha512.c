// SHA-512 with ARMv8.2's own instructions for its rounds.

#if defined(__AARCH64EL__)

// Compilers put these instructions under the name of the SHA-3 ones; no CPU has only one of the two.
#define TARGET "+sha3"
#include "arm_sha.h"

typedef uint64x2_t block[8];
#define REVERSE_BYTES vrev64q_u8
#define FROM_BYTES vreinterpretq_u64_u8

typedef struct sha512_state {
  uint64x2_t ab, cd, ef, gh;
} sha512_state;

INSIDE sha512_state sha512_load(const uint64_t *state) {
  return (sha512_state){vld1q_u64(state), vld1q_u64(state + 2), vld1q_u64(state + 4), vld1q_u64(state + 6)};
}

INSIDE void sha512_store(uint64_t *state, sha512_state after) {
  vst1q_u64(state, after.ab);
  vst1q_u64(state + 2, after.cd);
  vst1q_u64(state + 4, after.ef);
  vst1q_u64(state + 6, after.gh);
}

// The instructions take the two words of a register, and of each pair that spans two registers, in the opposite order.
// `constants` points to those of sixteen rounds. `is_scheduled` is 0 for the rounds on the message's own words, else 1.
#define SHA512_TWO_ROUNDS(ab, cd, ef, gh, i, is_scheduled)                                          \
  EACH_STREAM {                                                                                     \
    uint64x2_t *const words = messages[n];                                                          \
    sha512_state *const state = &after[n];                                                          \
    if (is_scheduled) {                                                                             \
      const uint64x2_t middle = vextq_u64(words[((i) + 4) & 7], words[((i) + 5) & 7], 1);           \
      const uint64x2_t mixed = vsha512su0q_u64(words[i], words[((i) + 1) & 7]);                     \
      words[i] = vsha512su1q_u64(mixed, words[((i) + 7) & 7], middle);                              \
    }                                                                                               \
    const uint64x2_t added = vaddq_u64(words[i], vld1q_u64(constants + 2 * (i)));                   \
    const uint64x2_t sum = vaddq_u64(vextq_u64(added, added, 1), state->gh);                        \
    const uint64x2_t half =                                                                         \
        vsha512hq_u64(sum, vextq_u64(state->ef, state->gh, 1), vextq_u64(state->cd, state->ef, 1)); \
    state->gh = vsha512h2q_u64(half, state->cd, state->ab);                                         \
    state->cd = vaddq_u64(state->cd, half);                                                         \
  }
#define SHA512_EIGHT_ROUNDS(i, is_scheduled)               \
  SHA512_TWO_ROUNDS(ab, cd, ef, gh, i, is_scheduled)       \
  SHA512_TWO_ROUNDS(gh, ab, cd, ef, (i) + 1, is_scheduled) \
  SHA512_TWO_ROUNDS(ef, gh, ab, cd, (i) + 2, is_scheduled) \
  SHA512_TWO_ROUNDS(cd, ef, gh, ab, (i) + 3, is_scheduled)

// FIPS 180-4, section 6.4.2. Overwrites the messages. A loop, since 80 unrolled rounds of two streams, twice per code,
// may be more than an instruction cache holds.
INSIDE void sha512_blocks(size_t streams, sha512_state *states, block *messages) {
  sha512_state after[MOST_STREAMS];
  EACH_STREAM after[n] = states[n];
  const uint64_t *constants = sha512_round_constants;
  SHA512_EIGHT_ROUNDS(0, 0)
  SHA512_EIGHT_ROUNDS(4, 0)
#pragma clang loop unroll(disable)
  for (size_t done = 16; done < 80; done += 16) {
    constants += 16;
    SHA512_EIGHT_ROUNDS(0, 1)
    SHA512_EIGHT_ROUNDS(4, 1)
  }
  EACH_STREAM {
    states[n] = (sha512_state){vaddq_u64(states[n].ab, after[n].ab), vaddq_u64(states[n].cd, after[n].cd),
                               vaddq_u64(states[n].ef, after[n].ef), vaddq_u64(states[n].gh, after[n].gh)};
  }
}

INSIDE void sha512_values(size_t streams, const otp_lane *lanes, uint32_t *values) {
  const uint64_t end = 1ull << 63;
  sha512_state states[MOST_STREAMS];
  block messages[MOST_STREAMS];
  EACH_STREAM {
    states[n] = sha512_load(lanes[n].key->words_64);
    messages[n][0] = (uint64x2_t){lanes[n].counter, end};
    for (size_t i = 1; i < 7; i++) messages[n][i] = vdupq_n_u64(0);
    messages[n][7] = (uint64x2_t){0, 8 * (128 + 8)};
  }
  sha512_blocks(streams, states, messages);
  EACH_STREAM {
    messages[n][0] = states[n].ab;
    messages[n][1] = states[n].cd;
    messages[n][2] = states[n].ef;
    messages[n][3] = states[n].gh;
    messages[n][4] = (uint64x2_t){end, 0};
    messages[n][5] = messages[n][6] = vdupq_n_u64(0);
    messages[n][7] = (uint64x2_t){0, 8 * (128 + 64)};
    states[n] = sha512_load(lanes[n].key->words_64 + 8);
  }
  sha512_blocks(streams, states, messages);
  EACH_STREAM {
    const uint64_t a = vgetq_lane_u64(states[n].ab, 0), b = vgetq_lane_u64(states[n].ab, 1);
    const uint32_t words[5] = {
        (uint32_t)(a >> 32), (uint32_t)a, (uint32_t)(b >> 32), (uint32_t)b,
        (uint32_t)(vgetq_lane_u64(states[n].cd, 0) >> 32)};
    values[n] = otp_truncate_words(words, (uint32_t)vgetq_lane_u64(states[n].gh, 1));
  }
}

INSIDE void sha512_read_block(uint64x2_t *message, const uint64_t *words) {
  for (size_t i = 0; i < 8; i++) message[i] = vld1q_u64(words + 2 * i);
}

ABSORB_KEY(sha512, words_64, block, sha512_initial_state)
KERNEL(sha512, uint64_t, 8, block, 1)
KERNEL(sha512, uint64_t, 8, block, 2)

#endif
