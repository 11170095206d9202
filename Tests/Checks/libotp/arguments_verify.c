// Verification, and reading typed codes, with every invalid argument and at both ends of the valid ranges. On failure
// nothing is accepted, and no code is written.

#include "check.h"

/// A structure, with members that a later version may have added.
// clang-format off
#define LATER(type) struct { type known; unsigned char later[4096]; }
// clang-format on

static const size_t wrong_sizes[] = {0, 1, 7, 81, 4097, 4104, SIZE_MAX, SIZE_MAX / 2 + 1};
enum { WRONG_SIZES = sizeof wrong_sizes / sizeof wrong_sizes[0] };
static const char code5[] = "254676";

/// A call that must fail with a status and leave a match without an acceptance, whatever it held before.
#define expect_unverified(call, expected, match)                                                            \
  do {                                                                                                      \
    (match) = marked_match();                                                                               \
    (match).result = OTP_ACCEPTED;                                                                          \
    expect((call) == (expected));                                                                           \
    expect(                                                                                                 \
        (match).size == sizeof(otp_match) && (match).result == OTP_REJECTED && (match).status == (expected) \
        && (match).step == 0 && (match).offset == 0);                                                       \
  } while (0)

#define expect_match(match, result_, step_, offset_)                                               \
  expect(                                                                                          \
      (match).size == sizeof(otp_match) && (match).result == (result_) && (match).status == OTP_OK \
      && (match).step == (uint64_t)(step_) && (match).offset == (offset_))

