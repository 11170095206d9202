// Verifies and makes codes with every secret and every typed code marked undefined for valgrind's memcheck, which
// reports each branch or address that depends on one. The library is built with OTP_CHECKS, which counts the outcomes
// that leave a verification and marks them defined. Planted leaks must be reported.
//
//   valgrind secrets [portable]      with this CPU's vector instructions, or without any

#include <stdlib.h>

#include <valgrind/memcheck.h>
#include <valgrind/valgrind.h>

#include "check.h"

// In the library, in a build with OTP_CHECKS.
extern unsigned otp_secret_declassifications;

// The linker redirects the library's call here (--wrap).
static int is_portable;
int __wrap_otp_cpu_has_avx2(void);
int __real_otp_cpu_has_avx2(void);
int __wrap_otp_cpu_has_avx2(void) { return !is_portable && __real_otp_cpu_has_avx2(); }

enum { BATCH = 70 };

static uint8_t secret[20];
static char typed[16];

static const char *taint_code(const char *code) {
  memcpy(typed, code, strlen(code));
  (void)VALGRIND_MAKE_MEM_UNDEFINED(typed, strlen(code));
  return typed;
}

/// Checks that the whole outcome is public and as expected.
static int is_match(const otp_match *match, otp_result result, uint64_t step) {
  return VALGRIND_CHECK_MEM_IS_DEFINED(match, sizeof *match) == 0 && match->result == result && match->step == step;
}

static void verify(otp_hash hash) {
  otp_key *key = NULL;
  expect(otp_key_create(hash, secret, sizeof secret, &key) == OTP_OK);
  // SHA-1's codes; with another hash they are wrong.
  const int is_sha1 = hash == OTP_SHA1;
  for (int place = -6; place <= 4; place++) {
    otp_window window = {sizeof window, 5, 4, 1, 3};
    const char *code = taint_code(place == -6 ? "000000" : seed_codes[5 + place]);
    const otp_result result = !is_sha1 || place == -6 ? OTP_REJECTED : place <= -2 ? OTP_REPLAYED : OTP_ACCEPTED;
    const uint64_t step = result == OTP_ACCEPTED ? (uint64_t)(5 + place) : 0;
    otp_match match = OTP_MATCH_INIT;
    // Two results are declassified: whether the text is digits, and the outcome.
    unsigned before = otp_secret_declassifications;
    expect(otp_totp_verify(key, code, 6, 150, NULL, &window, &match) == OTP_OK && is_match(&match, result, step));
    expect(otp_secret_declassifications - before == 2);
    before = otp_secret_declassifications;
    expect(
        otp_totp_verify_secret(hash, secret, sizeof secret, code, 6, 150, NULL, &window, &match) == OTP_OK
        && is_match(&match, result, step));
    expect(otp_secret_declassifications - before == 2);
    const int is_ahead = is_sha1 && place >= -3;
    expect(
        otp_hotp_verify(key, code, 6, 2, 6, 40, &match) == OTP_OK
        && is_match(&match, is_ahead ? OTP_ACCEPTED : OTP_REJECTED, is_ahead ? (uint64_t)(5 + place) : 0));
  }
  // A generated code is the requested result, and public.
  char code[9];
  for (uint64_t counter = 0; counter < 40; counter++) {
    expect(otp_hotp(key, counter, 6, code) == OTP_OK && strlen(code) == 6);
    if (is_sha1 && counter < 10) expect(strcmp(code, seed_codes[counter]) == 0);
  }
  otp_key_destroy(key);
}

/// A typed text, read as the digits that a verifier takes, stays secret.
static void read_typed(void) {
  static const char *const texts[] = {"287082", " 287-082\n", "\xEF\xBC\x92\xD9\xA8\xF0\x9D\x9F\x95 082"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char code[9];
    expect(otp_code_read_typed(taint_code(texts[i]), strlen(texts[i]), 6, code) == OTP_OK);
    unsigned char undefined[6] = {0};
    expect(VALGRIND_GET_VBITS(code, undefined, sizeof undefined) == 1);
    for (size_t j = 0; j < sizeof undefined; j++) expect(undefined[j] != 0);
    (void)VALGRIND_MAKE_MEM_DEFINED(code, 6);
    expect(strcmp(code, seed_codes[1]) == 0);
  }
}

