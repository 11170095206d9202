// One kernel: a hash's compression, and one-time passwords built on it, in WIDTH lanes of one instruction set.
//
// An instruction set's file includes this once per kernel, with these macros defined:
//
//   KERNEL         the kernel's name, such as otp_avx512_sha1_x16
//   HASH           1, 256 or 512
//   VECTOR_BYTES   the size of a register: 16, 32 or 64
//   STACK_BYTES    how much stack to wipe after it; Tests/Checks/lanes compares it with the compiler's own figures
//   STREAMS        how many registers' worth of lanes are interleaved, for the CPU to overlap
//   TARGET         the instruction set, as the `target` attribute names it; undefined for the compiler's default
//
// A VECTOR holds the same word of several lanes. Only arithmetic depends on the value of a word.

#if defined(TERNARY_LOGIC)
#include <immintrin.h>
#endif
#include <stdint.h>
#include <string.h>

#include "../include/otp_wipe.h"
#include "barrier.h"
#include "constants.h"
#include "kernel.h"

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define NAME(suffix) PASTE(KERNEL, suffix)

#if HASH == 512
#define WORD uint64_t
#define BLOCK_BYTES 128
#else
#define WORD uint32_t
#define BLOCK_BYTES 64
#endif
#define WORD_BITS (8 * sizeof(WORD))

#if HASH == 1
#define STATE_WORDS 5
#else
#define STATE_WORDS 8
#endif

#if HASH == 512
#define INITIAL_STATE sha512_initial_state
#elif HASH == 256
#define INITIAL_STATE sha256_initial_state
#endif

#if HASH == 512
#define LANES (VECTOR_BYTES / 8)
#else
#define LANES (VECTOR_BYTES / 4)
#endif
#define WIDTH (LANES * STREAMS)

#if defined(TARGET)
#define INSIDE static inline __attribute__((always_inline, target(TARGET)))
#define ENTRY static __attribute__((noinline, target(TARGET)))
#else
#define INSIDE static inline __attribute__((always_inline))
#define ENTRY static __attribute__((noinline))
#endif

#define VECTOR NAME(vector)
typedef WORD VECTOR __attribute__((vector_size(VECTOR_BYTES)));

#define SPLAT(word) ((VECTOR){0} + (WORD)(word))
#define ROTATE_LEFT(vector, bits) ((vector) << (bits) | (vector) >> (WORD_BITS - (bits)))
#define ROTATE_RIGHT(vector, bits) ((vector) >> (bits) | (vector) << (WORD_BITS - (bits)))
// SELECT takes `first` where the mask's bits are ones, else `second`. MASK_OF_BIT makes such a mask from a bit of a
// word.
#define SELECT(mask, first, second) ((second) ^ ((mask) & ((first) ^ (second))))
#define MASK_OF_BIT(vector, bit) (SPLAT(0) - ((vector) >> (bit) & SPLAT(1)))

// The value of at least two of three bits. AVX-512 has an instruction for it, which compilers do not use by themselves.
#if !defined(TERNARY_LOGIC)
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#elif VECTOR_BYTES == 64
#define MAJORITY(x, y, z) ((VECTOR)_mm512_ternarylogic_epi32((__m512i)(x), (__m512i)(y), (__m512i)(z), 0xe8))
#else
#define MAJORITY(x, y, z) ((VECTOR)_mm256_ternarylogic_epi32((__m256i)(x), (__m256i)(y), (__m256i)(z), 0xe8))
#endif

// Unrolled in full, since only what is indexed by constants can be in registers.
#define EACH_STREAM _Pragma("clang loop unroll(full)") for (size_t n = 0; n < STREAMS; n++)

#if HASH == 1
#include "sha1_block.h"
#else
#include "sha2_block.h"
#endif

#include "transposition.h"
#include "truncation.h"

// Pads a last block whose first `used` words are set (FIPS 180-4, section 5.1). The length counts a whole block, the
// padded key, and the `used` words after it.
INSIDE void NAME(pad)(VECTOR message[16][STREAMS], size_t used) {
  EACH_STREAM {
    message[used][n] = SPLAT((WORD)1 << (WORD_BITS - 1));
    for (size_t i = used + 1; i < 15; i++) message[i][n] = SPLAT(0);
    message[15][n] = SPLAT(8 * (BLOCK_BYTES + used * sizeof(WORD)));
  }
}

// A code takes two blocks. Inlined twice, the compiler can drop the parts of the messages that it knows; called, they
// are half as much code. An instruction cache (32 KiB) does not hold two blocks of SHA-2, nor two of two streams beside
// other code: inlined, those took up to three times as long, depending on where they were linked.
#if HASH != 1 || STREAMS > 1
ENTRY void NAME(called_block)(VECTOR state[STATE_WORDS][STREAMS], VECTOR message[16][STREAMS]) {
  NAME(block)(state, message);
}
#define BLOCK NAME(called_block)
#else
#define BLOCK NAME(block)
#endif

