// The fuzzer of libotp's C API: the first byte selects the call, the next ones are its numbers, and the rest is its
// text. A broken rule of otp.h aborts; Address and Undefined Behavior Sanitizer check memory.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otp.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define REQUIRE(rule)                                         \
  do {                                                        \
    if (!(rule)) {                                            \
      fprintf(stderr, "broken at %d: %s\n", __LINE__, #rule); \
      abort();                                                \
    }                                                         \
  } while (0)

/// The rest of the input.
typedef struct input {
  const uint8_t *at;
  size_t left;
} input;

static uint64_t take(input *in, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count && in->left > 0; i++, in->left--) value = value << 8 | *in->at++;
  return value;
}

/// A copy in memory of exactly its size, so that a read past its end is reported. The caller frees it.
static char *copy(const void *bytes, size_t size) {
  char *text = malloc(size);
  if (size > 0) memcpy(text, bytes, size);
  return text;
}

/// Aborts unless a match is one that otp.h allows.
static int is_match(const otp_match *match) {
  if (match->size != sizeof *match || match->result < OTP_REJECTED || match->result > OTP_REPLAYED) return 0;
  if (match->result != OTP_ACCEPTED) return match->step == 0 && match->offset == 0;
  return match->status == OTP_OK && match->offset >= -10 && match->offset <= 1002;
}

static void fuzz_base32(input *in) {
  const unsigned flags = (unsigned)take(in, 1) & 3;
  char *text = copy(in->at, in->left);
  size_t length = 0;
  otp_error_info info = OTP_ERROR_INFO_INIT;
  const otp_status asked = otp_base32_decode(text, in->left, flags, NULL, &length, &info);
  REQUIRE(info.position == SIZE_MAX || info.position < in->left);
  if (asked == OTP_OUTPUT_TOO_SHORT) {
    uint8_t *decoded = malloc(length), *again = malloc(length);
    size_t told = length, text_len = 0, again_len = length;
    REQUIRE(otp_base32_decode(text, in->left, flags, decoded, &told, NULL) == OTP_OK && told == length);
    REQUIRE(otp_base32_encode(decoded, length, 0, NULL, &text_len) == OTP_OUTPUT_TOO_SHORT);
    char *encoded = malloc(++text_len);
    REQUIRE(otp_base32_encode(decoded, length, 0, encoded, &text_len) == OTP_OK && strlen(encoded) == text_len);
    REQUIRE(otp_base32_decode(encoded, text_len, 0, again, &again_len, NULL) == OTP_OK && again_len == length);
    REQUIRE(memcmp(again, decoded, length) == 0);
    otp_key *key = NULL;
    if (flags == 0) REQUIRE(otp_key_create_base32(OTP_SHA1, text, in->left, &key) == OTP_OK);
    otp_key_destroy(key);
    free(decoded);
    free(again);
    free(encoded);
  } else {
    REQUIRE(asked != OTP_OK || length == 0);
    REQUIRE((asked == OTP_INVALID_ARGUMENT) == ((flags & ~OTP_BASE32_STRICT) != 0));
  }
  free(text);
}

static int is_same(const char *left, size_t left_len, const char *right, size_t right_len) {
  return (left == NULL) == (right == NULL) && left_len == right_len
      && (left_len == 0 || memcmp(left, right, left_len) == 0);
}

static void fuzz_uri(input *in) {
  const unsigned flags = (unsigned)take(in, 1) & 31;
  char *text = copy(in->at, in->left);
  unsigned char memory[OTP_URI_MEMORY], again_memory[OTP_URI_MEMORY];
  otp_uri uri = OTP_URI_INIT, again = OTP_URI_INIT;
  otp_error_info info = OTP_ERROR_INFO_INIT;
  const otp_status status = otp_uri_parse(text, in->left, flags, &uri, memory, sizeof memory, &info);
  REQUIRE(status != OTP_OUTPUT_TOO_SHORT);
  REQUIRE(info.position == SIZE_MAX || info.position < in->left || in->left == 0);
  if (status == OTP_OK) {
    REQUIRE(uri.secret_len > 0 && uri.account_len > 0 && uri.digits >= 6 && uri.digits <= 8);
    REQUIRE(uri.type == OTP_TOTP ? uri.period >= 1 : uri.type == OTP_HOTP);
    REQUIRE(uri.account[uri.account_len] == '\0' && (uri.issuer == NULL || uri.issuer[uri.issuer_len] == '\0'));
    // Memory of exactly the right size is enough, and one byte less is not.
    size_t needed = uri.secret_len + uri.account_len + 2;
    if (uri.issuer != NULL) needed += uri.issuer_len + 1;
    if (uri.label_issuer != NULL) needed += uri.label_issuer_len + 1;
    unsigned char *exact = malloc(needed);
    REQUIRE(otp_uri_parse(text, in->left, flags, &again, exact, needed, NULL) == OTP_OK);
    REQUIRE(otp_uri_parse(text, in->left, flags, &again, exact, needed - 1, NULL) == OTP_OUTPUT_TOO_SHORT);
    free(exact);
    // A URI whose issuer has no colon is written and read back the same.
    char written[OTP_URI_MAX + 1];
    size_t length = sizeof written;
    const otp_status built = otp_uri_build(&uri, 0, written, &length, NULL);
    REQUIRE(built == OTP_OK || built == OTP_INVALID_ISSUER || built == OTP_URI_TOO_LONG);
    if (built == OTP_OK) {
      REQUIRE(strlen(written) == length);
      REQUIRE(otp_uri_parse(written, length, 0, &again, again_memory, sizeof again_memory, NULL) == OTP_OK);
      REQUIRE(again.type == uri.type && again.hash == uri.hash && again.digits == uri.digits);
      REQUIRE(uri.type == OTP_TOTP ? again.period == uri.period : again.counter == uri.counter);
      REQUIRE(again.secret_len == uri.secret_len && memcmp(again.secret, uri.secret, uri.secret_len) == 0);
      REQUIRE(is_same(again.account, again.account_len, uri.account, uri.account_len));
      REQUIRE(is_same(again.issuer, again.issuer_len, uri.issuer, uri.issuer_len));
    }
  }
  free(text);
}

