// What the kernels for ARM's SHA extensions share: one code at a time, or two side by side, each filling the cycles in
// which the other waits for its last round. The files that include this define TARGET, the extension as the `target`
// attribute names it.

#include <arm_neon.h>

#include "constants.h"
#include "kernel.h"
#include "../include/otp_truncation.h"

#define INSIDE static inline __attribute__((always_inline, target(TARGET)))
#define ENTRY static __attribute__((noinline, target(TARGET)))
#define STACK_BYTES 512

// `streams` is 1 or 2, and a constant once a function is inlined.
#define MOST_STREAMS 2
#define EACH_STREAM for (size_t n = 0; n < streams; n++)

// A kernel of 1 or 2 streams, from a hash's load, store, read_block, blocks and values. The layout that it compresses
// is that of lane_kernel.compress: each word of all streams in turn.
#define KERNEL(hash, word, state_words, vectors, count)                                                 \
  ENTRY void hash##_x##count##_key_values(const otp_midstates *key, uint64_t first, uint32_t *values) { \
    otp_lane lanes[count];                                                                              \
    for (size_t n = 0; n < count; n++) lanes[n] = (otp_lane){key, first + n};                           \
    hash##_values(count, lanes, values);                                                                \
  }                                                                                                     \
  ENTRY void hash##_x##count##_lane_values(const otp_lane *lanes, uint32_t *values) {                   \
    hash##_values(count, lanes, values);                                                                \
  }                                                                                                     \
  ENTRY void hash##_x##count##_compress(void *states, const void *blocks) {                             \
    word(*const all)[count] = states;                                                                   \
    const word(*const all_words)[count] = blocks;                                                       \
    hash##_state loaded[count];                                                                         \
    vectors messages[count];                                                                            \
    for (size_t n = 0; n < count; n++) {                                                                \
      word state[8], words[16];                                                                         \
      for (size_t i = 0; i < state_words; i++) state[i] = all[i][n];                                    \
      for (size_t i = 0; i < 16; i++) words[i] = all_words[i][n];                                       \
      loaded[n] = hash##_load(state);                                                                   \
      hash##_read_block(messages[n], words);                                                            \
    }                                                                                                   \
    hash##_blocks(count, loaded, messages);                                                             \
    for (size_t n = 0; n < count; n++) {                                                                \
      word state[8];                                                                                    \
      hash##_store(state, loaded[n]);                                                                   \
      for (size_t i = 0; i < state_words; i++) all[i][n] = state[i];                                    \
    }                                                                                                   \
  }                                                                                                     \
  const lane_kernel otp_arm_##hash##_x##count = {                                                       \
      .width = count,                                                                                   \
      .stack_bytes = STACK_BYTES,                                                                       \
      .key_values = hash##_x##count##_key_values,                                                       \
      .lane_values = hash##_x##count##_lane_values,                                                     \
      .compress = hash##_x##count##_compress,                                                           \
      .absorb_key = hash##_absorb_key,                                                                  \
  };

// The midstates of both pads at once (RFC 2104, section 2).
#define ABSORB_KEY(hash, words, vectors, initial_state)                                \
  ENTRY void hash##_absorb_key(const uint8_t *padded_key, otp_midstates *midstates) {  \
    hash##_state states[2] = {hash##_load(initial_state), hash##_load(initial_state)}; \
    vectors pads[2];                                                                   \
    for (size_t i = 0; i < sizeof pads[0] / 16; i++) {                                 \
      const uint8x16_t key = REVERSE_BYTES(vld1q_u8(padded_key + 16 * i));             \
      pads[0][i] = FROM_BYTES(veorq_u8(key, vdupq_n_u8(0x36)));                        \
      pads[1][i] = FROM_BYTES(veorq_u8(key, vdupq_n_u8(0x5c)));                        \
    }                                                                                  \
    hash##_blocks(2, states, pads);                                                    \
    hash##_store(midstates->words, states[0]);                                         \
    hash##_store(midstates->words + 8, states[1]);                                     \
  }
