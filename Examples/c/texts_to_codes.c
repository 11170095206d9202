#include <string.h>

#include "fields.h"
#include "tests.h"

/* Compares the result for a text, a code or an error, with the expected one. */
static const char *check(const json_t *test, int is_valid, otp_status status, const char *code) {
  const char *wrong = NULL;
  size_t length;
  if (!is_valid) return status == OTP_OK ? "an invalid text gave a code" : NULL;
  const char *expected = field_text(test, "code", &length, &wrong);
  if (wrong != NULL || expected == NULL) return "no code";
  if (status != OTP_OK) return "a valid text was refused";
  return strcmp(code, expected) == 0 ? NULL : "another code";
}

const char *test_base32_code(const json_t *group, const json_t *test) {
  const char *wrong = NULL;
  size_t length;
  only_fields(group, "id type reference needs algorithm digits tests", "comment", &wrong);
  const int is_valid = field_is_valid(test, &wrong);
  only_fields(
      test, is_valid ? "id flags text counter code result" : "id flags text counter result", "comment needs ours",
      &wrong);
  const unsigned digits = (unsigned)field_integer(group, "digits", 6, 8, &wrong);
  const otp_hash hash = field_hash(group, &wrong);
  const uint64_t counter = field_uint64(test, "counter", &wrong);
  const char *text = field_text(test, "text", &length, &wrong);
  if (wrong != NULL || text == NULL) return wrong != NULL ? wrong : "no text";

  char code[9];
  otp_key *key = NULL;
  otp_status status = otp_key_create_base32(hash, text, length, &key);
  if (status == OTP_OK) status = otp_hotp(key, counter, digits, code);
  otp_key_destroy(key);
  return check(test, is_valid, status, code);
}

const char *test_uri_code(const json_t *group, const json_t *test) {
  const char *wrong = NULL;
  size_t length;
  only_fields(group, "id type reference needs tests", "comment", &wrong);
  const int is_valid = field_is_valid(test, &wrong);
  only_fields(
      test, is_valid ? "id flags uri time code result" : "id flags uri time result", "comment needs ours", &wrong);
  const int is_timed = !json_is_null(json_object_get(test, "time"));
  const int64_t time = is_timed ? field_int64(test, "time", &wrong) : 0;
  const char *text = field_text(test, "uri", &length, &wrong);
  if (wrong != NULL || text == NULL) return wrong != NULL ? wrong : "no URI";

  char code[9], memory[OTP_URI_MEMORY];
  otp_uri uri = OTP_URI_INIT;
  otp_key *key = NULL;
  otp_status status = otp_uri_parse(text, length, 0, &uri, memory, sizeof memory, NULL);
  if (status == OTP_OK) status = otp_key_create(uri.hash, uri.secret, uri.secret_len, &key);
  if (status == OTP_OK) {
    const otp_totp_params params = {sizeof params, uri.digits, uri.period, 0};
    status = uri.type == OTP_HOTP ? otp_hotp(key, uri.counter, uri.digits, code) : otp_totp(key, time, &params, code);
  }
  otp_key_destroy(key);
  return check(test, is_valid, status, code);
}
