#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "tests.h"

enum { SECRET_ROOM = 1024 };

/* The key of a group. */
static otp_key *group_key(const json_t *group, const char **wrong) {
  uint8_t secret[SECRET_ROOM];
  otp_key *key = NULL;
  const otp_hash hash = field_hash(group, wrong);
  const size_t length = field_bytes(group, "secretHex", secret, sizeof secret, wrong);
  if (*wrong == NULL && otp_key_create(hash, secret, length, &key) != OTP_OK) *wrong = "no key";
  return key;
}

static const char *check_hotp(const otp_key *key, uint64_t counter, unsigned digits, const json_t *test) {
  const char *wrong = NULL;
  size_t length;
  const char *expected = field_text(test, "code", &length, &wrong);
  char code[9], eight[24];
  if (wrong != NULL || expected == NULL) return "no code";
  if (otp_hotp(key, counter, digits, code) != OTP_OK || length != digits || strcmp(code, expected) != 0) {
    return "another code";
  }
  /* The library does not return the 31 bits, but it does return their last eight digits. */
  if (json_object_get(test, "truncated") != NULL) {
    const int64_t truncated = field_integer(test, "truncated", 0, INT32_MAX, &wrong);
    snprintf(eight, sizeof eight, "%08ld", (long)(truncated % 100000000));
    if (otp_hotp(key, counter, 8, code) != OTP_OK || strcmp(code, eight) != 0) return "a different truncated value";
  }
  return wrong;
}

const char *test_hotp(const json_t *group, const json_t *test) {
  const char *wrong = NULL;
  only_fields(group, "id type reference needs algorithm digits secretHex tests", "comment", &wrong);
  only_fields(test, "id flags counter code", "comment needs hmacHex truncated", &wrong);
  const unsigned digits = (unsigned)field_integer(group, "digits", 6, 8, &wrong);
  const uint64_t counter = field_uint64(test, "counter", &wrong);
  otp_key *key = group_key(group, &wrong);
  if (wrong == NULL) wrong = check_hotp(key, counter, digits, test);
  otp_key_destroy(key);
  return wrong;
}

const char *test_totp(const json_t *group, const json_t *test) {
  const char *wrong = NULL;
  size_t length;
  only_fields(group, "id type reference needs algorithm digits period t0 secretHex tests", "comment", &wrong);
  only_fields(test, "id flags time step code", "comment needs", &wrong);
  otp_totp_params params = OTP_TOTP_PARAMS_INIT;
  params.digits = (unsigned)field_integer(group, "digits", 6, 8, &wrong);
  params.period = field_period(group, &wrong);
  params.t0 = field_int64(group, "t0", &wrong);
  const int64_t time = field_int64(test, "time", &wrong);
  const uint64_t step = field_uint64(test, "step", &wrong);
  const char *expected = field_text(test, "code", &length, &wrong);

  otp_key *key = group_key(group, &wrong);
  if (wrong == NULL && expected != NULL) {
    char code[9];
    otp_window now = OTP_WINDOW_INIT;
    now.behind = now.ahead = 0;
    otp_match match = OTP_MATCH_INIT;
    if (otp_totp(key, time, &params, code) != OTP_OK || length != params.digits || strcmp(code, expected) != 0) {
      wrong = "another code";
    } else if (otp_hotp(key, step, params.digits, code) != OTP_OK || strcmp(code, expected) != 0) {
      wrong = "a different code at the step";
    } else if (
        otp_totp_verify(key, expected, length, time, &params, &now, &match) != OTP_OK || match.result != OTP_ACCEPTED
        || match.step != step || match.offset != 0) {
      wrong = "another step";
    }
  } else if (wrong == NULL) {
    wrong = "no code";
  }
  otp_key_destroy(key);
  return wrong;
}
