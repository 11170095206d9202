// Distributes the work over a plan's kernels, and does what is not time-critical: preparing keys, and messages of any
// length.

#include <string.h>
#include "../include/otp_planted.h"
#include "../include/otp_wipe.h"
#include "plans.h"

size_t otp_lanes_kernel_count(const otp_lane_plan *plan) { return plan->count; }
size_t otp_lanes_kernel_width(const otp_lane_plan *plan, size_t kernel) { return plan->kernels[kernel]->width; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static const otp_lane_choice *choice_of(const otp_lane_plan *plan) {
  return plan->choice == NULL ? NULL : atomic_load_explicit(plan->choice, memory_order_acquire);
}

// As measured; until then, the narrowest kernel that computes all codes in one call, or the widest. Each is right, so
// a plan may be measured while it is used.
size_t otp_lanes_kernel_for(const otp_lane_plan *plan, size_t left) {
  const otp_lane_choice *choice = choice_of(plan);
  if (choice != NULL) return choice->kernel_for[smaller(left, OTP_MAX_LANES)];
  size_t kernel = 0;
  while (kernel + 1 < plan->count && plan->kernels[kernel]->width < left) kernel++;
  return kernel;
}

uint64_t otp_lanes_kernel_picoseconds(const otp_lane_plan *plan, size_t kernel) {
  const otp_lane_choice *choice = choice_of(plan);
  return choice == NULL ? 0 : choice->picoseconds[kernel];
}

// Does nothing unless a check plants a fault.
static void spoil(const lane_kernel *kernel, uint32_t *values) {
  if (OTP_IS_PLANTED(wrong_width) != 0 && kernel->width == OTP_IS_PLANTED(wrong_width)) {
    values[OTP_IS_PLANTED(wrong_lane)] ^= 1;
  }
}

// MARK: Codes. A kernel writes a full width of values in place; fewer are copied from `spare`.

static void key_values(
    const lane_kernel *kernel, const otp_midstates *key, uint64_t first, size_t count, uint32_t *values) {
  if (count == kernel->width) {
    kernel->key_values(key, first, values);
    spoil(kernel, values);
  } else {
    uint32_t spare[OTP_MAX_LANES];
    kernel->key_values(key, first, spare);
    spoil(kernel, spare);
    memcpy(values, spare, count * sizeof *values);
    otp_wipe_inline(spare, kernel->width * sizeof *spare);
  }
}

static void lane_values(const lane_kernel *kernel, const otp_lane *lanes, size_t count, uint32_t *values) {
  if (count == kernel->width) {
    kernel->lane_values(lanes, values);
    spoil(kernel, values);
  } else {
    otp_lane all[OTP_MAX_LANES];
    uint32_t spare[OTP_MAX_LANES];
    for (size_t i = 0; i < kernel->width; i++) all[i] = lanes[smaller(i, count - 1)];
    kernel->lane_values(all, spare);
    spoil(kernel, spare);
    memcpy(values, spare, count * sizeof *values);
    otp_wipe_inline(spare, kernel->width * sizeof *spare);
  }
}

void otp_lanes_key_values(
    const otp_lane_plan *plan, const otp_midstates *key, uint64_t first, size_t count, uint32_t *values) {
  if (count == 0) return;
  size_t stack_bytes = 0;
  for (size_t done = 0; done < count;) {
    const lane_kernel *kernel = plan->kernels[otp_lanes_kernel_for(plan, count - done)];
    const size_t part = smaller(kernel->width, count - done);
    key_values(kernel, key, first + done, part, values + done);
    if (kernel->stack_bytes > stack_bytes) stack_bytes = kernel->stack_bytes;
    done += part;
  }
  otp_wipe_stack(stack_bytes);
}

void otp_lanes_values(const otp_lane_plan *plan, const otp_lane *lanes, size_t count, uint32_t *values) {
  if (count == 0) return;
  size_t stack_bytes = 0;
  for (size_t done = 0; done < count;) {
    const lane_kernel *kernel = plan->kernels[otp_lanes_kernel_for(plan, count - done)];
    const size_t part = smaller(kernel->width, count - done);
    lane_values(kernel, lanes + done, part, values + done);
    if (kernel->stack_bytes > stack_bytes) stack_bytes = kernel->stack_bytes;
    done += part;
  }
  otp_wipe_stack(stack_bytes);
}

void otp_lanes_kernel_key_values(
    const otp_lane_plan *plan, size_t kernel, const otp_midstates *key, uint64_t first, size_t count,
    uint32_t *values) {
  const lane_kernel *chosen = plan->kernels[kernel];
  for (size_t done = 0; done < count; done += chosen->width) {
    key_values(chosen, key, first + done, smaller(chosen->width, count - done), values + done);
  }
  otp_wipe_stack(chosen->stack_bytes);
}

void otp_lanes_kernel_values(
    const otp_lane_plan *plan, size_t kernel, const otp_lane *lanes, size_t count, uint32_t *values) {
  const lane_kernel *chosen = plan->kernels[kernel];
  for (size_t done = 0; done < count; done += chosen->width) {
    lane_values(chosen, lanes + done, smaller(chosen->width, count - done), values + done);
  }
  otp_wipe_stack(chosen->stack_bytes);
}

// MARK: Texts of any length, in the first lanes of the plan's narrowest kernel that takes both pads of a key at once.
// (With only one kernel, of one lane, the pads follow one another.)

static const lane_kernel *text_kernel(const otp_lane_plan *plan) {
  const lane_kernel *narrowest = plan->kernels[0];
  return narrowest->width > 1 || narrowest->absorb_key != NULL || plan->count == 1 ? narrowest : plan->kernels[1];
}

// The most that the lanes of such a kernel take for each word: a 256-bit register.
#define MAX_NARROW_BYTES 32

typedef struct workspace {
  _Alignas(64) uint8_t states[8 * MAX_NARROW_BYTES];
  _Alignas(64) uint8_t blocks[16 * MAX_NARROW_BYTES];
} workspace;

static size_t word_bytes(const otp_lane_plan *plan) { return otp_hash_properties_of(plan->hash)->word_bytes; }
static size_t state_words(const otp_lane_plan *plan) { return otp_hash_properties_of(plan->hash)->state_words; }
static const void *initial_state(const otp_lane_plan *plan) {
  return otp_hash_properties_of(plan->hash)->initial_state;
}
static size_t midstate_bytes(const otp_lane_plan *plan) { return 8 * word_bytes(plan); }

// Copies a word. (A size that is not constant makes each a call.)
static void copy_word(void *to, const void *from, size_t size) {
  if (size == 8) {
    memcpy(to, from, 8);
  } else {
    memcpy(to, from, 4);
  }
}

// Copies a word from big-endian to native byte order, or back.
static void copy_big_endian(uint8_t *to, const uint8_t *from, size_t size) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (size == 8) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    word = __builtin_bswap64(word);
    memcpy(to, &word, sizeof word);
  } else {
    uint32_t word;
    memcpy(&word, from, sizeof word);
    word = __builtin_bswap32(word);
    memcpy(to, &word, sizeof word);
  }
