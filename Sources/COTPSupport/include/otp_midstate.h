/// HMAC from its two midstates, by libcrypto's bare block transforms.
///
/// The inner and outer pads of HMAC (RFC 2104, section 2) each fill one block, so that the state after each is a
/// constant of the key. A one-time password's message is 8 bytes: from the midstates, its tag is two transforms.
///
/// OpenSSL 3 deprecates the transforms. Built without them (`OPENSSL_NO_DEPRECATED_3_0`), `otp_midstate_prepare`
/// returns 0 and the other functions do nothing.

#ifndef OTP_MIDSTATE_H
#define OTP_MIDSTATE_H

#include <stddef.h>
#include <stdint.h>

#include "otp_hash.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The two states: eight 64-bit words each for SHA-512, eight 32-bit words for SHA-256, five for SHA-1; native order.
typedef struct otp_midstates {
  uint64_t inner[8];
  uint64_t outer[8];
} otp_midstates;

/// Computes the midstates of a key of any size. Returns 1, or 0 where the transforms are not to be had.
int otp_midstate_prepare(otp_kernel_hash hash, const uint8_t *secret, size_t size, otp_midstates *midstates);

/// Writes the tag of the 8-byte big-endian `counter`: 20, 32 or 64 bytes.
/// Timing: depends on nothing but the hash.
void otp_midstate_counter_tag(otp_kernel_hash hash, const otp_midstates *midstates, uint64_t counter, uint8_t *tag);

/// Writes the tag of any message: 20, 32 or 64 bytes.
/// Timing: depends on the hash and on `size`.
void otp_midstate_message_tag(
    otp_kernel_hash hash, const otp_midstates *midstates, const uint8_t *message, size_t size, uint8_t *tag);

#ifdef __cplusplus
}
#endif

#endif