static void fuzz_build(input *in) {
  otp_uri uri = OTP_URI_INIT;
  uri.type = (otp_type)(take(in, 1) & 3);
  uri.hash = (otp_hash)(take(in, 1) & 3);
  uri.digits = (unsigned)take(in, 1) & 15;
  uri.period = (int64_t)take(in, 8);
  uri.counter = (uint64_t)uri.period;
  const size_t secret = take(in, 1), issuer = take(in, 1);
  uri.secret_len = secret < in->left ? secret : in->left;
  uri.secret = in->at;
  const char *rest = (const char *)in->at + uri.secret_len;
  size_t left = in->left - uri.secret_len;
  uri.issuer = rest;
  uri.issuer_len = issuer < left ? issuer : left;
  uri.account = rest + uri.issuer_len;
  uri.account_len = left - uri.issuer_len;
  size_t length = 0;
  otp_error_info info = OTP_ERROR_INFO_INIT;
  if (otp_uri_build(&uri, OTP_URI_WRITE_DEFAULTS, NULL, &length, &info) != OTP_OUTPUT_TOO_SHORT) return;
  char *text = malloc(++length);
  REQUIRE(length <= OTP_URI_MAX + 1);
  REQUIRE(otp_uri_build(&uri, OTP_URI_WRITE_DEFAULTS, text, &length, &info) == OTP_OK && strlen(text) == length);
  // A written URI is read back the same.
  unsigned char memory[OTP_URI_MEMORY];
  otp_uri again = OTP_URI_INIT;
  REQUIRE(otp_uri_parse(text, length, 0, &again, memory, sizeof memory, &info) == OTP_OK);
  REQUIRE(is_same(again.account, again.account_len, uri.account, uri.account_len));
  REQUIRE(is_same(again.issuer, again.issuer_len, uri.issuer_len == 0 ? NULL : uri.issuer, uri.issuer_len));
  free(text);
}

/// Verifies the input's request in every possible way: all outcomes must be the same.
static void fuzz_verify(input *in) {
  const otp_hash hash = (otp_hash)(take(in, 1) & 3);
  const size_t secret_len = take(in, 1);
  otp_totp_params params = {take(in, 1) == 7 ? 9 : sizeof params, (unsigned)take(in, 1) % 10, 30, 0};
  params.period = (int64_t)take(in, 4) - 2;
  params.t0 = (int64_t)take(in, 8);
  otp_window window = {sizeof window, (unsigned)take(in, 1) % 12, (unsigned)take(in, 1) % 12, take(in, 1) & 1, 0};
  window.after = take(in, 8);
  const int64_t time = (int64_t)take(in, 8);
  const uint64_t counter = (uint64_t)time;
  const unsigned look_ahead = (unsigned)take(in, 2) % 1100, digits = params.digits;
  const int is_known = take(in, 1) & 1;
  char *secret = malloc(secret_len);
  for (size_t i = 0; i < secret_len; i++) secret[i] = (char)(i + in->left);

  otp_key *key = NULL;
  const otp_status created = otp_key_create(hash, (const uint8_t *)secret, secret_len, &key);
  REQUIRE((created == OTP_OK) == (key != NULL));
  char right[9] = "";
  // The right code, or the input's text.
  const int has_right = is_known && key != NULL && otp_totp(key, time, &params, right) == OTP_OK;
  const size_t code_len = has_right ? strlen(right) : in->left;
  char *code = has_right ? copy(right, code_len) : copy(in->at, in->left);

  otp_match alone = OTP_MATCH_INIT, cold = OTP_MATCH_INIT, ahead = OTP_MATCH_INIT;
  const otp_status status = otp_totp_verify(key, code, code_len, time, &params, &window, &alone);
  const otp_status cold_status =
      otp_totp_verify_secret(hash, (const uint8_t *)secret, secret_len, code, code_len, time, &params, &window, &cold);
  const otp_status ahead_status = otp_hotp_verify(key, code, code_len, counter, digits, look_ahead, &ahead);
  REQUIRE(is_match(&alone) && is_match(&cold) && is_match(&ahead));
  if (key != NULL) {
    REQUIRE(status == cold_status && memcmp(&alone, &cold, sizeof alone) == 0);
    if (has_right && status == OTP_OK) REQUIRE(alone.result != OTP_REJECTED);
    if (alone.result == OTP_ACCEPTED) REQUIRE(!window.has_after || alone.step > window.after);
    // The code at the accepted step is the typed one.
    char expected[9];
    if (alone.result == OTP_ACCEPTED) {
      REQUIRE(otp_hotp(key, alone.step, digits, expected) == OTP_OK && memcmp(expected, code, code_len) == 0);
    }
  } else {
    REQUIRE(status == OTP_INVALID_ARGUMENT && ahead_status == OTP_INVALID_ARGUMENT && cold_status != OTP_OK);
  }

  otp_request requests[3];
  otp_match results[3];
  memset(requests, 0, sizeof requests);
  memset(results, 0xA5, sizeof results);
  results[0].size = sizeof results[0];
  for (size_t i = 0; i < 3; i++) {
    requests[i] = (otp_request){
        sizeof requests[i], i == 1 ? OTP_HOTP : OTP_TOTP, key, code, code_len, time, &params, &window, counter, digits,
        look_ahead};
  }
  REQUIRE(otp_verify_batch(requests, 3, results) == OTP_OK);
  for (size_t i = 0; i < 3; i++) {
    const otp_match *same = i == 1 ? &ahead : &alone;
    REQUIRE(is_match(&results[i]) && results[i].status == (i == 1 ? ahead_status : status));
    REQUIRE(results[i].result == same->result && results[i].step == same->step && results[i].offset == same->offset);
  }
  otp_key_destroy(key);
  free(secret);
  free(code);
}

