// Compares every instruction set that this CPU has with OpenSSL's HMAC(), on random keys, counters and messages.
//
//   differential COUNT    this many codes for each hash and set

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/hmac.h>

#include "COTPSupport.h"

// The same random numbers everywhere: SplitMix64.
static uint64_t next_random(uint64_t *state) {
  uint64_t word = *state += 0x9e3779b97f4a7c15;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
  word = (word ^ word >> 27) * 0x94d049bb133111eb;
  return word ^ word >> 31;
}

static void fill_random(uint64_t *state, uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)next_random(state);
}

enum { CODES_AT_ONCE = 200, MAX_SECRET = 300, MAX_MESSAGE = 300 };

static const EVP_MD *digest_of(otp_kernel_hash hash) {
  return hash == OTP_KERNEL_HASH_SHA1 ? EVP_sha1() : hash == OTP_KERNEL_HASH_SHA256 ? EVP_sha256() : EVP_sha512();
}

static uint32_t reference(otp_kernel_hash hash, const uint8_t *secret, size_t size, uint64_t counter) {
  uint8_t message[8], tag[64];
  unsigned tag_size = 0;
  for (int i = 0; i < 8; i++) message[i] = (uint8_t)(counter >> (56 - 8 * i));
  HMAC(digest_of(hash), secret, (int)size, message, sizeof message, tag, &tag_size);
  const uint8_t *at = tag + (tag[tag_size - 1] & 15);
  return (uint32_t)(at[0] & 0x7f) << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static size_t failures;

static void expect(int is_right, const char *what, otp_lane_set set, otp_kernel_hash hash) {
  if (is_right) return;
  if (failures++ < 10) printf("differential: %s: %s, hash %d\n", what, otp_lane_set_name(set), hash);
}

// Two keys, and consecutive counters from a start where the lower half sometimes carries into the upper.
static void compare_codes(otp_kernel_hash hash, uint64_t *random, size_t count) {
  uint8_t secrets[2][MAX_SECRET];
  size_t sizes[2];
  uint32_t expected[2][CODES_AT_ONCE], values[CODES_AT_ONCE];
  const uint64_t kind = next_random(random) & 7;
  const uint64_t first = kind == 0 ? 0 - (uint64_t)(count / 2) : kind == 1 ? (7ull << 32) - 30 : next_random(random);
  for (size_t key = 0; key < 2; key++) {
    sizes[key] = 1 + next_random(random) % (next_random(random) & 1 ? MAX_SECRET : 64);
    fill_random(random, secrets[key], sizes[key]);
    for (size_t i = 0; i < count; i++) expected[key][i] = reference(hash, secrets[key], sizes[key], first + i);
  }
  for (int set = 0; set < OTP_LANE_SET_COUNT; set++) {
    const otp_lane_plan *plan = otp_lanes_plan((otp_lane_set)set, hash);
    if (plan == NULL) continue;
    otp_midstates keys[2];
    for (size_t key = 0; key < 2; key++) otp_lanes_prepare(plan, secrets[key], sizes[key], &keys[key]);
    otp_lane lanes[CODES_AT_ONCE];
    for (size_t i = 0; i < count; i++) lanes[i] = (otp_lane){&keys[i * 7 % 3 & 1], first + i};

    otp_lanes_key_values(plan, &keys[0], first, count, values);
    expect(memcmp(values, expected[0], count * sizeof *values) == 0, "one key", set, hash);
    otp_lanes_values(plan, lanes, count, values);
    int is_right = 1;
    for (size_t i = 0; i < count; i++) is_right &= values[i] == expected[i * 7 % 3 & 1][i];
    expect(is_right, "two keys", set, hash);
    for (size_t kernel = 0; kernel < otp_lanes_kernel_count(plan); kernel++) {
      otp_lanes_kernel_key_values(plan, kernel, &keys[1], first, count, values);
      expect(memcmp(values, expected[1], count * sizeof *values) == 0, "one kernel", set, hash);
      otp_lanes_kernel_values(plan, kernel, lanes, count, values);
      is_right = 1;
      for (size_t i = 0; i < count; i++) is_right &= values[i] == expected[i * 7 % 3 & 1][i];
      expect(is_right, "one kernel, two keys", set, hash);
    }
  }
}

static void compare_tags(otp_kernel_hash hash, uint64_t *random) {
  uint8_t secret[MAX_SECRET], message[MAX_MESSAGE], expected[64], tag[64];
  const size_t size = 1 + next_random(random) % MAX_SECRET, message_size = next_random(random) % MAX_MESSAGE;
  unsigned tag_size = 0;
  fill_random(random, secret, size);
  fill_random(random, message, message_size);
  HMAC(digest_of(hash), secret, (int)size, message, message_size, expected, &tag_size);
  for (int set = 0; set < OTP_LANE_SET_COUNT; set++) {
    const otp_lane_plan *plan = otp_lanes_plan((otp_lane_set)set, hash);
    if (plan == NULL) continue;
    otp_midstates key;
    otp_lanes_prepare(plan, secret, size, &key);
    otp_lanes_message_tag(plan, &key, message, message_size, tag);
    expect(memcmp(tag, expected, tag_size) == 0, "a message", set, hash);
  }
}

int main(int argc, char **argv) {
  const size_t wanted = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
  if (wanted == 0) return 64;
  uint64_t random = 20261121;
  for (otp_kernel_hash hash = OTP_KERNEL_HASH_SHA1; hash <= OTP_KERNEL_HASH_SHA512; hash++) {
    for (size_t done = 0; done < wanted;) {
      const size_t count = 1 + next_random(&random) % CODES_AT_ONCE;
      compare_codes(hash, &random, count);
      if (next_random(&random) % 4 == 0) compare_tags(hash, &random);
      done += count;
    }
  }
  printf("differential: %zu codes for each hash on", wanted);
  for (int set = 0; set < OTP_LANE_SET_COUNT; set++) {
    if (otp_lanes_plan((otp_lane_set)set, OTP_KERNEL_HASH_SHA1) == NULL) continue;
    printf(" %s", otp_lane_set_name((otp_lane_set)set));
  }
  printf(": %zu wrong\n", failures);
  return failures != 0;
}
