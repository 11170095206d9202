#include "fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void complain(const char **wrong, const char *what) {
  if (*wrong == NULL) *wrong = what;
}

/* Whether a list with spaces between holds a name. */
static int is_listed(const char *name, const char *list) {
  const size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at += length) {
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return 1;
  }
  return 0;
}

void only_fields(const json_t *object, const char *required, const char *optional, const char **wrong) {
  const char *name;
  json_t *value;
  size_t found = 0, wanted = *required != '\0';
  if (!json_is_object(object)) complain(wrong, "not an object");
  json_object_foreach((json_t *)object, name, value) {
    if (is_listed(name, required)) {
      found++;
    } else if (!is_listed(name, optional)) {
      complain(wrong, "an unknown field");
    }
  }
  for (const char *at = required; *at != '\0'; at++) wanted += *at == ' ';
  if (found != wanted) complain(wrong, "a field is missing");
}

uint64_t field_uint64(const json_t *object, const char *name, const char **wrong) {
  const char *text = json_string_value(json_object_get(object, name));
  uint64_t value = 0;
  char again[24];
  int end = 0;
  /* Written anew it must be the same: no sign, no space, no leading zero, no overflow. */
  if (text != NULL && sscanf(text, "%" SCNu64 "%n", &value, &end) == 1 && text[end] == '\0') {
    snprintf(again, sizeof again, "%" PRIu64, value);
    if (strcmp(again, text) == 0) return value;
  }
  complain(wrong, "not a number from 0 to 2^64-1");
  return 0;
}

int64_t field_int64(const json_t *object, const char *name, const char **wrong) {
  const char *text = json_string_value(json_object_get(object, name));
  int64_t value = 0;
  char again[24];
  int end = 0;
  if (text != NULL && sscanf(text, "%" SCNd64 "%n", &value, &end) == 1 && text[end] == '\0') {
    snprintf(again, sizeof again, "%" PRId64, value);
    if (strcmp(again, text) == 0) return value;
  }
  complain(wrong, "not a number from -2^63 to 2^63-1");
  return 0;
}

int64_t field_integer(const json_t *object, const char *name, int64_t least, int64_t most, const char **wrong) {
  const json_t *field = json_object_get(object, name);
  const int64_t value = json_integer_value(field);
  if (json_is_integer(field) && value >= least && value <= most) return value;
  complain(wrong, "not an integer of its range");
  return 0;
}

const char *field_text(const json_t *object, const char *name, size_t *length, const char **wrong) {
  const json_t *field = json_object_get(object, name);
  *length = json_string_length(field);
  if (!json_is_string(field) && !json_is_null(field)) complain(wrong, "not a text");
  return json_string_value(field);
}

static int hexadecimal(char digit) {
  static const char digits[] = "0123456789abcdef";
  const char *place = digit == '\0' ? NULL : strchr(digits, digit);
  return place == NULL ? -1 : (int)(place - digits);
}

size_t field_bytes(const json_t *object, const char *name, uint8_t *out, size_t room, const char **wrong) {
  size_t length, count = 0;
  const char *text = field_text(object, name, &length, wrong);
  if (text == NULL || length % 2 != 0 || length / 2 > room) {
    complain(wrong, "not bytes, or too many");
    return 0;
  }
  for (; count < length / 2; count++) {
    const int high = hexadecimal(text[2 * count]), low = hexadecimal(text[2 * count + 1]);
    if (high < 0 || low < 0) complain(wrong, "not hexadecimal");
    out[count] = (uint8_t)((high << 4 | low) & 0xFF);
  }
  return count;
}

otp_hash field_hash(const json_t *object, const char **wrong) {
  const char *name = json_string_value(json_object_get(object, "algorithm"));
  if (name != NULL && strcmp(name, "SHA1") == 0) return OTP_SHA1;
  if (name != NULL && strcmp(name, "SHA256") == 0) return OTP_SHA256;
  if (name != NULL && strcmp(name, "SHA512") == 0) return OTP_SHA512;
  complain(wrong, "an unknown algorithm");
  return OTP_SHA1;
}

int64_t field_period(const json_t *object, const char **wrong) {
  const int64_t period = field_int64(object, "period", wrong);
  if (period < 1) complain(wrong, "not a period");
  return period;
}

const char *field_answer(const json_t *test, const char **wrong) {
  const char *result = json_string_value(json_object_get(test, "result"));
  const json_t *ours = json_object_get(test, "ours");
  const int is_open = result != NULL && strcmp(result, "acceptable") == 0;
  if (is_open != (ours != NULL)) complain(wrong, "ours goes with acceptable");
  return is_open ? json_string_value(ours) : result;
}

int field_is_valid(const json_t *object, const char **wrong) {
  const char *result = field_answer(object, wrong);
  if (result != NULL && strcmp(result, "valid") == 0) return 1;
  if (result == NULL || strcmp(result, "invalid") != 0) complain(wrong, "an unknown result");
  return 0;
}