/// Submits a text to a record that is the input's bytes, not sealed, and reads back what comes of it.
static void fuzz_record(input *in) {
  const otp_record_policy policy = {
      sizeof policy,
      (unsigned)take(in, 1) % 11,
      (unsigned)take(in, 1) % 11,
      100,
      10,
      10,
      1 + (unsigned)take(in, 1) % 100,
      (int64_t)take(in, 2),
      4,
      1};
  // From 2000 to 2199: no other time is looked at.
  const int64_t now = 946684800 + (int64_t)(take(in, 8) % 6311433600);
  size_t typed_len = take(in, 1);
  if (typed_len > in->left) typed_len = in->left;
  char *typed = copy(in->at, typed_len), *record = copy(in->at + typed_len, in->left - typed_len);
  const size_t record_len = in->left - typed_len;
  otp_keyring *keyring = NULL;
  REQUIRE(otp_keyring_create_unsealed(&keyring) == OTP_OK);
  uint8_t next[OTP_RECORD_MAX], again[OTP_RECORD_MAX];
  size_t next_len = sizeof next, again_len = sizeof again;
  otp_answer answer = OTP_ANSWER_INIT, refused = OTP_ANSWER_INIT;
  otp_record_details before = {.size = sizeof before}, after = {.size = sizeof after};
  const otp_status read = otp_record_info(keyring, "user", 4, (const uint8_t *)record, record_len, &before);
  const otp_status status = otp_record_verify(
      keyring, "user", 4, (const uint8_t *)record, record_len, typed, typed_len, now, &policy, next, &next_len,
      &answer);
  REQUIRE(status == read && answer.status == status);
  REQUIRE(status == OTP_OK || answer.kind == OTP_ANSWER_REJECTED);
  if (status == OTP_OK) {
    REQUIRE(answer.changed == (next_len != record_len || memcmp(next, record, next_len) != 0));
    REQUIRE(otp_record_info(keyring, "user", 4, next, next_len, &after) == OTP_OK);
    REQUIRE(after.kind == before.kind && after.is_pending == before.is_pending);
    REQUIRE(answer.kind == OTP_ANSWER_ACCEPTED || after.acceptances == before.acceptances);
    // What was accepted once is not accepted again.
    if (answer.kind == OTP_ANSWER_ACCEPTED) {
      REQUIRE(
          otp_record_verify(
              keyring, "user", 4, next, next_len, typed, typed_len, now, &policy, again, &again_len, &refused)
          == OTP_OK);
      REQUIRE(refused.kind != OTP_ANSWER_ACCEPTED || refused.step > answer.step || after.kind != OTP_RECORD_TOTP);
    }
  }
  otp_keyring_destroy(keyring);
  free(typed);
  free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input in = {bytes, size};
  const unsigned call = (unsigned)take(&in, 1);
  if (call & 4) {
    fuzz_record(&in);
    return 0;
  }
  switch (call & 3) {
    case 0: fuzz_base32(&in); break;
    case 1: fuzz_uri(&in); break;
    case 2: fuzz_build(&in); break;
    default: fuzz_verify(&in); break;
  }
  return 0;
}
