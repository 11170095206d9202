// The transforms are deprecated by name, not by behaviour: this file is the one that uses them.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "otp_midstate.h"

#include <stddef.h>
#include <string.h>

#include <openssl/opensslconf.h>
#include <openssl/sha.h>

#include "otp_wipe.h"

#if defined(OPENSSL_NO_DEPRECATED_3_0)

int otp_midstate_prepare(otp_kernel_hash hash, const uint8_t *secret, size_t size, otp_midstates *midstates) {
  (void)hash, (void)secret, (void)size, (void)midstates;
  return 0;
}

void otp_midstate_counter_tag(otp_kernel_hash hash, const otp_midstates *midstates, uint64_t counter, uint8_t *tag) {
  (void)hash, (void)midstates, (void)counter, (void)tag;
}

void otp_midstate_message_tag(
    otp_kernel_hash hash, const otp_midstates *midstates, const uint8_t *message, size_t size, uint8_t *tag) {
  (void)hash, (void)midstates, (void)message, (void)size, (void)tag;
}

#else

// Every context begins with its state words, which is all that the template touches of it, but for the length.
_Static_assert(offsetof(SHA_CTX, h0) == 0 && offsetof(SHA_CTX, h4) == 4 * sizeof(SHA_LONG), "SHA_CTX");
_Static_assert(offsetof(SHA256_CTX, h) == 0 && offsetof(SHA512_CTX, h) == 0, "SHA256_CTX, SHA512_CTX");

// One instance of the template for each hash: PREFIX_prepare, PREFIX_counter_tag, PREFIX_message_tag.

#define PREFIX sha1
#define CONTEXT SHA_CTX
#define WORD uint32_t
#define STATE_WORD_COUNT 5
#define BLOCK_BYTES 64
#define HASH_INIT SHA1_Init
#define HASH_UPDATE SHA1_Update
#define HASH_FINAL SHA1_Final
#define HASH_TRANSFORM SHA1_Transform
#include "midstate_template.h"

#define PREFIX sha256
#define CONTEXT SHA256_CTX
#define WORD uint32_t
#define STATE_WORD_COUNT 8
#define BLOCK_BYTES 64
#define HASH_INIT SHA256_Init
#define HASH_UPDATE SHA256_Update
#define HASH_FINAL SHA256_Final
#define HASH_TRANSFORM SHA256_Transform
#include "midstate_template.h"

#define PREFIX sha512
#define CONTEXT SHA512_CTX
#define WORD uint64_t
#define STATE_WORD_COUNT 8
#define BLOCK_BYTES 128
#define HASH_INIT SHA512_Init
#define HASH_UPDATE SHA512_Update
#define HASH_FINAL SHA512_Final
#define HASH_TRANSFORM SHA512_Transform
#include "midstate_template.h"

int otp_midstate_prepare(otp_kernel_hash hash, const uint8_t *secret, size_t size, otp_midstates *midstates) {
  switch (hash) {
    case OTP_KERNEL_HASH_SHA1: sha1_prepare(secret, size, midstates); return 1;
    case OTP_KERNEL_HASH_SHA256: sha256_prepare(secret, size, midstates); return 1;
    case OTP_KERNEL_HASH_SHA512: sha512_prepare(secret, size, midstates); return 1;
  }
  return 0;
}

void otp_midstate_counter_tag(otp_kernel_hash hash, const otp_midstates *midstates, uint64_t counter, uint8_t *tag) {
  switch (hash) {
    case OTP_KERNEL_HASH_SHA1: sha1_counter_tag(midstates, counter, tag); return;
    case OTP_KERNEL_HASH_SHA256: sha256_counter_tag(midstates, counter, tag); return;
    case OTP_KERNEL_HASH_SHA512: sha512_counter_tag(midstates, counter, tag); return;
  }
}

void otp_midstate_message_tag(
    otp_kernel_hash hash, const otp_midstates *midstates, const uint8_t *message, size_t size, uint8_t *tag) {
  switch (hash) {
    case OTP_KERNEL_HASH_SHA1: sha1_message_tag(midstates, message, size, tag); return;
    case OTP_KERNEL_HASH_SHA256: sha256_message_tag(midstates, message, size, tag); return;
    case OTP_KERNEL_HASH_SHA512: sha512_message_tag(midstates, message, size, tag); return;
  }
}

#endif