// The last two blocks of an HMAC and the truncation (RFC 4226, section 5.3), from the midstates. `load` reads each
// midstate only when it is needed: a frame with both would exceed a page. The message is the counter, 8 bytes.
#define FINISH(load, counters, values)                                                                \
  {                                                                                                   \
    VECTOR state[STATE_WORDS][STREAMS], message[16][STREAMS];                                         \
    load(0);                                                                                          \
    for (size_t i = 0; i < 8 / sizeof(WORD); i++) memcpy(message[i], counters[i], sizeof message[i]); \
    NAME(pad)(message, 8 / sizeof(WORD));                                                             \
    BLOCK(state, message);                                                                            \
    for (size_t i = 0; i < STATE_WORDS; i++) EACH_STREAM message[i][n] = state[i][n];                 \
    NAME(pad)(message, STATE_WORDS);                                                                  \
    load(8);                                                                                          \
    BLOCK(state, message);                                                                            \
    EACH_STREAM NAME(truncate)(state, n, values + n * LANES);                                         \
  }

// For FINISH: the midstate at `place`, of one key in all lanes, or of each lane's own key.
#define LOAD_KEY(place) \
  for (size_t i = 0; i < STATE_WORDS; i++) EACH_STREAM state[i][n] = SPLAT(((const WORD *)key)[place + i])
#define LOAD_LANES(place)                                             \
  EACH_STREAM {                                                       \
    const WORD *rows[LANES];                                          \
    for (size_t lane = 0; lane < LANES; lane++) {                     \
      rows[lane] = (const WORD *)lanes[n * LANES + lane].key + place; \
    }                                                                 \
    NAME(transpose)(rows, state, n);                                  \
  }

INSIDE void NAME(put_counter)(WORD (*counters)[WIDTH], size_t lane, uint64_t counter) {
#if HASH == 512
  counters[0][lane] = counter;
#else
  counters[0][lane] = (uint32_t)(counter >> 32);
  counters[1][lane] = (uint32_t)counter;
#endif
}

ENTRY void NAME(key_values)(const otp_midstates *key, uint64_t first, uint32_t *values) {
  WORD counters[2][WIDTH];
  for (size_t lane = 0; lane < WIDTH; lane++) NAME(put_counter)(counters, lane, first + lane);
  FINISH(LOAD_KEY, counters, values)
}

ENTRY void NAME(lane_values)(const otp_lane *lanes, uint32_t *values) {
  WORD counters[2][WIDTH];
  for (size_t lane = 0; lane < WIDTH; lane++) NAME(put_counter)(counters, lane, lanes[lane].counter);
  FINISH(LOAD_LANES, counters, values)
}

ENTRY void NAME(compress)(void *states, const void *blocks) {
  VECTOR state[STATE_WORDS][STREAMS], message[16][STREAMS];
  memcpy(state, states, sizeof state);
  memcpy(message, blocks, sizeof message);
  BLOCK(state, message);
  memcpy(states, state, sizeof state);
}

#if HASH != 1 && STREAMS == 1
// Both pads (RFC 2104, section 2) in turn through the lanes, of which the first two are kept.
ENTRY void NAME(absorb_key)(const uint8_t *padded_key, otp_midstates *midstates) {
  VECTOR state[STATE_WORDS][STREAMS], message[16][STREAMS], pads = SPLAT((WORD)-1 / 0xff * 0x36);
  for (size_t lane = 1; lane < LANES; lane += 2) pads[lane] = (WORD)-1 / 0xff * 0x5c;
  for (size_t i = 0; i < STATE_WORDS; i++) state[i][0] = SPLAT(INITIAL_STATE[i]);
  for (size_t i = 0; i < 16; i++) {
    WORD word = 0;
    for (size_t byte = 0; byte < sizeof word; byte++) word = word << 8 | padded_key[i * sizeof word + byte];
    message[i][0] = SPLAT(word) ^ pads;
  }
  BLOCK(state, message);
  for (size_t i = 0; i < STATE_WORDS; i++) {
    ((WORD *)midstates)[i] = state[i][0][0];
    ((WORD *)midstates)[8 + i] = state[i][0][1];
  }
}
#define ABSORB_KEY NAME(absorb_key)
#else
#define ABSORB_KEY NULL
#endif

const lane_kernel KERNEL = {
    .width = WIDTH,
    .stack_bytes = STACK_BYTES,
    .key_values = NAME(key_values),
    .lane_values = NAME(lane_values),
    .compress = NAME(compress),
    .absorb_key = ABSORB_KEY,
};

#undef PASTE_
#undef PASTE
#undef NAME
#undef WORD
#undef BLOCK_BYTES
#undef WORD_BITS
#undef STATE_WORDS
#undef LANES
#undef WIDTH
#undef BLOCK
#undef INITIAL_STATE
#undef ABSORB_KEY
#undef FINISH
#undef LOAD_KEY
#undef LOAD_LANES
#undef INSIDE
#undef ENTRY
#undef VECTOR
#undef SPLAT
#undef ROTATE_LEFT
#undef ROTATE_RIGHT
#undef SELECT
#undef MASK_OF_BIT
#undef MAJORITY
#undef EACH_STREAM
#undef KERNEL
#undef HASH
#undef VECTOR_BYTES
#undef STREAMS
#undef STACK_BYTES
