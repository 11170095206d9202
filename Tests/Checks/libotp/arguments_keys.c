// Keys, codes and the library itself with every invalid argument, and at both ends of the valid ranges.

#include <stdlib.h>

#include "check.h"

static const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 2, (size_t)1 << 56};
enum { HUGE_COUNT = sizeof huge / sizeof huge[0] };
static const int no_hash[] = {0, 4, 255, -1};

/// A key that must not be created: the pointer must be NULL afterward.
#define expect_no_key(call, status)              \
  do {                                           \
    otp_key *out = (otp_key *)(uintptr_t)0x1000; \
    expect((call) == (status) && out == NULL);   \
  } while (0)

static void keys(void) {
  otp_key *key = NULL;
  expect(otp_key_create(OTP_SHA1, seed, sizeof seed, NULL) == OTP_INVALID_ARGUMENT);
  expect(otp_key_create_with_backend(OTP_BACKEND_EVP, OTP_SHA1, seed, sizeof seed, NULL) == OTP_INVALID_ARGUMENT);
  expect(otp_key_create_base32(OTP_SHA1, "GEZA", 4, NULL) == OTP_INVALID_ARGUMENT);
  expect_no_key(otp_key_create(OTP_SHA1, NULL, 1, &out), OTP_INVALID_ARGUMENT);
  expect_no_key(otp_key_create_base32(OTP_SHA1, NULL, 1, &out), OTP_INVALID_ARGUMENT);
  expect_no_key(otp_key_create(OTP_SHA1, NULL, 0, &out), OTP_EMPTY_SECRET);
  expect_no_key(otp_key_create(OTP_SHA1, seed, 0, &out), OTP_EMPTY_SECRET);
  expect_no_key(otp_key_create_base32(OTP_SHA1, NULL, 0, &out), OTP_EMPTY_SECRET);
  expect_no_key(otp_key_create_base32(OTP_SHA1, " - ", 3, &out), OTP_EMPTY_SECRET);
  for (size_t i = 0; i < HUGE_COUNT; i++) {
    expect_no_key(otp_key_create(OTP_SHA1, seed, huge[i], &out), OTP_INVALID_ARGUMENT);
    expect_no_key(otp_key_create_base32(OTP_SHA1, "GEZA", huge[i], &out), OTP_INVALID_ARGUMENT);
  }
  for (size_t i = 0; i < 4; i++) {
    expect_no_key(otp_key_create((otp_hash)no_hash[i], seed, sizeof seed, &out), OTP_INVALID_ARGUMENT);
    expect_no_key(otp_key_create_base32((otp_hash)no_hash[i], "GEZA", 4, &out), OTP_INVALID_ARGUMENT);
  }
  expect_no_key(otp_key_create_with_backend((otp_backend)4, OTP_SHA1, seed, 20, &out), OTP_INVALID_ARGUMENT);
  expect_no_key(otp_key_create_with_backend((otp_backend)-1, OTP_SHA1, seed, 20, &out), OTP_INVALID_ARGUMENT);
  expect_no_key(otp_key_create_base32(OTP_SHA1, "GEZ1", 4, &out), OTP_INVALID_BASE32_CHARACTER);
  expect_no_key(otp_key_create_base32(OTP_SHA1, "GEZDGN", 6, &out), OTP_INVALID_BASE32_LENGTH);
  expect_no_key(otp_key_create_base32(OTP_SHA1, "GEZA=", 5, &out), OTP_INVALID_BASE32_PADDING);

  // As people type it, and read only up to its length.
  char code[9];
  expect(otp_key_create_base32(OTP_SHA1, "gezd gnbv-gy3tqojqgezdgnbvgy3tqojq!", 34, &key) == OTP_OK);
  expect(otp_hotp(key, 1, 6, code) == OTP_OK && strcmp(code, seed_codes[1]) == 0);
  otp_key_destroy(key);
  otp_key_destroy(NULL);

  // Secrets of every length up to and past the blocks give the same codes with every backend.
  otp_library_info info = {.size = sizeof info};
  expect(otp_info(&info) == OTP_OK);
  const otp_known_answer answers[] = {info.evp, info.midstate, info.lanes};
  uint8_t secret[300];
  for (size_t i = 0; i < sizeof secret; i++) secret[i] = (uint8_t)(i * 31 + 7);
  for (int hash = OTP_SHA1; hash <= OTP_SHA512; hash++) {
    for (size_t size = 1; size <= sizeof secret; size += size < 130 ? 1 : 17) {
      char expected[9] = "";
      for (int backend = OTP_BACKEND_STANDARD; backend <= OTP_BACKEND_LANES; backend++) {
        if (backend != OTP_BACKEND_STANDARD && answers[backend - 1] != OTP_KNOWN_ANSWER_PASSED) continue;
        const otp_status status = otp_key_create_with_backend((otp_backend)backend, (otp_hash)hash, secret, size, &key);
        expect(status == OTP_OK && otp_hotp(key, size, 8, code) == OTP_OK);
        if (expected[0] == '\0') memcpy(expected, code, sizeof code);
        expect(strcmp(code, expected) == 0);
        otp_key_destroy(key);
      }
    }
  }
}

