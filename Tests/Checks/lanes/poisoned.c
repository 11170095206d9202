// Runs the kernels under MemorySanitizer with every secret marked uninitialized: a branch or an address that depends on
// one ends the program. Unlike valgrind 3.19 it supports AVX-512, but not the SHA extensions, for which models of their
// instructions are used instead (branches.sh checks their machine code).
//
//   poisoned           exits 0 if nothing was reported and the secrets reached the results
//   poisoned branch    branches on a result: must be reported
//   poisoned index     reads memory at an index taken from a result: must be reported

#include <stdio.h>
#include <string.h>

#include <sanitizer/msan_interface.h>

#include "COTPSupport.h"
#include "random.h"

enum { CODES = 70 };

static int is_poisoned(const void *bytes, size_t size) { return __msan_test_shadow(bytes, size) >= 0; }

static size_t problems, runs;

static void expect(int is_right, const char *what, otp_lane_set set, otp_kernel_hash hash) {
  runs++;
  if (is_right) return;
  problems++;
  printf("poisoned: %s: %s, hash %d\n", what, otp_lane_set_name(set), hash);
}

static void run(otp_lane_set set, otp_kernel_hash hash) {
  const otp_lane_plan *plan = otp_lanes_plan(set, hash);
  if (plan == NULL) return;
  uint64_t random = 1;
  const size_t tag_size = otp_hash_properties_of(hash)->tag_bytes;
  for (size_t size = 1; size <= 300; size += 23) {
    uint8_t secret[300], tag[64];
    otp_midstates key;
    uint32_t values[CODES];
    otp_lane lanes[CODES];
    fill_random(&random, secret, size);
    __msan_poison(secret, size);
    otp_lanes_prepare(plan, secret, size, &key);
    const uint8_t *inner = (const uint8_t *)&key, *outer = inner + otp_hash_properties_of(hash)->block_bytes / 2;
    expect(is_poisoned(inner, tag_size) && is_poisoned(outer, tag_size), "set-up", set, hash);
    otp_lanes_message_tag(plan, &key, secret, size, tag);
    expect(is_poisoned(tag, tag_size), "a message", set, hash);
    for (size_t i = 0; i < CODES; i++) lanes[i] = (otp_lane){&key, i};
    for (size_t kernel = 0; kernel < otp_lanes_kernel_count(plan); kernel++) {
      otp_lanes_kernel_key_values(plan, kernel, &key, 3, CODES, values);
      expect(is_poisoned(values, sizeof values), "one key", set, hash);
      otp_lanes_kernel_values(plan, kernel, lanes, CODES, values);
      expect(is_poisoned(values, sizeof values), "many keys", set, hash);
    }
  }
}

int main(int argc, char **argv) {
  for (otp_kernel_hash hash = OTP_KERNEL_HASH_SHA1; hash <= OTP_KERNEL_HASH_SHA512; hash++) {
    run(OTP_LANES_PORTABLE, hash);
    run(OTP_LANES_SHA_NI, hash);
    run(OTP_LANES_AVX2, hash);
    run(OTP_LANES_AVX512, hash);
  }

  if (argc == 2) {
    const otp_lane_plan *plan = otp_lanes_plan(otp_lanes_widest(), OTP_KERNEL_HASH_SHA1);
    uint8_t secret[20] = {1};
    uint32_t value;
    otp_midstates key;
    __msan_poison(secret, sizeof secret);
    otp_lanes_prepare(plan, secret, sizeof secret, &key);
    otp_lanes_key_values(plan, &key, 1, 1, &value);
    static const char table[16] = "fedcba987654321";
    if (strcmp(argv[1], "branch") == 0) {
      if (value & 1) puts("odd");
    } else {
      putchar(table[value & 15]);
    }
  }
  printf("poisoned: %zu results of secrets, %zu problems\n", runs, problems);
  return problems != 0;
}
