#define OPENSSL_SUPPRESS_DEPRECATED

#include "CPeers.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/sha.h>

#include "truncation.h"

static const size_t tag_sizes[3] = {20, 32, 64};

// MARK: HMAC()

void peer_openssl_oneshot(
    int hash, const uint8_t *secret, size_t size, uint64_t first, size_t count, uint32_t *values) {
  const EVP_MD *digest = hash == 0 ? EVP_sha1() : hash == 1 ? EVP_sha256() : EVP_sha512();
  for (size_t i = 0; i < count; i++) {
    uint8_t message[8], tag[64];
    put_counter(message, first + i);
    HMAC(digest, secret, (int)size, message, sizeof message, tag, NULL);
    values[i] = truncated(tag, tag_sizes[hash]);
  }
}

// MARK: EVP_MAC

struct peer_openssl_evp {
  int hash;
  EVP_MAC *mac;
  EVP_MAC_CTX *context;
};

peer_openssl_evp *peer_openssl_evp_create(int hash, const uint8_t *secret, size_t size) {
  static const char *const names[3] = {"SHA1", "SHA256", "SHA512"};
  peer_openssl_evp *key = calloc(1, sizeof *key);
  if (key == NULL) return NULL;
  key->hash = hash;
  key->mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  key->context = EVP_MAC_CTX_new(key->mac);
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)names[hash], 0), OSSL_PARAM_construct_end()};
  if (key->context == NULL || EVP_MAC_init(key->context, secret, size, parameters) != 1) {
    peer_openssl_evp_destroy(key);
    return NULL;
  }
  return key;
}

void peer_openssl_evp_destroy(peer_openssl_evp *key) {
  EVP_MAC_CTX_free(key->context);
  EVP_MAC_free(key->mac);
  free(key);
}

void peer_openssl_evp_rekey(peer_openssl_evp *key, const uint8_t *secret, size_t size) {
  EVP_MAC_init(key->context, secret, size, NULL);
}

void peer_openssl_evp_values(peer_openssl_evp *key, uint64_t first, size_t count, uint32_t *values) {
  for (size_t i = 0; i < count; i++) {
    uint8_t message[8], tag[64];
    size_t size = 0;
    put_counter(message, first + i);
    EVP_MAC_init(key->context, NULL, 0, NULL);
    EVP_MAC_update(key->context, message, sizeof message);
    EVP_MAC_final(key->context, tag, &size, sizeof tag);
    values[i] = truncated(tag, size);
  }
}

// MARK: Copied contexts

#define MIDSTATE(name, CONTEXT, INIT, UPDATE, FINAL, BLOCK, TAG)                                       \
  _Static_assert(2 * sizeof(CONTEXT) <= sizeof((peer_openssl_midstate *)0)->contexts, "room for two"); \
  static void name##_prepare(const uint8_t *secret, size_t size, CONTEXT *contexts) {                  \
    uint8_t key[BLOCK] = {0}, pad[BLOCK];                                                              \
    if (size > BLOCK) {                                                                                \
      INIT(&contexts[0]);                                                                              \
      UPDATE(&contexts[0], secret, size);                                                              \
      FINAL(key, &contexts[0]);                                                                        \
    } else {                                                                                           \
      memcpy(key, secret, size);                                                                       \
    }                                                                                                  \
    for (size_t which = 0; which < 2; which++) {                                                       \
      for (size_t i = 0; i < BLOCK; i++) pad[i] = key[i] ^ (which == 0 ? 0x36 : 0x5c);                 \
      INIT(&contexts[which]);                                                                          \
      UPDATE(&contexts[which], pad, BLOCK);                                                            \
    }                                                                                                  \
  }                                                                                                    \
  static uint32_t name##_value(const CONTEXT *contexts, uint64_t counter) {                            \
    uint8_t message[8], tag[TAG];                                                                      \
    put_counter(message, counter);                                                                     \
    CONTEXT context = contexts[0];                                                                     \
    UPDATE(&context, message, sizeof message);                                                         \
    FINAL(tag, &context);                                                                              \
    context = contexts[1];                                                                             \
    UPDATE(&context, tag, TAG);                                                                        \
    FINAL(tag, &context);                                                                              \
    return truncated(tag, TAG);                                                                        \
  }

MIDSTATE(sha1, SHA_CTX, SHA1_Init, SHA1_Update, SHA1_Final, 64, 20)
MIDSTATE(sha256, SHA256_CTX, SHA256_Init, SHA256_Update, SHA256_Final, 64, 32)
MIDSTATE(sha512, SHA512_CTX, SHA512_Init, SHA512_Update, SHA512_Final, 128, 64)

void peer_openssl_midstate_prepare(int hash, const uint8_t *secret, size_t size, peer_openssl_midstate *key) {
  key->hash = hash;
  switch (hash) {
    case 0: sha1_prepare(secret, size, (SHA_CTX *)key->contexts); break;
    case 1: sha256_prepare(secret, size, (SHA256_CTX *)key->contexts); break;
    default: sha512_prepare(secret, size, (SHA512_CTX *)key->contexts); break;
  }
}

void peer_openssl_midstate_values(const peer_openssl_midstate *key, uint64_t first, size_t count, uint32_t *values) {
  for (size_t i = 0; i < count; i++) {
    switch (key->hash) {
      case 0: values[i] = sha1_value((const SHA_CTX *)key->contexts, first + i); break;
      case 1: values[i] = sha256_value((const SHA256_CTX *)key->contexts, first + i); break;
      default: values[i] = sha512_value((const SHA512_CTX *)key->contexts, first + i); break;
    }
  }
}
