#include <string.h>

#include "fields.h"
#include "tests.h"

enum { BYTES_ROOM = 4096, TEXT_ROOM = 8192 };

const char *test_base32(const json_t *group, const json_t *test) {
  const char *wrong = NULL;
  only_fields(group, "id type reference needs decoder tests", "comment", &wrong);
  const int is_valid = field_is_valid(test, &wrong);
  only_fields(
      test, is_valid ? "id flags text result hex canonical" : "id flags text result", "comment needs ours", &wrong);
  size_t text_len, canonical_len = 0, found_len = BYTES_ROOM;
  const char *text = field_text(test, "text", &text_len, &wrong);
  if (wrong != NULL || text == NULL) return wrong != NULL ? wrong : "no text";

  uint8_t found[BYTES_ROOM], expected[BYTES_ROOM];
  const char *decoder = json_string_value(json_object_get(group, "decoder"));
  const int is_strict = decoder != NULL && strcmp(decoder, "strict") == 0;
  if (!is_strict && (decoder == NULL || strcmp(decoder, "lenient") != 0)) return "an unknown decoder";
  const unsigned flags = is_strict ? OTP_BASE32_STRICT : 0;
  const otp_status status = otp_base32_decode(text, text_len, flags, found, &found_len, NULL);
  if (!is_valid) {
    return status == OTP_INVALID_BASE32_CHARACTER || status == OTP_INVALID_BASE32_LENGTH
            || status == OTP_INVALID_BASE32_PADDING || status == OTP_NON_ZERO_BASE32_TRAILING_BITS
        ? NULL
        : "an invalid text was read";
  }
  const size_t expected_len = field_bytes(test, "hex", expected, sizeof expected, &wrong);
  const char *canonical = field_text(test, "canonical", &canonical_len, &wrong);
  if (wrong != NULL || canonical == NULL) return wrong != NULL ? wrong : "no canonical text";
  if (status != OTP_OK || found_len != expected_len || memcmp(found, expected, expected_len) != 0) return "other bytes";

  char written[TEXT_ROOM];
  size_t written_len = sizeof written;
  if (otp_base32_encode(expected, expected_len, 0, written, &written_len) != OTP_OK || written_len != canonical_len
      || memcmp(written, canonical, canonical_len + 1) != 0) {
    return "another text";
  }
  return NULL;
}

/* Whether two texts, which may be NULL, are the same bytes. */
static int is_same(const char *left, size_t left_len, const char *right, size_t right_len) {
  if (left == NULL || right == NULL) return left == right;
  return left_len == right_len && memcmp(left, right, left_len) == 0;
}

static otp_type field_type(const json_t *object, const char **wrong) {
  const char *type = json_string_value(json_object_get(object, "type"));
  if (type != NULL && strcmp(type, "hotp") == 0) return OTP_HOTP;
  if (type == NULL || strcmp(type, "totp") != 0) *wrong = "an unknown type of key";
  return OTP_TOTP;
}

/* Compares the fields that `expect` names. */
static const char *compare(const otp_uri *found, const json_t *expect) {
  const char *wrong = NULL, *name;
  json_t *value;
  uint8_t secret[BYTES_ROOM];
  json_object_foreach((json_t *)expect, name, value) {
    size_t length = 0;
    int is_right;
    if (strcmp(name, "type") == 0) {
      is_right = found->type == field_type(expect, &wrong);
    } else if (strcmp(name, "algorithm") == 0) {
      is_right = found->hash == field_hash(expect, &wrong);
    } else if (strcmp(name, "digits") == 0) {
      is_right = found->digits == field_integer(expect, name, 6, 8, &wrong);
    } else if (strcmp(name, "period") == 0) {
      is_right = found->type == OTP_TOTP && found->period == field_period(expect, &wrong);
    } else if (strcmp(name, "counter") == 0) {
      is_right = found->type == OTP_HOTP && found->counter == field_uint64(expect, name, &wrong);
    } else if (strcmp(name, "secretHex") == 0) {
      length = field_bytes(expect, name, secret, sizeof secret, &wrong);
      is_right = length == found->secret_len && memcmp(secret, found->secret, length) == 0;
    } else {
      const char *text = field_text(expect, name, &length, &wrong);
      if (strcmp(name, "account") == 0) {
        is_right = is_same(text, length, found->account, found->account_len);
      } else if (strcmp(name, "issuer") == 0) {
        is_right = is_same(text, length, found->issuer, found->issuer_len);
      } else if (strcmp(name, "labelIssuer") == 0) {
        is_right = is_same(text, length, found->label_issuer, found->label_issuer_len);
      } else {
        return "an unknown field of the key";
      }
    }
    if (wrong != NULL) return wrong;
    if (!is_right) return "another key";
  }
  return NULL;
}

