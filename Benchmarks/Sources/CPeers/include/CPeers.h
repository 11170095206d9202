/// The implementations that the engine is compared with, each called as its users would. None of them compares or scans
/// in constant time unless its own library does.

#ifndef CPEERS_H
#define CPEERS_H

#include <stddef.h>
#include <stdint.h>

#include "../../../../LibOTP/include/otp.h"

// MARK: libotp

/// This repository's own C library, loaded at run time, as called by servers that are not written in Swift: through
/// pointers, as a lazily bound program would.
typedef struct peer_libotp {
  __typeof__(&otp_key_create) key_create;
  __typeof__(&otp_key_destroy) key_destroy;
  __typeof__(&otp_totp_verify) totp_verify;
  __typeof__(&otp_totp_verify_secret) totp_verify_secret;
  __typeof__(&otp_keyring_create) keyring_create;
  __typeof__(&otp_record_enroll) record_enroll;
  __typeof__(&otp_record_verify) record_verify;
} peer_libotp;

/// The functions, or NULL unless the library at `path` was found and has all of them.
const peer_libotp *peer_libotp_load(const char *path);

// MARK: OpenSSL, from the simplest to the fastest way. A hash is 0 for SHA-1, 1 for SHA-256, 2 for SHA-512.

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

// MARK: Intel's multi-buffer library, if it is installed. Only a build that found its header includes it.

/// The library's version, or NULL unless the build includes it and it was found and initialized.
const char *peer_ipsec_mb_load(void);

/// A secret's midstates, as the library needs them.
typedef struct peer_ipsec_mb_key {
  int hash;
  _Alignas(16) uint8_t inner[64];
  _Alignas(16) uint8_t outer[64];
} peer_ipsec_mb_key;

void peer_ipsec_mb_prepare(int hash, const uint8_t *secret, size_t size, peer_ipsec_mb_key *key);

/// Writes the truncated values of `count` counters, in bursts of up to 128 messages of 8 bytes.
void peer_ipsec_mb_values(const peer_ipsec_mb_key *key, uint64_t first, size_t count, uint32_t *values);

/// Consecutive counters of several keys: `count` of each, from that key's own first one. All keys have the same hash.
void peer_ipsec_mb_many(
    const peer_ipsec_mb_key *const *keys, const uint64_t *first, size_t key_count, size_t count, uint32_t *values);

// MARK: liboath of OATH Toolkit, if it is installed

/// The library's version, or NULL unless it was found and initialized.
const char *peer_liboath_load(void);

/// Its own validation over `window` steps of 30 seconds on each side. Returns the offset's size, or a negative number.
int peer_liboath_validate_totp(
    int hash, const uint8_t *secret, size_t size, int64_t time, size_t window, const char *code);

// MARK: The floor of a record

/// What a record's verification needs of libcrypto at least, by kept contexts, with neither a policy nor a wipe: opens
/// 145 bytes of XAES-256-GCM, computes three codes of SHA-1 from the secret in it, changes the content, and seals it
/// again with a new nonce. Returns whether the code is one of them.
int peer_floor_record(uint8_t record[145], uint64_t step, uint32_t code);

/// Seals a first record, with this secret.
void peer_floor_make(uint8_t record[145], const uint8_t secret[20]);

#endif
