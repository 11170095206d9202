/// The hash functions of RFC 6238, section 1.2, each a row of one table.
///
/// All three have the same structure (FIPS 180-4): a block has 16 words, the state has 5 or 8, and the tag is the
/// state.

#ifndef OTP_HASH_H
#define OTP_HASH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum otp_kernel_hash {
  OTP_KERNEL_HASH_SHA1,
  OTP_KERNEL_HASH_SHA256,
  OTP_KERNEL_HASH_SHA512,
} otp_kernel_hash;

#define OTP_HASH_COUNT 3

typedef struct otp_hash_properties {
  /// The name of OpenSSL's digest and of a key URI's `algorithm`.
  const char *name;
  size_t word_bytes, state_words, block_bytes, tag_bytes;
  /// The state before the first block (FIPS 180-4, section 5.3), in words of native byte order.
  const void *initial_state;
} otp_hash_properties;

extern const otp_hash_properties otp_hashes[OTP_HASH_COUNT];

/// A hash's row. (Inline: texts ask for each word.)
static inline const otp_hash_properties *otp_hash_properties_of(otp_kernel_hash hash) { return &otp_hashes[hash]; }

/// The longest HMAC tag, in bytes (SHA-512's).
#define OTP_MAX_TAG_BYTES 64

/// The longest block, in bytes (SHA-512's).
#define OTP_MAX_BLOCK_BYTES 128

#ifdef __cplusplus
}
#endif

#endif