const char *test_uri_parse(const json_t *group, const json_t *test) {
  const char *wrong = NULL;
  only_fields(group, "id type reference needs tests", "comment", &wrong);
  const int is_valid = field_is_valid(test, &wrong);
  only_fields(test, is_valid ? "id flags uri result expect" : "id flags uri result", "comment needs ours", &wrong);
  size_t length;
  const char *text = field_text(test, "uri", &length, &wrong);
  if (wrong != NULL || text == NULL) return wrong != NULL ? wrong : "no URI";

  otp_uri uri = OTP_URI_INIT;
  otp_error_info error = OTP_ERROR_INFO_INIT;
  char memory[OTP_URI_MEMORY];
  const otp_status status = otp_uri_parse(text, length, 0, &uri, memory, sizeof memory, &error);
  if (is_valid) return status == OTP_OK ? compare(&uri, json_object_get(test, "expect")) : "a valid URI was refused";
  if (status == OTP_OK) return "an invalid URI was read";
  if (status == OTP_INVALID_ARGUMENT || status == OTP_OUTPUT_TOO_SHORT) return "refused for another reason";
  return error.position == SIZE_MAX || error.position <= length ? NULL : "a position outside the text";
}

/* Writes a key, compares the text if the test has one, and reads it back. */
static const char *write_uri(const json_t *group, const json_t *test, int is_round_trip) {
  const char *wrong = NULL;
  only_fields(group, "id type reference needs tests", "comment", &wrong);
  only_fields(test, is_round_trip ? "id flags key" : "id flags key uri", "comment needs", &wrong);
  const json_t *key = json_object_get(test, "key");
  uint8_t secret[BYTES_ROOM];
  otp_uri uri = OTP_URI_INIT;
  uri.type = field_type(key, &wrong);
  const int is_totp = uri.type == OTP_TOTP;
  only_fields(
      key,
      is_totp ? "type issuer account secretHex algorithm digits period"
              : "type issuer account secretHex algorithm digits counter",
      "", &wrong);
  uri.hash = field_hash(key, &wrong);
  uri.digits = (unsigned)field_integer(key, "digits", 6, 8, &wrong);
  if (is_totp) uri.period = field_period(key, &wrong);
  if (!is_totp) uri.counter = field_uint64(key, "counter", &wrong);
  uri.secret = secret;
  uri.secret_len = field_bytes(key, "secretHex", secret, sizeof secret, &wrong);
  uri.account = field_text(key, "account", &uri.account_len, &wrong);
  uri.issuer = field_text(key, "issuer", &uri.issuer_len, &wrong);
  if (wrong != NULL) return wrong;

  size_t length = OTP_URI_MAX + 1;
  char text[OTP_URI_MAX + 1];
  if (otp_uri_build(&uri, 0, text, &length, NULL) != OTP_OK) return "no URI was written";
  if (!is_round_trip) {
    size_t expected_len;
    const char *expected = field_text(test, "uri", &expected_len, &wrong);
    if (wrong != NULL || expected == NULL) return "no URI";
    if (length != expected_len || memcmp(text, expected, length + 1) != 0) return "another URI";
  }
  otp_uri again = OTP_URI_INIT;
  char memory[OTP_URI_MEMORY];
  if (otp_uri_parse(text, length, 0, &again, memory, sizeof memory, NULL) != OTP_OK) return "its own URI was refused";
  return compare(&again, key);
}

const char *test_uri_build(const json_t *group, const json_t *test) { return write_uri(group, test, 0); }

const char *test_uri_round_trip(const json_t *group, const json_t *test) { return write_uri(group, test, 1); }
