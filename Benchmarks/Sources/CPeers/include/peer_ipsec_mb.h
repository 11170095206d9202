/// Intel's multi-buffer library, loaded if it is installed. Only a build that found its header includes it.

#ifndef PEER_IPSEC_MB_H
#define PEER_IPSEC_MB_H

#include <stddef.h>
#include <stdint.h>

/// 1 if the build includes it and the library was found and initialized.
int peer_ipsec_mb_load(void);

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

#endif
