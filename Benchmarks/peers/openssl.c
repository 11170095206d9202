// OpenSSL, from the simplest to the fastest way; compiled again with AWS-LC's headers, also AWS-LC.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include "peer.h"

#ifdef AWSLC_VERSION_NUMBER_STRING
#define LIBRARY "AWS-LC " AWSLC_VERSION_NUMBER_STRING " "
#define KEPT "HMAC_CTX"
#else
#define LIBRARY ""
#define KEPT "EVP_MAC"
#endif

static const EVP_MD *digest(size_t size) { return size == 20 ? EVP_sha1() : size == 32 ? EVP_sha256() : EVP_sha512(); }

// `HMAC()` for each code.

static void *oneshot_prepare(void *key, size_t size, const uint8_t *secret) {
  return memcpy(key != NULL ? key : malloc(size), secret, size);
}

static uint32_t oneshot_value(const void *key, size_t size, uint64_t counter) {
  uint8_t message[8], tag[64];
  put_counter(message, counter);
  HMAC(digest(size), key, (int)size, message, sizeof message, tag, NULL);
  return truncated(tag, size);
}

// A context that is kept: for OpenSSL `EVP_MAC`, which AWS-LC lacks, since `HMAC_CTX` is deprecated.

static void *context_prepare(void *key, size_t size, const uint8_t *secret) {
#ifdef AWSLC_VERSION_NUMBER_STRING
  HMAC_CTX *context = key != NULL ? key : HMAC_CTX_new();
  HMAC_Init_ex(context, secret, size, digest(size), NULL);
#else
  EVP_MAC_CTX *context = key != NULL ? key : EVP_MAC_CTX_new(EVP_MAC_fetch(NULL, "HMAC", NULL));
  char *name = (char *)EVP_MD_get0_name(digest(size));
  const OSSL_PARAM hash[] = {OSSL_PARAM_construct_utf8_string("digest", name, 0), OSSL_PARAM_construct_end()};
  EVP_MAC_init(context, secret, size, key != NULL ? NULL : hash);
#endif
  return context;
}

static uint32_t context_value(void *key, size_t size, uint64_t counter) {
  uint8_t message[8], tag[64];
  put_counter(message, counter);
#ifdef AWSLC_VERSION_NUMBER_STRING
  HMAC_Init_ex(key, NULL, 0, NULL, NULL);
  HMAC_Update(key, message, sizeof message);
  HMAC_Final(key, tag, NULL);
#else
  EVP_MAC_init(key, NULL, 0, NULL);
  EVP_MAC_update(key, message, sizeof message);
  EVP_MAC_final(key, tag, NULL, sizeof tag);
#endif
  return truncated(tag, size);
}

// Hash contexts that have absorbed the pads, the inner and the outer one, and are copied for each code.
#define MIDSTATE(HASH, CONTEXT, BLOCK, TAG)                                                               \
  static void HASH##_prepare(CONTEXT *contexts, const uint8_t *secret) {                                  \
    uint8_t pad[BLOCK];                                                                                   \
    for (size_t which = 0; which < 2; which++) {                                                          \
      for (size_t i = 0; i < BLOCK; i++) pad[i] = (i < TAG ? secret[i] : 0) ^ (which == 0 ? 0x36 : 0x5c); \
      HASH##_Init(&contexts[which]);                                                                      \
      HASH##_Update(&contexts[which], pad, BLOCK);                                                        \
    }                                                                                                     \
  }                                                                                                       \
  static uint32_t HASH##_value(const CONTEXT *contexts, uint64_t counter) {                               \
    uint8_t message[8], tag[TAG];                                                                         \
    put_counter(message, counter);                                                                        \
    CONTEXT context = contexts[0];                                                                        \
    HASH##_Update(&context, message, sizeof message);                                                     \
    HASH##_Final(tag, &context);                                                                          \
    context = contexts[1];                                                                                \
    HASH##_Update(&context, tag, TAG);                                                                    \
    HASH##_Final(tag, &context);                                                                          \
    return truncated(tag, TAG);                                                                           \
  }

MIDSTATE(SHA1, SHA_CTX, 64, 20)
MIDSTATE(SHA256, SHA256_CTX, 64, 32)
MIDSTATE(SHA512, SHA512_CTX, 128, 64)

static void *midstate_prepare(void *key, size_t size, const uint8_t *secret) {
  if (key == NULL) key = malloc(2 * sizeof(SHA512_CTX));
  switch (size) {
    case 20: SHA1_prepare(key, secret); break;
    case 32: SHA256_prepare(key, secret); break;
    default: SHA512_prepare(key, secret); break;
  }
  return key;
}

static uint32_t midstate_value(const void *key, size_t size, uint64_t counter) {
  return size == 20 ? SHA1_value(key, counter) : size == 32 ? SHA256_value(key, counter) : SHA512_value(key, counter);
}