static void hotp(const otp_key *key) {
  char code[9];
  memset(code, 0x5A, sizeof code);
  expect_refused(otp_hotp(NULL, 0, 6, code), OTP_INVALID_ARGUMENT, code);
  expect_refused(otp_hotp(key, 0, 6, NULL), OTP_INVALID_ARGUMENT, code);
  expect_refused(otp_hotp(key, 0, 0, code), OTP_INVALID_DIGITS, code);
  expect_refused(otp_hotp(key, 0, 5, code), OTP_INVALID_DIGITS, code);
  expect_refused(otp_hotp(key, 0, 9, code), OTP_INVALID_DIGITS, code);
  expect_refused(otp_hotp(key, 0, UINT32_MAX, code), OTP_INVALID_DIGITS, code);
  for (unsigned digits = 6; digits <= 8; digits++) {
    memset(code, 0x5A, sizeof code);
    expect(otp_hotp(key, 0, digits, code) == OTP_OK && strcmp(code, &"84755224"[8 - digits]) == 0);
    for (size_t i = digits + 1; i < sizeof code; i++) expect(code[i] == 0x5A);
  }
  for (uint64_t counter = 0; counter < 10; counter++) {
    expect(otp_hotp(key, counter, 6, code) == OTP_OK && strcmp(code, seed_codes[counter]) == 0);
  }
  expect(otp_hotp(key, UINT64_MAX, 6, code) == OTP_OK && strlen(code) == 6);
}

static void totp(const otp_key *key) {
  char code[9];
  memset(code, 0x5A, sizeof code);
  const otp_totp_params standard = OTP_TOTP_PARAMS_INIT;
  expect_refused(otp_totp(NULL, 59, &standard, code), OTP_INVALID_ARGUMENT, code);
  expect_refused(otp_totp(key, 59, &standard, NULL), OTP_INVALID_ARGUMENT, code);
  expect_refused(otp_totp(key, -1, NULL, code), OTP_TIME_BEFORE_T0, code);
  expect_refused(otp_totp(key, INT64_MIN, NULL, code), OTP_TIME_BEFORE_T0, code);

  // Sizes: too small, as in a later version, and with non-zero bytes beyond what this version knows.
  struct {
    otp_totp_params known;
    unsigned char later[4096];
  } params;
  memset(&params, 0, sizeof params);
  params.known = standard;
  const size_t wrong_sizes[] = {0, 1, sizeof standard - 1, 4097, SIZE_MAX, SIZE_MAX / 2 + 1};
  for (size_t i = 0; i < sizeof wrong_sizes / sizeof wrong_sizes[0]; i++) {
    params.known.size = wrong_sizes[i];
    expect_refused(otp_totp(key, 59, &params.known, code), OTP_INVALID_ARGUMENT, code);
  }
  for (size_t size = sizeof standard; size <= 4096; size += size < 64 ? 8 : 504) {
    params.known.size = size;
    expect(otp_totp(key, 59, &params.known, code) == OTP_OK && strcmp(code, seed_codes[1]) == 0);
    if (size == sizeof standard) continue;
    unsigned char *last = (unsigned char *)&params + size - 1;
    *last = 1;
    memset(code, 0x5A, sizeof code);
    expect_refused(otp_totp(key, 59, &params.known, code), OTP_INVALID_ARGUMENT, code);
    *last = 0;
  }

  const unsigned wrong_digits[] = {0, 5, 9, UINT32_MAX};
  for (size_t i = 0; i < 4; i++) {
    otp_totp_params changed = standard;
    changed.digits = wrong_digits[i];
    expect_refused(otp_totp(key, 59, &changed, code), OTP_INVALID_DIGITS, code);
  }
  const int64_t wrong_periods[] = {0, -1, INT64_MIN};
  for (size_t i = 0; i < 3; i++) {
    otp_totp_params changed = standard;
    changed.period = wrong_periods[i];
    expect_refused(otp_totp(key, 59, &changed, code), OTP_INVALID_PERIOD, code);
  }

  // The ends of time: steps 0 and 2^64-1.
  char expected[9];
  otp_totp_params whole = standard;
  whole.period = 1;
  whole.t0 = INT64_MIN;
  expect(otp_totp(key, INT64_MIN, &whole, code) == OTP_OK && strcmp(code, seed_codes[0]) == 0);
  expect(otp_hotp(key, UINT64_MAX, 6, expected) == OTP_OK);
  expect(otp_totp(key, INT64_MAX, &whole, code) == OTP_OK && strcmp(code, expected) == 0);
  whole.t0 = INT64_MAX;
  expect(otp_totp(key, INT64_MAX, &whole, code) == OTP_OK && strcmp(code, seed_codes[0]) == 0);
  memset(code, 0x5A, sizeof code);
  expect_refused(otp_totp(key, INT64_MAX - 1, &whole, code), OTP_TIME_BEFORE_T0, code);
  whole = standard;
  whole.period = INT64_MAX;
  expect(otp_totp(key, INT64_MAX, &whole, code) == OTP_OK && strcmp(code, seed_codes[1]) == 0);
}

