// HMAC from midstates, for one hash. midstate.c includes this once a hash, with the macros below defined:
//
//   PREFIX            of the functions' names
//   CONTEXT           libcrypto's context type
//   WORD, STATE_WORD_COUNT, BLOCK_BYTES
//   HASH_INIT, HASH_UPDATE, HASH_FINAL, HASH_TRANSFORM

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define NAME(suffix) PASTE(PREFIX, suffix)

#define STATE_BYTES (STATE_WORD_COUNT * sizeof(WORD))

static inline void NAME(store_big_endian)(uint8_t *bytes, WORD word) {
  for (size_t i = 0; i < sizeof(WORD); i++) bytes[i] = (uint8_t)(word >> (8 * (sizeof(WORD) - 1 - i)));
}

// The state after one block of `pad` bytes xored with the padded key (RFC 2104, section 2).
static void NAME(absorb_pad)(const uint8_t *padded_key, uint8_t pad, uint64_t *state) {
  _Alignas(sizeof(WORD)) uint8_t block[BLOCK_BYTES];
  for (size_t i = 0; i < BLOCK_BYTES; i++) block[i] = padded_key[i] ^ pad;
  CONTEXT context;
  HASH_INIT(&context);
  HASH_TRANSFORM(&context, block);
  memcpy(state, &context, STATE_BYTES);
  otp_wipe(block, sizeof block);
  otp_wipe(&context, sizeof context);
}

static void NAME(prepare)(const uint8_t *secret, size_t size, otp_midstates *midstates) {
  uint8_t padded_key[BLOCK_BYTES] = {0};
  if (size <= BLOCK_BYTES) {
    memcpy(padded_key, secret, size);
  } else {
    CONTEXT context;
    HASH_INIT(&context);
    HASH_UPDATE(&context, secret, size);
    HASH_FINAL(padded_key, &context);
    otp_wipe(&context, sizeof context);
  }
  memset(midstates, 0, sizeof *midstates);
  NAME(absorb_pad)(padded_key, 0x36, midstates->inner);
  NAME(absorb_pad)(padded_key, 0x5c, midstates->outer);
  otp_wipe(padded_key, sizeof padded_key);
}

// Loads a midstate into the words alone: the transform reads nothing else of its context.
static inline void NAME(resume)(CONTEXT *context, const uint64_t *state) { memcpy(context, state, STATE_BYTES); }

static inline void NAME(store_state)(const CONTEXT *context, uint8_t *bytes) {
  WORD words[STATE_WORD_COUNT];
  memcpy(words, context, STATE_BYTES);
  for (size_t i = 0; i < STATE_WORD_COUNT; i++) NAME(store_big_endian)(bytes + i * sizeof(WORD), words[i]);
  otp_wipe_inline(words, sizeof words);
}

// The second and last block of an HMAC whose message or digest has `size` bytes: FIPS 180-4, section 5.1.
static inline void NAME(finish_block)(uint8_t *block, size_t size) {
  const uint64_t bits = 8 * (BLOCK_BYTES + (uint64_t)size);
  block[size] = 0x80;
  memset(block + size + 1, 0, BLOCK_BYTES - 2 - size - 1);
  block[BLOCK_BYTES - 2] = (uint8_t)(bits >> 8);
  block[BLOCK_BYTES - 1] = (uint8_t)bits;
}

static void NAME(counter_tag)(const otp_midstates *midstates, uint64_t counter, uint8_t *tag) {
  // Aligned: where the platform asks for it, a transform would otherwise copy the block to where no one wipes it.
  _Alignas(sizeof(WORD)) uint8_t block[BLOCK_BYTES];
  CONTEXT context;
  for (size_t i = 0; i < 8; i++) block[i] = (uint8_t)(counter >> (8 * (7 - i)));
  NAME(finish_block)(block, 8);
  NAME(resume)(&context, midstates->inner);
  HASH_TRANSFORM(&context, block);

  NAME(store_state)(&context, block);
  NAME(finish_block)(block, STATE_BYTES);
  NAME(resume)(&context, midstates->outer);
  HASH_TRANSFORM(&context, block);

  NAME(store_state)(&context, tag);
  otp_wipe_inline(block, STATE_BYTES);
  otp_wipe_inline(&context, STATE_BYTES);
}

// Makes a context look as if it had just absorbed one whole block from the midstate.
static void NAME(resume_stream)(CONTEXT *context, const uint64_t *state) {
  HASH_INIT(context);
  memcpy(context, state, STATE_BYTES);
  context->Nl = 8 * BLOCK_BYTES;
}

static void NAME(message_tag)(const otp_midstates *midstates, const uint8_t *message, size_t size, uint8_t *tag) {
  uint8_t digest[STATE_BYTES];
  CONTEXT context;
  NAME(resume_stream)(&context, midstates->inner);
  HASH_UPDATE(&context, message, size);
  HASH_FINAL(digest, &context);
  NAME(resume_stream)(&context, midstates->outer);
  HASH_UPDATE(&context, digest, sizeof digest);
  HASH_FINAL(tag, &context);
  otp_wipe(digest, sizeof digest);
  otp_wipe(&context, sizeof context);
}

#undef STATE_BYTES
#undef NAME
#undef PASTE
#undef PASTE_
#undef PREFIX
#undef CONTEXT
#undef WORD
#undef STATE_WORD_COUNT
#undef BLOCK_BYTES
#undef HASH_INIT
#undef HASH_UPDATE
#undef HASH_FINAL
#undef HASH_TRANSFORM
