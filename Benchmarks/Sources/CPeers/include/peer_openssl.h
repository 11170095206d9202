/// Three ways to use OpenSSL, from the simplest to the fastest. A hash is 0 for SHA-1, 1 for SHA-256, 2 for SHA-512.

#ifndef PEER_OPENSSL_H
#define PEER_OPENSSL_H

#include <stddef.h>
#include <stdint.h>

/// `HMAC()` for every code. Writes the truncated values of `count` counters.
void peer_openssl_oneshot(int hash, const uint8_t *secret, size_t size, uint64_t first, size_t count, uint32_t *values);

/// An `EVP_MAC` context that is kept.
typedef struct peer_openssl_evp peer_openssl_evp;

/// NULL on failure.
peer_openssl_evp *peer_openssl_evp_create(int hash, const uint8_t *secret, size_t size);
void peer_openssl_evp_destroy(peer_openssl_evp *key);
/// Gives the kept context another secret, which is the cost for a secret that is used for the first time.
void peer_openssl_evp_rekey(peer_openssl_evp *key, const uint8_t *secret, size_t size);
/// Re-initializes the kept context without its key for each code.
void peer_openssl_evp_values(peer_openssl_evp *key, uint64_t first, size_t count, uint32_t *values);

/// Hash contexts that have absorbed the pads, copied for each code. Large enough for any hash's two contexts.
typedef struct peer_openssl_midstate {
  int hash;
  _Alignas(16) uint8_t contexts[2 * 256];
} peer_openssl_midstate;

void peer_openssl_midstate_prepare(int hash, const uint8_t *secret, size_t size, peer_openssl_midstate *key);
void peer_openssl_midstate_values(const peer_openssl_midstate *key, uint64_t first, size_t count, uint32_t *values);

#endif
