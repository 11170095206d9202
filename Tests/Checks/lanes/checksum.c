// Prints a checksum of codes and tags, by the portable kernels or by OpenSSL's HMAC(): what the kernels give on another
// architecture, under an emulator and without OpenSSL, is compared with what OpenSSL gives on this one.

#include <stdio.h>
#include <string.h>

#include "COTPSupport.h"
#include "random.h"

#if defined(WITH_OPENSSL)
#include <openssl/hmac.h>
#endif

enum { ROUNDS = 400, CODES = 37 };

static uint64_t checksum = 0xcbf29ce484222325;

// FNV-1a, a byte at a time.
static void add(const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) checksum = (checksum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
}

static void add_value(uint32_t value) {
  const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
  add(bytes, sizeof bytes);
}

static void add_round(otp_kernel_hash hash, const uint8_t *secret, size_t size, uint64_t first) {
  const size_t tag_size = otp_hash_properties_of(hash)->tag_bytes;
#if defined(WITH_OPENSSL)
  const EVP_MD *digest = hash == OTP_KERNEL_HASH_SHA1     ? EVP_sha1()
                         : hash == OTP_KERNEL_HASH_SHA256 ? EVP_sha256()
                                                          : EVP_sha512();
  uint8_t tag[64];
  for (size_t i = 0; i < CODES; i++) {
    uint8_t message[8];
    for (int j = 0; j < 8; j++) message[j] = (uint8_t)((first + i) >> (56 - 8 * j));
    HMAC(digest, secret, (int)size, message, sizeof message, tag, NULL);
    const uint8_t *at = tag + (tag[tag_size - 1] & 15);
    add_value((uint32_t)(at[0] & 0x7f) << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
  }
  HMAC(digest, secret, (int)size, secret, size, tag, NULL);
#else
  const otp_lane_plan *plan = otp_lanes_plan(OTP_LANES_FASTEST, hash);
  otp_midstates key;
  uint32_t values[CODES], again[CODES];
  otp_lane lanes[CODES];
  uint8_t tag[64];
  otp_lanes_prepare(plan, secret, size, &key);
  for (size_t i = 0; i < CODES; i++) lanes[i] = (otp_lane){&key, first + i};
  otp_lanes_key_values(plan, &key, first, CODES, values);
  otp_lanes_values(plan, lanes, CODES, again);
  for (size_t i = 0; i < CODES; i++) add_value(values[i] == again[i] ? values[i] : 0);
  otp_lanes_message_tag(plan, &key, secret, size, tag);
#endif
  add(tag, tag_size);
}

int main(void) {
  uint64_t random = 42;
  for (int round = 0; round < ROUNDS; round++) {
    uint8_t secret[300];
    const size_t size = 1 + next_random(&random) % sizeof secret;
    fill_random(&random, secret, size);
    const uint64_t first = round % 5 == 0 ? 0 - (uint64_t)11 : next_random(&random);
    for (otp_kernel_hash hash = OTP_KERNEL_HASH_SHA1; hash <= OTP_KERNEL_HASH_SHA512; hash++) {
      add_round(hash, secret, size, first);
    }
  }
  printf("%016llx\n", (unsigned long long)checksum);
  return 0;
}