#else
  memcpy(to, from, size);
#endif
}

// Sets all lanes to zero, since not all are used.
static void clear(const otp_lane_plan *plan, workspace *space) {
  const size_t row = text_kernel(plan)->width * word_bytes(plan);
  memset(space->states, 0, 8 * row);
  memset(space->blocks, 0, 16 * row);
}

static void put_state(const otp_lane_plan *plan, workspace *space, size_t lane, const void *state) {
  const size_t size = word_bytes(plan), width = text_kernel(plan)->width;
  for (size_t i = 0; i < state_words(plan); i++) {
    copy_word(space->states + (i * width + lane) * size, (const uint8_t *)state + i * size, size);
  }
}

static void take_state(const otp_lane_plan *plan, const workspace *space, size_t lane, void *state) {
  const size_t size = word_bytes(plan), width = text_kernel(plan)->width;
  for (size_t i = 0; i < state_words(plan); i++) {
    copy_word((uint8_t *)state + i * size, space->states + (i * width + lane) * size, size);
  }
}

static void put_block(const otp_lane_plan *plan, workspace *space, size_t lane, const uint8_t *block) {
  const size_t size = word_bytes(plan), width = text_kernel(plan)->width;
  for (size_t i = 0; i < 16; i++) {
    copy_big_endian(space->blocks + (i * width + lane) * size, block + i * size, size);
  }
}

static void compress(const otp_lane_plan *plan, workspace *space) {
  text_kernel(plan)->compress(space->states, space->blocks);
}