static void batch(void) {
  static char codes[BATCH][8];
  otp_key *keys[3];
  otp_request requests[BATCH];
  otp_match results[BATCH];
  for (int i = 0; i < 3; i++) {
    expect(otp_key_create((otp_hash)(OTP_SHA1 + i), secret, sizeof secret, &keys[i]) == OTP_OK);
  }
  memset(requests, 0, sizeof requests);
  for (size_t i = 0; i < BATCH; i++) {
    memcpy(codes[i], seed_codes[i % 10], 7);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(codes[i], 6);
    requests[i].size = sizeof requests[i];
    requests[i].type = OTP_TOTP;
    requests[i].key = keys[i % 5 == 4 ? 1 + i % 2 : 0];
    requests[i].code = codes[i];
    requests[i].code_len = 6;
    requests[i].unix_time = 30 * (int64_t)(i % 10);
  }
  results[0].size = sizeof results[0];
  const unsigned before = otp_secret_declassifications;
  expect(otp_verify_batch(requests, BATCH, results) == OTP_OK);
  expect(otp_secret_declassifications - before == 2 * BATCH);
  for (size_t i = 0; i < BATCH; i++) {
    const int is_right = i % 5 != 4;
    expect(is_match(&results[i], is_right ? OTP_ACCEPTED : OTP_REJECTED, is_right ? i % 10 : 0));
  }
  for (int i = 0; i < 3; i++) otp_key_destroy(keys[i]);
}

/// Records, unsealed, so that the secret within can be marked: verified with a code that is right, wrong, spent or no
/// code at all. The answer is public; the secret in the new record is still marked.
static void records(otp_hash hash) {
  static const char *const texts[] = {"254676", "000000", "287082", "25467", " 254 676"};
  otp_keyring *keyring = NULL;
  expect(otp_keyring_create_unsealed(&keyring) == OTP_OK);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    uint8_t record[OTP_RECORD_MAX], next[OTP_RECORD_MAX];
    size_t len = sizeof record, next_len = sizeof next;
    const otp_enrollment enrollment = {sizeof enrollment, OTP_TOTP, hash, 6, 30, 1600000000, 0, seed,
                                       sizeof seed,       1,        1,    3};
    expect(otp_record_enroll(keyring, "user", 4, &enrollment, NULL, 0, 1600000150, record, &len) == OTP_OK);
    size_t at = 0;
    while (memcmp(record + at, seed, sizeof seed) != 0) at++;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(record + at, sizeof seed);
    otp_answer answer = OTP_ANSWER_INIT;
    expect(
        otp_record_verify(
            keyring, "user", 4, record, len, taint_code(texts[i]), strlen(texts[i]), 1600000150, NULL, next, &next_len,
            &answer)
        == OTP_OK);
    expect(VALGRIND_CHECK_MEM_IS_DEFINED(&answer, sizeof answer) == 0 && answer.changed == (i != 3));
    const otp_answer_kind right = hash == OTP_SHA1 ? OTP_ANSWER_ACCEPTED : OTP_ANSWER_REJECTED;
    expect(answer.kind == (i == 0 || i == 4 ? right : OTP_ANSWER_REJECTED));
    expect(VALGRIND_CHECK_MEM_IS_DEFINED(&next_len, sizeof next_len) == 0 && next_len >= len);
    unsigned char marks[OTP_RECORD_MAX];
    size_t marked = 0;
    expect(VALGRIND_GET_VBITS(next, marks, next_len) == 1);
    for (size_t j = 0; j < next_len; j++) marked += marks[j] == 0xFF;
    expect(marked == sizeof seed);
  }
  otp_keyring_destroy(keyring);
}

/// A branch on a byte of a secret.
static int leak_secret(void) { return secret[3] == '4'; }

/// What a server might do instead of calling the library: compare up to the first different digit.
static int leak_code(void) {
  otp_key *key = NULL;
  char code[9];
  const char *submitted = taint_code(seed_codes[1]);
  if (otp_key_create(OTP_SHA1, secret, sizeof secret, &key) != OTP_OK || otp_hotp(key, 1, 6, code) != OTP_OK) return 0;
  int same = 1;
  for (size_t i = 0; same && i < 6; i++) {
    if (code[i] != submitted[i]) same = 0;
  }
  otp_key_destroy(key);
  return same;
}

int main(int argc, char **argv) {
  if (!RUNNING_ON_VALGRIND) {
    fprintf(stderr, "secrets: run me under valgrind\n");
    return 2;
  }
  is_portable = argc == 2 && strcmp(argv[1], "portable") == 0;
  otp_library_info info = {.size = sizeof info};
  expect(otp_info(&info) == OTP_OK);
  expect(strcmp(info.instruction_set, is_portable ? "portable" : "avx2") == 0);

  memcpy(secret, seed, sizeof secret);
  (void)VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof secret);
  for (int hash = OTP_SHA1; hash <= OTP_SHA512; hash++) verify((otp_hash)hash);
  for (int hash = OTP_SHA1; hash <= OTP_SHA512; hash++) records((otp_hash)hash);
  read_typed();
  batch();
  expect(VALGRIND_COUNT_ERRORS == 0);

  if (leak_secret()) passed++;
  const unsigned after_first = VALGRIND_COUNT_ERRORS;
  expect(after_first > 0);
  if (leak_code()) passed++;
  expect(VALGRIND_COUNT_ERRORS > after_first);
  char name[64];
  snprintf(name, sizeof name, "undefined secrets, %s", info.instruction_set);
  return finish(name);
}
