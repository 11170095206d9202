// HMAC (RFC 2104) by OpenSSL's own hash functions, which the known-answer tests compare the kernels with.

#define OPENSSL_SUPPRESS_DEPRECATED

#include <string.h>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "../include/otp_lanes.h"

#if defined(OPENSSL_NO_DEPRECATED_3_0)

int otp_openssl_tag(
    otp_kernel_hash hash, const uint8_t *secret, size_t size, const uint8_t *message, size_t message_size,
    uint8_t *tag) {
  const otp_hash_properties *properties = otp_hash_properties_of(hash);
  size_t written = 0;
  return EVP_Q_mac(
             NULL, "HMAC", NULL, properties->name, NULL, secret, size, message, message_size, tag,
             properties->tag_bytes, &written)
      != NULL;
}

#else

// Of two texts, one after the other.
static void digest(
    otp_kernel_hash hash, const uint8_t *text, size_t size, const uint8_t *second, size_t second_size, uint8_t *out) {
#define HASH(name, context)                     \
  {                                             \
    context state;                              \
    name##_Init(&state);                        \
    name##_Update(&state, text, size);          \
    name##_Update(&state, second, second_size); \
    name##_Final(out, &state);                  \
    break;                                      \
  }
  switch (hash) {
    case OTP_KERNEL_HASH_SHA1: HASH(SHA1, SHA_CTX)
    case OTP_KERNEL_HASH_SHA256: HASH(SHA256, SHA256_CTX)
    case OTP_KERNEL_HASH_SHA512: HASH(SHA512, SHA512_CTX)
  }
}

int otp_openssl_tag(
    otp_kernel_hash hash, const uint8_t *secret, size_t size, const uint8_t *message, size_t message_size,
    uint8_t *tag) {
  const otp_hash_properties *properties = otp_hash_properties_of(hash);
  const size_t block_bytes = properties->block_bytes;
  uint8_t pad[OTP_MAX_BLOCK_BYTES] = {0};
  if (size > block_bytes) {
    digest(hash, secret, size, NULL, 0, pad);
  } else {
    memcpy(pad, secret, size);
  }
  for (size_t i = 0; i < block_bytes; i++) pad[i] ^= 0x36;
  digest(hash, pad, block_bytes, message, message_size, tag);
  for (size_t i = 0; i < block_bytes; i++) pad[i] ^= 0x36 ^ 0x5c;
  digest(hash, pad, block_bytes, tag, properties->tag_bytes, tag);
  return 1;
}

#endif
