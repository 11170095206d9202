// Making and verifying codes allocates nothing, counted by this program's own allocator, which the library and
// libcrypto also call.

// The allocation functions, which count.
#include "../allocations/Sources/CAllocations/allocations.c"
#include "check.h"

enum { MOST = 1000 };

static otp_request requests[MOST];
static otp_match results[MOST];

/// The number of allocations in `call`, after a first call that does not count.
#define expect_none(call)                         \
  do {                                            \
    expect((call) == OTP_OK);                     \
    const size_t before = allocation_count();     \
    for (int i_ = 0; i_ < 10; i_++) (void)(call); \
    expect(allocation_count() == before);         \
  } while (0)

static void run(otp_backend backend) {
  otp_key *keys[3];
  uint8_t long_secret[200];
  char code[9];
  otp_match match = OTP_MATCH_INIT;
  memset(long_secret, 7, sizeof long_secret);
  const otp_window widest = {sizeof widest, 10, 10, 1, 3};
  const otp_totp_params eight = {sizeof eight, 8, 30, 0};
  for (int i = 0; i < 3; i++) {
    const otp_hash hash = (otp_hash)(OTP_SHA1 + i);
    const size_t before = allocation_count();
    expect(otp_key_create_with_backend(backend, hash, seed, sizeof seed, &keys[i]) == OTP_OK);
    // The control: allocating a key is counted.
    expect(allocation_count() > before);
    const otp_key *key = keys[i];
    expect_none(otp_hotp(key, 7, 8, code));
    expect_none(otp_totp(key, 59, &eight, code));
    expect_none(otp_totp_verify(key, "254676", 6, 150, NULL, NULL, &match));
    expect_none(otp_totp_verify(key, "254676", 6, 9000, NULL, &widest, &match));
    expect_none(otp_totp_verify(key, "not one", 7, 9000, NULL, &widest, &match));
    expect_none(otp_hotp_verify(key, "254676", 6, 0, 6, 1000, &match));
    const char *codes[3] = {"254676", "287922", "162583"};
    expect_none(otp_hotp_resynchronize(key, codes, 3, 0, 6, 100, &match));
    expect_none(otp_totp_verify_secret(hash, seed, sizeof seed, "254676", 6, 150, NULL, &widest, &match));
    expect_none(otp_totp_verify_secret(hash, long_secret, sizeof long_secret, "254676", 6, 150, NULL, NULL, &match));
    expect_none(otp_code_read_typed(
        " 254\xEF\xBC\x96"
        "76\n",
        10, 6, code));
    // Refused calls allocate nothing either.
    const size_t refused = allocation_count();
    expect(otp_hotp(key, 0, 9, code) == OTP_INVALID_DIGITS);
    expect(otp_totp_verify(key, "254676", 6, -1, NULL, NULL, &match) == OTP_TIME_BEFORE_T0);
    expect(otp_code_read_typed("not one", 7, 6, code) == OTP_MALFORMED_CODE);
    expect(allocation_count() == refused);
  }
  for (size_t i = 0; i < MOST; i++) {
    requests[i] = (otp_request){.size = sizeof requests[i],
                                .type = i % 7 == 0 ? OTP_HOTP : OTP_TOTP,
                                .key = keys[i % 3],
                                .code = seed_codes[i % 10],
                                .code_len = 6,
                                .unix_time = (int64_t)i,
                                .window = i % 2 == 0 ? &widest : NULL,
                                .counter = i,
                                .digits = 6,
                                .look_ahead = 50};
  }
  results[0].size = sizeof results[0];
  expect_none(otp_verify_batch(requests, 1, results));
  expect_none(otp_verify_batch(requests, 64, results));
  expect_none(otp_verify_batch(requests, MOST, results));
  for (int i = 0; i < 3; i++) otp_key_destroy(keys[i]);
}

int main(void) {
  run(OTP_BACKEND_STANDARD);
  run(OTP_BACKEND_MIDSTATE);
  run(OTP_BACKEND_LANES);
  return finish("allocations");
}