/// Each status of otp.h has its own text; no other number has one.
static void statuses(void) {
  static const struct {
    int first, last;
  } ranges[] = {
      {OTP_OK, OTP_OUTPUT_TOO_SHORT},
      {OTP_EMPTY_SECRET, OTP_NON_ZERO_BASE32_TRAILING_BITS},
      {OTP_INVALID_ALGORITHM, OTP_MALFORMED_CODE},
      {OTP_URI_TOO_LONG, OTP_INVALID_PARAMETER_NAME},
      {OTP_RANDOMNESS_UNAVAILABLE, OTP_CRYPTOGRAPHY_FAILED},
      {OTP_MALFORMED_RECORD, OTP_INVALID_TIME},
      {OTP_KEYRING_UNREADABLE, OTP_DUPLICATE_KEY_NAME}};
  const char *unknown = otp_status_string((otp_status)9999), *texts[202];
  for (int status = -2; status < 200; status++) {
    int is_known = 0;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
      is_known |= ranges[i].first <= status && status <= ranges[i].last;
    }
    const char *text = texts[status + 2] = otp_status_string((otp_status)status);
    expect(text != NULL && strlen(text) >= 5 && (strcmp(text, unknown) != 0) == is_known);
    for (int other = -2; other < status && is_known; other++) expect(strcmp(text, texts[other + 2]) != 0);
  }
}

static void library(void) {
  expect(strcmp(otp_version(), OTP_VERSION) == 0);
  expect(otp_self_test() == OTP_OK);
  expect(otp_info(NULL) == OTP_INVALID_ARGUMENT);
  struct {
    otp_library_info known;
    unsigned char later[100];
  } info;
  const size_t wrong_sizes[] = {0, sizeof info.known - 1, 4097, SIZE_MAX};
  for (size_t i = 0; i < 4; i++) {
    memset(&info, 0xA5, sizeof info);
    info.known.size = wrong_sizes[i];
    expect_refused(otp_info(&info.known), OTP_INVALID_ARGUMENT, info);
  }
  memset(&info, 0xA5, sizeof info);
  info.known.size = sizeof info.known + 56;
  expect(otp_info(&info.known) == OTP_OK && info.known.size == sizeof info.known + 56);
  for (size_t i = 0; i < sizeof info.later; i++) expect(info.later[i] == (i < 56 ? 0 : 0xA5));
  expect(strcmp(info.known.version, OTP_VERSION) == 0);
  expect(strncmp(info.known.openssl, "OpenSSL 3.", 10) == 0);
  expect(strlen(info.known.backend) >= 3 && strlen(info.known.instruction_set) >= 4);
  expect(memchr(info.known.cpu_features, '\0', sizeof info.known.cpu_features) != NULL);
  expect(info.known.evp == OTP_KNOWN_ANSWER_PASSED && info.known.midstate != OTP_KNOWN_ANSWER_FAILED);
  expect(info.known.lanes == OTP_KNOWN_ANSWER_PASSED);
}

int main(void) {
  library();
  keys();
  otp_key *key = seed_key();
  hotp(key);
  totp(key);
  otp_key_destroy(key);
  statuses();
  return finish("arguments of keys and codes");
}
