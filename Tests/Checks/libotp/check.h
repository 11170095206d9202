// What the check's programs share: counting expectations, and checking what was written.

#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <otp.h>

// Several threads of a program may count.
static _Atomic size_t passed, failed;

static inline void expect_at(int is_right, const char *what, const char *file, int line) {
  if (is_right) {
    passed++;
  } else {
    failed++;
    fprintf(stderr, "FAIL  %s:%d: %s\n", file, line, what);
  }
}

#define expect(condition) expect_at((condition) != 0, #condition, __FILE__, __LINE__)

/// Ends a program: prints the counts, and returns the exit status.
static inline int finish(const char *name) {
  printf("%s: %zu passed, %zu failed\n", name, passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

/// RFC 4226's secret.
static const uint8_t seed[20] = {'1', '2', '3', '4', '5', '6', '7', '8', '9', '0',
                                 '1', '2', '3', '4', '5', '6', '7', '8', '9', '0'};
static const char *const seed_codes[10] = {"755224", "287082", "359152", "969429", "338314",
                                           "254676", "287922", "162583", "399871", "520489"};

static inline otp_key *seed_key(void) {
  otp_key *key = NULL;
  return otp_key_create(OTP_SHA1, seed, sizeof seed, &key) == OTP_OK ? key : NULL;
}

#endif