// Continues from a state that has absorbed `before` bytes, a whole number of blocks: absorbs a text and the padding
// (FIPS 180-4, section 5.1), and writes the digest.
static void finish_hash(
    const otp_lane_plan *plan, workspace *space, const void *state, size_t before, const uint8_t *text, size_t size,
    uint8_t *digest) {
  const size_t block_bytes = 16 * word_bytes(plan), length_bytes = 2 * word_bytes(plan);
  clear(plan, space);
  put_state(plan, space, 0, state);
  size_t left = size;
  for (; left >= block_bytes; left -= block_bytes, text += block_bytes) {
    put_block(plan, space, 0, text);
    compress(plan, space);
  }

  uint8_t block[OTP_MAX_BLOCK_BYTES] = {0};
  if (left != 0) memcpy(block, text, left);
  block[left] = 0x80;
  if (left + 1 + length_bytes > block_bytes) {
    put_block(plan, space, 0, block);
    compress(plan, space);
    memset(block, 0, sizeof block);
  }
  const uint64_t bits = 8 * ((uint64_t)before + size);
  for (size_t i = 0; i < 8; i++) block[block_bytes - 1 - i] = (uint8_t)(bits >> (8 * i));
  put_block(plan, space, 0, block);
  compress(plan, space);

  uint64_t result[8];
  take_state(plan, space, 0, result);
  const size_t word = word_bytes(plan);
  for (size_t i = 0; i < state_words(plan); i++) {
    copy_big_endian(digest + i * word, (const uint8_t *)result + i * word, word);
  }
  otp_wipe_inline(block, sizeof block);
  otp_wipe_inline(result, sizeof result);
  otp_wipe_stack(text_kernel(plan)->stack_bytes);
}

static void wipe_workspace(const otp_lane_plan *plan, workspace *space) {
  const size_t row = text_kernel(plan)->width * word_bytes(plan);
  otp_wipe_inline(space->states, 8 * row);
  otp_wipe_inline(space->blocks, 16 * row);
}

// Absorbs both pads in two lanes, or one after the other if the kernel has only one.
static void absorb_key(const otp_lane_plan *plan, const uint8_t *padded_key, otp_midstates *midstates) {
  const size_t block_bytes = 16 * word_bytes(plan);
  workspace space;
  uint8_t pads[2][OTP_MAX_BLOCK_BYTES];
  for (size_t i = 0; i < block_bytes; i++) {
    pads[0][i] = padded_key[i] ^ 0x36;
    pads[1][i] = padded_key[i] ^ 0x5c;
  }
  uint8_t *const states[2] = {(uint8_t *)midstates, (uint8_t *)midstates + midstate_bytes(plan)};
  clear(plan, &space);
  const size_t together = text_kernel(plan)->width > 1 ? 2 : 1;
  for (size_t done = 0; done < 2; done += together) {
    for (size_t lane = 0; lane < together; lane++) {
      put_state(plan, &space, lane, initial_state(plan));
      put_block(plan, &space, lane, pads[done + lane]);
    }
    compress(plan, &space);
    for (size_t lane = 0; lane < together; lane++) take_state(plan, &space, lane, states[done + lane]);
  }
  otp_wipe_inline(pads, sizeof pads);
  wipe_workspace(plan, &space);
  otp_wipe_stack(text_kernel(plan)->stack_bytes);
}

void otp_lanes_prepare(const otp_lane_plan *plan, const uint8_t *secret, size_t size, otp_midstates *midstates) {
  const lane_kernel *kernel = text_kernel(plan);
  uint8_t padded_key[OTP_MAX_BLOCK_BYTES] = {0};
  // RFC 2104, section 2.
  if (size <= 16 * word_bytes(plan)) {
    memcpy(padded_key, secret, size);
  } else {
    workspace space;
    finish_hash(plan, &space, initial_state(plan), 0, secret, size, padded_key);
    wipe_workspace(plan, &space);
  }
  memset(midstates, 0, 2 * midstate_bytes(plan));
  if (kernel->absorb_key != NULL) {
    kernel->absorb_key(padded_key, midstates);
  } else {
    absorb_key(plan, padded_key, midstates);
  }
  otp_wipe_inline(padded_key, sizeof padded_key);
  otp_wipe_stack(kernel->stack_bytes);
}

void otp_lanes_message_tag(
    const otp_lane_plan *plan, const otp_midstates *midstates, const uint8_t *message, size_t size, uint8_t *tag) {
  const size_t block_bytes = 16 * word_bytes(plan);
  workspace space;
  uint8_t digest[OTP_MAX_TAG_BYTES];
  finish_hash(plan, &space, midstates, block_bytes, message, size, digest);
  const size_t digest_bytes = state_words(plan) * word_bytes(plan);
  finish_hash(plan, &space, (const uint8_t *)midstates + midstate_bytes(plan), block_bytes, digest, digest_bytes, tag);
  otp_wipe_inline(digest, sizeof digest);
  wipe_workspace(plan, &space);
}
