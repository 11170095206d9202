// Intel's multi-buffer library, in bursts of up to 128 messages.
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include <intel-ipsec-mb.h>

#include "peer.h"

static IMB_MGR *manager;

__attribute__((constructor)) static void start(void) {
  manager = alloc_mb_mgr(0);
  if (manager == NULL) err(1, "ipsec-mb");
  init_mb_mgr_auto(manager, NULL);
}

static void *prepare(void *kept, size_t size, const uint8_t *secret) {
  uint8_t(*states)[64] = kept != NULL ? kept : calloc(2, sizeof *states);
  uint8_t pad[128];
  for (int which = 0; which < 2; which++) {
    memset(pad, which == 0 ? 0x36 : 0x5c, sizeof pad);
    for (size_t i = 0; i < size; i++) pad[i] ^= secret[i];
    switch (size) {
      case 20: IMB_SHA1_ONE_BLOCK(manager, pad, states[which]); break;
      case 32: IMB_SHA256_ONE_BLOCK(manager, pad, states[which]); break;
      default: IMB_SHA512_ONE_BLOCK(manager, pad, states[which]); break;
    }
  }
  return states;
}

static void compute(
    void *const *keys, const uint64_t *first, size_t key_count, size_t size, size_t count, uint32_t *values) {
  static IMB_JOB jobs[IMB_MAX_BURST_SIZE];
  static uint8_t messages[IMB_MAX_BURST_SIZE][8], tags[IMB_MAX_BURST_SIZE][64];
  const IMB_HASH_ALG algorithm = size == 20 ? IMB_AUTH_HMAC_SHA_1
      : size == 32                          ? IMB_AUTH_HMAC_SHA_256
                                            : IMB_AUTH_HMAC_SHA_512;
  const size_t total = key_count * count;
  for (size_t done = 0, part; done < total; done += part) {
    part = total - done < IMB_MAX_BURST_SIZE ? total - done : IMB_MAX_BURST_SIZE;
    for (size_t i = 0; i < part; i++) {
      const size_t index = done + i;
      const uint8_t(*states)[64] = keys[index / count];
      put_counter(messages[i], first[index / count] + index % count);
      jobs[i].hash_alg = algorithm;
      jobs[i].src = messages[i];
      jobs[i].hash_start_src_offset_in_bytes = 0;
      jobs[i].msg_len_to_hash_in_bytes = 8;
      jobs[i].auth_tag_output = tags[i];
      jobs[i].auth_tag_output_len_in_bytes = size;
      jobs[i].u.HMAC._hashed_auth_key_xor_ipad = states[0];
      jobs[i].u.HMAC._hashed_auth_key_xor_opad = states[1];
    }
    IMB_SUBMIT_HASH_BURST_NOCHECK(manager, jobs, (uint32_t)part, algorithm);
    for (size_t i = 0; i < part; i++) values[done + i] = truncated(tags[i], size);
  }
}

const peer peers[] = {{.name = "ipsec-mb " IMB_VERSION_STR, .prepare = prepare, .values = compute}, {0}};