#define VALUES(way)                                                                                              \
  static void way##_values(                                                                                      \
      void *const *keys, const uint64_t *first, size_t key_count, size_t size, size_t count, uint32_t *values) { \
    for (size_t key = 0; key < key_count; key++) {                                                               \
      for (size_t i = 0; i < count; i++) values[key * count + i] = way##_value(keys[key], size, first[key] + i); \
    }                                                                                                            \
  }

VALUES(oneshot)
VALUES(context)
VALUES(midstate)

// What a record's verification needs at least, by kept contexts, with neither a policy nor a wipe: opens 145 bytes of
// XAES-256-GCM, computes three codes of SHA-1 from the secret in it, changes the content, and seals it again with a new
// nonce.

enum { CONTENT = 95, SECRET_AT = 75 };

/// As long as a TOTP record of a secret of 20 bytes, whose header has 10 bytes.
static uint8_t floor_record[145], *const nonce = floor_record + 10, *const sealed = nonce + 24,
                                         *const tag = sealed + CONTENT;
/// AES-256 with the key, for the derivation of the keys of messages, and AES-256-GCM with one of these.
static EVP_CIPHER_CTX *block, *message;
static uint8_t subkey[16];

__attribute__((constructor)) static void floor_prepare(void) {
  uint8_t key[32], zeros[16] = {0};
  int length;
  RAND_priv_bytes(key, sizeof key);
  block = EVP_CIPHER_CTX_new();
  message = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(block, EVP_aes_256_ecb(), NULL, key, NULL);
  EVP_EncryptInit_ex(message, EVP_aes_256_gcm(), NULL, NULL, NULL);
  // AES-CMAC's first subkey (RFC 4493, section 2.3).
  EVP_EncryptUpdate(block, subkey, &length, zeros, sizeof zeros);
  const uint8_t carry = subkey[0] >> 7;
  for (int i = 0; i < 15; i++) subkey[i] = (uint8_t)(subkey[i] << 1 | subkey[i + 1] >> 7);
  subkey[15] = (uint8_t)(subkey[15] << 1 ^ (carry ? 0x87 : 0));
}

/// The key of a message: two blocks of AES-CMAC.
static void derive(uint8_t key[32]) {
  uint8_t blocks[32] = {0, 1, 'X', [17] = 2, 'X'};
  int length;
  for (int i = 0; i < 2; i++) memcpy(blocks + 16 * i + 4, nonce, 12);
  for (int i = 0; i < 32; i++) blocks[i] ^= subkey[i % 16];
  EVP_EncryptUpdate(block, key, &length, blocks, sizeof blocks);
}

static void seal(const uint8_t *content) {
  uint8_t key[32], bound[64] = {0};
  int length;
  RAND_priv_bytes(nonce, 24);
  derive(key);
  EVP_EncryptInit_ex(message, NULL, NULL, key, nonce + 12);
  EVP_EncryptUpdate(message, NULL, &length, bound, sizeof bound);
  EVP_EncryptUpdate(message, sealed, &length, content, CONTENT);
  EVP_EncryptFinal_ex(message, NULL, &length);
  EVP_CIPHER_CTX_ctrl(message, EVP_CTRL_AEAD_GET_TAG, 16, tag);
}

static void floor_enroll(const uint8_t secret[20], uint64_t step) {
  uint8_t content[CONTENT] = {0};
  (void)step;
  memcpy(content + SECRET_AT, secret, 20);
  seal(content);
}

static int floor_verify(uint64_t step, const char *code) {
  uint8_t key[32], bound[64] = {0}, content[CONTENT];
  int length, is_found = 0;
  derive(key);
  EVP_DecryptInit_ex(message, NULL, NULL, key, nonce + 12);
  EVP_DecryptUpdate(message, NULL, &length, bound, sizeof bound);
  EVP_DecryptUpdate(message, content, &length, sealed, CONTENT);
  EVP_CIPHER_CTX_ctrl(message, EVP_CTRL_AEAD_SET_TAG, 16, tag);
  if (EVP_DecryptFinal_ex(message, NULL, &length) != 1) return -1;

  SHA_CTX contexts[2];
  const uint32_t expected = (uint32_t)strtoul(code, NULL, 10);
  SHA1_prepare(contexts, content + SECRET_AT);
  for (int i = -1; i <= 1; i++) is_found |= SHA1_value(contexts, step + i) % 1000000 == expected;
  content[8] += 1;
  seal(content);
  return is_found;
}

const peer peers[] = {
    {.name = LIBRARY "HMAC()", .prepare = oneshot_prepare, .values = oneshot_values},
    {.name = LIBRARY KEPT, .prepare = context_prepare, .values = context_values},
    {.name = LIBRARY "midstate", .prepare = midstate_prepare, .values = midstate_values},
    {.name = LIBRARY "the floor in C", .enroll = floor_enroll, .verify_record = floor_verify},
    {0},
};