static void totp(const otp_key *key) {
  otp_match match = marked_match();
  const otp_totp_params standard = OTP_TOTP_PARAMS_INIT;
  const otp_window one = OTP_WINDOW_INIT;
  expect_unverified(otp_totp_verify(NULL, code5, 6, 150, &standard, &one, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(otp_totp_verify(key, NULL, 6, 150, &standard, &one, &match), OTP_INVALID_ARGUMENT, match);
  expect(otp_totp_verify(key, NULL, 0, 150, &standard, &one, &match) == OTP_OK);
  expect_match(match, OTP_REJECTED, 0, 0);
  expect_refused(otp_totp_verify(key, code5, 6, 150, &standard, &one, NULL), OTP_INVALID_ARGUMENT, match);
  expect_unverified(otp_totp_verify(key, code5, SIZE_MAX, 150, NULL, NULL, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(otp_totp_verify(key, code5, (size_t)1 << 56, 150, NULL, NULL, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(otp_totp_verify(key, code5, 6, -1, NULL, NULL, &match), OTP_TIME_BEFORE_T0, match);
  // A caller's mistake is reported whatever was typed.
  expect_unverified(otp_totp_verify(key, "x", 1, -1, NULL, NULL, &match), OTP_TIME_BEFORE_T0, match);

  LATER(otp_totp_params) params;
  LATER(otp_window) window;
  memset(&params, 0, sizeof params);
  memset(&window, 0, sizeof window);
  params.known = standard;
  window.known = one;
  for (size_t i = 0; i < WRONG_SIZES; i++) {
    params.known.size = wrong_sizes[i];
    expect_unverified(otp_totp_verify(key, code5, 6, 150, &params.known, &one, &match), OTP_INVALID_ARGUMENT, match);
    window.known.size = wrong_sizes[i];
    expect_unverified(otp_totp_verify(key, code5, 6, 150, NULL, &window.known, &match), OTP_INVALID_ARGUMENT, match);
    otp_match wrong = marked_match();
    wrong.size = wrong_sizes[i];
    expect_refused(otp_totp_verify(key, code5, 6, 150, NULL, NULL, &wrong), OTP_INVALID_ARGUMENT, wrong);
  }
  params.known.size = sizeof params.known + 40;
  window.known.size = sizeof window.known + 40;
  expect(otp_totp_verify(key, code5, 6, 150, &params.known, &window.known, &match) == OTP_OK);
  expect_match(match, OTP_ACCEPTED, 5, 0);
  match = marked_match();
  params.later[39] = 1;
  expect_unverified(otp_totp_verify(key, code5, 6, 150, &params.known, NULL, &match), OTP_INVALID_ARGUMENT, match);
  window.later[0] = 1;
  expect_unverified(otp_totp_verify(key, code5, 6, 150, NULL, &window.known, &match), OTP_INVALID_ARGUMENT, match);
  LATER(otp_match) larger;
  memset(&larger, 0xA5, sizeof larger);
  larger.known.size = sizeof larger.known + 40;
  expect(otp_totp_verify(key, code5, 6, 150, NULL, NULL, &larger.known) == OTP_OK && larger.known.step == 5);
  expect(larger.known.size == sizeof larger.known + 40);
  for (size_t i = 0; i < 80; i++) expect(larger.later[i] == (i < 40 ? 0 : 0xA5));

  static const unsigned sides[] = {11, 1000, UINT32_MAX};
  for (size_t i = 0; i < 3; i++) {
    otp_window changed = one;
    changed.behind = sides[i];
    expect_unverified(otp_totp_verify(key, code5, 6, 150, NULL, &changed, &match), OTP_INVALID_WINDOW, match);
    expect_unverified(otp_totp_verify(key, "?", 1, 150, NULL, &changed, &match), OTP_INVALID_WINDOW, match);
    changed = one;
    changed.ahead = sides[i];
    expect_unverified(otp_totp_verify(key, code5, 6, 150, NULL, &changed, &match), OTP_INVALID_WINDOW, match);
  }
  static const int flags[] = {2, -1, 256};
  for (size_t i = 0; i < 3; i++) {
    otp_window changed = one;
    changed.has_after = flags[i];
    expect_unverified(otp_totp_verify(key, code5, 6, 150, NULL, &changed, &match), OTP_INVALID_ARGUMENT, match);
  }
  static const unsigned digits[] = {0, 5, 9, UINT32_MAX};
  for (size_t i = 0; i < 4; i++) {
    otp_totp_params changed = standard;
    changed.digits = digits[i];
    expect_unverified(otp_totp_verify(key, code5, 6, 150, &changed, NULL, &match), OTP_INVALID_DIGITS, match);
  }
  otp_totp_params changed = standard;
  changed.period = 0;
  expect_unverified(otp_totp_verify(key, code5, 6, 150, &changed, NULL, &match), OTP_INVALID_PERIOD, match);

  // A typed text that is not a code is rejected. Only its given length is read: `code5` ends where the string does.
  static const char *const no_codes[] = {
      "",
      "25467",
      "2546766",
      " 254676",
      "25467\n",
      "25467a",
      ("254\0"
       "676")};
  for (size_t i = 0; i < sizeof no_codes / sizeof no_codes[0]; i++) {
    match = marked_match();
    expect(otp_totp_verify(key, no_codes[i], i == 6 ? 7 : strlen(no_codes[i]), 150, NULL, NULL, &match) == OTP_OK);
    expect_match(match, OTP_REJECTED, 0, 0);
  }

  // Every step of the widest window, with the last accepted step below, at and above it, and with none.
  for (int place = -5; place <= 4; place++) {
    for (int after = -1; after <= 10; after++) {
      otp_window widest = {sizeof widest, 10, 10, after >= 0, after >= 0 ? (uint64_t)after : 99};
      const char *code = seed_codes[5 + place];
      match = marked_match();
      expect(otp_totp_verify(key, code, 6, 150, NULL, &widest, &match) == OTP_OK);
      if (after >= 5 + place) {
        expect_match(match, OTP_REPLAYED, 0, 0);
      } else {
        expect_match(match, OTP_ACCEPTED, 5 + place, place);
      }
      otp_match again = marked_match();
      expect(
          otp_totp_verify_secret(OTP_SHA1, seed, sizeof seed, code, 6, 150, NULL, &widest, &again) == OTP_OK
          && memcmp(&again, &match, sizeof match) == 0);
    }
  }
  // The standard window is one interval to each side.
  for (int place = -2; place <= 2; place++) {
    const int is_inside = place >= -1 && place <= 1;
    expect(otp_totp_verify(key, seed_codes[5 + place], 6, 150, NULL, NULL, &match) == OTP_OK);
    expect_match(match, is_inside ? OTP_ACCEPTED : OTP_REJECTED, is_inside ? 5 + place : 0, is_inside ? place : 0);
  }

  // The ends of time.
  char last[9];
  otp_totp_params whole = {sizeof whole, 6, 1, INT64_MIN};
  expect(otp_hotp(key, UINT64_MAX, 6, last) == OTP_OK);
  expect(otp_totp_verify(key, last, 6, INT64_MAX, &whole, NULL, &match) == OTP_OK);
  expect_match(match, OTP_ACCEPTED, UINT64_MAX, 0);
  otp_window spent = {sizeof spent, 0, 10, 1, UINT64_MAX};
  expect(otp_totp_verify(key, last, 6, INT64_MAX, &whole, &spent, &match) == OTP_OK);
  expect_match(match, OTP_REPLAYED, 0, 0);
  expect(otp_totp_verify(key, seed_codes[0], 6, INT64_MIN, &whole, NULL, &match) == OTP_OK);
  expect_match(match, OTP_ACCEPTED, 0, 0);
}

static void with_secret(void) {
  otp_match match = marked_match();
#define VERIFY(hash, secret, length, code, time, out) \
  otp_totp_verify_secret(hash, secret, length, code, 6, time, NULL, NULL, out)
  expect_unverified(VERIFY(OTP_SHA1, NULL, 20, code5, 150, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(VERIFY(OTP_SHA1, NULL, 0, code5, 150, &match), OTP_EMPTY_SECRET, match);
  expect_unverified(VERIFY(OTP_SHA1, seed, 0, code5, 150, &match), OTP_EMPTY_SECRET, match);
  expect_unverified(VERIFY(OTP_SHA1, seed, SIZE_MAX, code5, 150, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(VERIFY((otp_hash)0, seed, 20, code5, 150, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(VERIFY((otp_hash)4, seed, 20, code5, 150, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(VERIFY(OTP_SHA1, seed, 20, NULL, 150, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(VERIFY(OTP_SHA1, seed, 20, code5, -1, &match), OTP_TIME_BEFORE_T0, match);
  expect_refused(VERIFY(OTP_SHA1, seed, 20, code5, 150, NULL), OTP_INVALID_ARGUMENT, match);
  match.size--;
  expect_refused(VERIFY(OTP_SHA1, seed, 20, code5, 150, &match), OTP_INVALID_ARGUMENT, match);
}

static void hotp(const otp_key *key) {
  otp_match match = marked_match();
  expect_unverified(otp_hotp_verify(NULL, code5, 6, 5, 6, 0, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(otp_hotp_verify(key, NULL, 6, 5, 6, 0, &match), OTP_INVALID_ARGUMENT, match);
  expect_refused(otp_hotp_verify(key, code5, 6, 5, 6, 0, NULL), OTP_INVALID_ARGUMENT, match);
  expect_unverified(otp_hotp_verify(key, code5, SIZE_MAX, 5, 6, 0, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(otp_hotp_verify(key, code5, 6, 5, 5, 0, &match), OTP_INVALID_DIGITS, match);
  expect_unverified(otp_hotp_verify(key, code5, 6, 5, 9, 0, &match), OTP_INVALID_DIGITS, match);
  expect_unverified(otp_hotp_verify(key, code5, 6, 5, 6, 1001, &match), OTP_INVALID_LOOK_AHEAD, match);
  expect_unverified(otp_hotp_verify(key, code5, 6, 5, 6, UINT32_MAX, &match), OTP_INVALID_LOOK_AHEAD, match);
  expect_unverified(otp_hotp_verify(key, "", 0, 5, 6, 1001, &match), OTP_INVALID_LOOK_AHEAD, match);
  for (unsigned ahead = 0; ahead < 10; ahead++) {
    for (unsigned counter = 0; counter < 10; counter++) {
      const int is_inside = counter <= 5 && 5 <= counter + ahead;
      match = marked_match();
      expect(otp_hotp_verify(key, code5, 6, counter, 6, ahead, &match) == OTP_OK);
      expect_match(match, is_inside ? OTP_ACCEPTED : OTP_REJECTED, is_inside ? 5 : 0, is_inside ? 5 - (int)counter : 0);
    }
  }
  char code[9];
  expect(otp_hotp(key, UINT64_MAX, 8, code) == OTP_OK);
  expect(otp_hotp_verify(key, code, 8, UINT64_MAX - 1000, 8, 1000, &match) == OTP_OK);
  expect_match(match, OTP_ACCEPTED, UINT64_MAX, 1000);
  expect(otp_hotp_verify(key, code, 8, UINT64_MAX, 8, 1000, &match) == OTP_OK);
  expect_match(match, OTP_ACCEPTED, UINT64_MAX, 0);
  expect(otp_hotp_verify(key, code, 8, UINT64_MAX - 1000, 8, 999, &match) == OTP_OK);
  expect_match(match, OTP_REJECTED, 0, 0);
}

static void resynchronize(const otp_key *key) {
  otp_match match = marked_match();
  const char *codes[3] = {seed_codes[4], seed_codes[5], seed_codes[6]};
  const char *without[3] = {seed_codes[4], NULL, seed_codes[6]};
  expect_unverified(otp_hotp_resynchronize(NULL, codes, 2, 0, 6, 9, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(otp_hotp_resynchronize(key, NULL, 2, 0, 6, 9, &match), OTP_INVALID_ARGUMENT, match);
  expect_unverified(otp_hotp_resynchronize(key, without, 2, 0, 6, 9, &match), OTP_INVALID_ARGUMENT, match);
  expect_refused(otp_hotp_resynchronize(key, codes, 2, 0, 6, 9, NULL), OTP_INVALID_ARGUMENT, match);
  static const size_t counts[] = {0, 1, 4, SIZE_MAX};
  for (size_t i = 0; i < 4; i++) {
    expect_unverified(otp_hotp_resynchronize(key, codes, counts[i], 0, 6, 9, &match), OTP_INVALID_ARGUMENT, match);
  }
  expect_unverified(otp_hotp_resynchronize(key, codes, 2, 0, 5, 9, &match), OTP_INVALID_DIGITS, match);
  expect_unverified(otp_hotp_resynchronize(key, codes, 2, 0, 6, 1001, &match), OTP_INVALID_LOOK_AHEAD, match);
  for (size_t count = 2; count <= 3; count++) {
    expect(otp_hotp_resynchronize(key, codes, count, 0, 6, 4, &match) == OTP_OK);
    expect_match(match, OTP_ACCEPTED, 3 + count, 3 + (int)count);
    expect(otp_hotp_resynchronize(key, codes, count, 0, 6, 3, &match) == OTP_OK);
    expect_match(match, OTP_REJECTED, 0, 0);
  }
  const char *wrong[3] = {seed_codes[4], seed_codes[5], seed_codes[5]};
  expect(otp_hotp_resynchronize(key, wrong, 3, 0, 6, 9, &match) == OTP_OK);
  expect_match(match, OTP_REJECTED, 0, 0);
  const char *typed[2] = {seed_codes[4], "254676 "};
  expect(otp_hotp_resynchronize(key, typed, 2, 0, 6, 9, &match) == OTP_OK);
  expect_match(match, OTP_REJECTED, 0, 0);
}

static void typed(void) {
  char code[9];
  memset(code, 0x5A, sizeof code);
  expect_refused(otp_code_read_typed(NULL, 6, 6, code), OTP_INVALID_ARGUMENT, code);
  expect_refused(otp_code_read_typed(code5, 6, 6, NULL), OTP_INVALID_ARGUMENT, code);
  expect_refused(otp_code_read_typed(code5, SIZE_MAX, 6, code), OTP_INVALID_ARGUMENT, code);
  expect_refused(otp_code_read_typed(NULL, 0, 6, code), OTP_MALFORMED_CODE, code);
  static const unsigned digits[] = {0, 5, 9, UINT32_MAX};
  for (size_t i = 0; i < 4; i++) {
    expect_refused(otp_code_read_typed(code5, 6, digits[i], code), OTP_INVALID_DIGITS, code);
    expect_refused(otp_code_read_typed("x", 1, digits[i], code), OTP_INVALID_DIGITS, code);
  }
  static const char *const codes[] = {
      "254676",
      "254 676",
      "254-676",
      "254676\n",
      "\t 2-5 4-6 7-6 \r\n",
      ("\xEF\xBC\x92\xD9\xA5\xF0\x9D\x9F\x92"
       "676")};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    memset(code, 0x5A, sizeof code);
    expect(otp_code_read_typed(codes[i], strlen(codes[i]), 6, code) == OTP_OK && strcmp(code, code5) == 0);
    expect(code[7] == 0x5A && code[8] == 0x5A);
  }
  expect(otp_code_read_typed("0012 3456", 9, 8, code) == OTP_OK && strcmp(code, "00123456") == 0);
  memset(code, 0x5A, sizeof code);
  // No more is read than the given length.
  expect_refused(otp_code_read_typed(code5, 5, 6, code), OTP_MALFORMED_CODE, code);
  expect(otp_code_read_typed("2546767", 6, 6, code) == OTP_OK && strcmp(code, code5) == 0);
  memset(code, 0x5A, sizeof code);
  static const char *const no_codes[] = {
      "",
      " ",
      "25467",
      "2546766",
      "+254676",
      "254\n676",
      "254.676",
      "25467a",
      ("\xC0\xB2"
       "54676"),
      "254676\xEF\xBC",
      "\xFF"};
  for (size_t i = 0; i < sizeof no_codes / sizeof no_codes[0]; i++) {
    expect_refused(otp_code_read_typed(no_codes[i], strlen(no_codes[i]), 6, code), OTP_MALFORMED_CODE, code);
  }
  expect_refused(otp_code_read_typed("254676", 7, 6, code), OTP_MALFORMED_CODE, code);
  // At most 64 characters of a longer text are read, even if the memory ends there.
  char spaces[65];
  memset(spaces, ' ', sizeof spaces);
  expect_refused(otp_code_read_typed(spaces, SIZE_MAX / 512, 6, code), OTP_MALFORMED_CODE, code);
  memcpy(spaces + 58, code5, 6);
  expect(otp_code_read_typed(spaces, 64, 6, code) == OTP_OK && strcmp(code, code5) == 0);
  memset(code, 0x5A, sizeof code);
  expect_refused(otp_code_read_typed(spaces, 65, 6, code), OTP_MALFORMED_CODE, code);
}

int main(void) {
  otp_key *key = seed_key();
  typed();
  totp(key);
  with_secret();
  hotp(key);
  resynchronize(key);
  otp_key_destroy(key);
  return finish("arguments of verification");
}
