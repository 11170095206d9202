#include "CPeers.h"

#if __has_include(<intel-ipsec-mb.h>) && defined(__x86_64__)

#include <dlfcn.h>
#include <string.h>

#include <intel-ipsec-mb.h>

#include "truncation.h"

static IMB_MGR *manager;

const char *peer_ipsec_mb_load(void) {
  void *library = dlopen("libIPSec_MB.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return NULL;
  const char *(*version)(void);
  IMB_MGR *(*allocate)(uint64_t);
  void (*start)(IMB_MGR *, IMB_ARCH *);
  *(void **)&allocate = dlsym(library, "alloc_mb_mgr");
  *(void **)&start = dlsym(library, "init_mb_mgr_auto");
  *(void **)&version = dlsym(library, "imb_get_version_str");
  if (allocate == NULL || start == NULL || version == NULL) return NULL;
  manager = allocate(0);
  if (manager == NULL) return NULL;
  start(manager, NULL);
  return version();
}

static const IMB_HASH_ALG algorithms[3] = {IMB_AUTH_HMAC_SHA_1, IMB_AUTH_HMAC_SHA_256, IMB_AUTH_HMAC_SHA_512};
static const size_t tag_sizes[3] = {20, 32, 64};

static void one_block(int hash, const void *block, void *state) {
  switch (hash) {
    case 0: IMB_SHA1_ONE_BLOCK(manager, block, state); break;
    case 1: IMB_SHA256_ONE_BLOCK(manager, block, state); break;
    default: IMB_SHA512_ONE_BLOCK(manager, block, state); break;
  }
}

void peer_ipsec_mb_prepare(int hash, const uint8_t *secret, size_t size, peer_ipsec_mb_key *key) {
  const size_t block = hash == 2 ? 128 : 64;
  uint8_t pad[128];
  key->hash = hash;
  // The secrets of the benchmark are shorter than a block.
  for (int which = 0; which < 2; which++) {
    memset(pad, which == 0 ? 0x36 : 0x5c, block);
    for (size_t i = 0; i < size && i < block; i++) pad[i] ^= secret[i];
    one_block(hash, pad, which == 0 ? key->inner : key->outer);
  }
}

void peer_ipsec_mb_many(
    const peer_ipsec_mb_key *const *keys, const uint64_t *first, size_t key_count, size_t count, uint32_t *values) {
  static IMB_JOB jobs[IMB_MAX_BURST_SIZE];
  static uint8_t messages[IMB_MAX_BURST_SIZE][8], tags[IMB_MAX_BURST_SIZE][64];
  const size_t total = key_count * count;
  for (size_t done = 0; done < total;) {
    const size_t part = total - done < IMB_MAX_BURST_SIZE ? total - done : IMB_MAX_BURST_SIZE;
    for (size_t i = 0; i < part; i++) {
      const size_t index = done + i;
      const peer_ipsec_mb_key *key = keys[index / count];
      put_counter(messages[i], first[index / count] + index % count);
      jobs[i].hash_alg = algorithms[key->hash];
      jobs[i].src = messages[i];
      jobs[i].hash_start_src_offset_in_bytes = 0;
      jobs[i].msg_len_to_hash_in_bytes = 8;
      jobs[i].auth_tag_output = tags[i];
      jobs[i].auth_tag_output_len_in_bytes = tag_sizes[key->hash];
      jobs[i].u.HMAC._hashed_auth_key_xor_ipad = key->inner;
      jobs[i].u.HMAC._hashed_auth_key_xor_opad = key->outer;
    }
    IMB_SUBMIT_HASH_BURST_NOCHECK(manager, jobs, (uint32_t)part, algorithms[keys[0]->hash]);
    for (size_t i = 0; i < part; i++) values[done + i] = truncated(tags[i], tag_sizes[keys[0]->hash]);
    done += part;
  }
}

void peer_ipsec_mb_values(const peer_ipsec_mb_key *key, uint64_t first, size_t count, uint32_t *values) {
  peer_ipsec_mb_many(&key, &first, 1, count, values);
}

#else

const char *peer_ipsec_mb_load(void) { return NULL; }

void peer_ipsec_mb_prepare(int hash, const uint8_t *secret, size_t size, peer_ipsec_mb_key *key) {
  (void)hash, (void)secret, (void)size, (void)key;
}

void peer_ipsec_mb_values(const peer_ipsec_mb_key *key, uint64_t first, size_t count, uint32_t *values) {
  (void)key, (void)first, (void)count, (void)values;
}

void peer_ipsec_mb_many(
    const peer_ipsec_mb_key *const *keys, const uint64_t *first, size_t key_count, size_t count, uint32_t *values) {
  (void)keys, (void)first, (void)key_count, (void)count, (void)values;
}

#endif
