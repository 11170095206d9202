// Makes, uses and destroys keys 10,000 times and records 1,000 times, errors included, and compares the heap in use
// before and after. Built with Address Sanitizer, it also reports leaks at the end.

#define _GNU_SOURCE
#include <malloc.h>

#include "check.h"

static void use(unsigned round) {
  uint8_t secret[64];
  size_t length = sizeof secret, text_len = 0;
  char code[9], text[OTP_URI_MAX + 1], memory[OTP_URI_MEMORY];
  otp_match match = OTP_MATCH_INIT;
  otp_key *key = NULL, *typed = NULL, *none = NULL;
  const otp_hash hash = (otp_hash)(OTP_SHA1 + round % 3);
  const otp_backend backend = (otp_backend)(round / 3 % 4);
  expect(otp_secret_generate(hash, secret, &length) == OTP_OK);
  expect(otp_key_create_with_backend(backend, hash, secret, length, &key) == OTP_OK);
  expect(otp_totp(key, round, NULL, code) == OTP_OK);
  expect(otp_totp_verify(key, code, 6, round, NULL, NULL, &match) == OTP_OK && match.result == OTP_ACCEPTED);
  otp_request request = {
      .size = sizeof request, .type = OTP_TOTP, .key = key, .code = code, .code_len = 6, .unix_time = round};
  expect(otp_verify_batch(&request, 1, &match) == OTP_OK && match.result == OTP_ACCEPTED);

  text_len = sizeof text;
  expect(otp_base32_encode(secret, length, 0, text, &text_len) == OTP_OK);
  expect(otp_key_create_base32(hash, text, text_len, &typed) == OTP_OK);
  expect(otp_hotp_verify(typed, code, 6, round / 30, 6, 3, &match) == OTP_OK && match.result == OTP_ACCEPTED);
  otp_uri uri = OTP_URI_INIT, read = OTP_URI_INIT;
  uri.hash = hash;
  uri.secret = secret;
  uri.secret_len = length;
  uri.account = "someone";
  uri.account_len = 7;
  text_len = sizeof text;
  expect(otp_uri_build(&uri, 0, text, &text_len, NULL) == OTP_OK);
  expect(otp_uri_parse(text, text_len, 0, &read, memory, sizeof memory, NULL) == OTP_OK);
  expect(read.secret_len == length && memcmp(read.secret, secret, length) == 0);

  // If a call fails, there is nothing to release.
  expect(otp_key_create(hash, secret, 0, &none) == OTP_EMPTY_SECRET);
  expect(otp_key_create_base32(hash, "GEZ1", 4, &none) == OTP_INVALID_BASE32_CHARACTER);
  expect(otp_uri_parse(text, text_len - 1, 0, &read, memory, 3, NULL) != OTP_OK);
  expect(otp_uri_parse("otpauth://totp/a?secret=GEZ!", 28, 0, &read, memory, sizeof memory, NULL) != OTP_OK);
  uri.account = "\xFF";
  uri.account_len = 1;
  expect(otp_uri_build(&uri, 0, text, &text_len, NULL) == OTP_INVALID_UTF8);
  otp_key_destroy(key);
  otp_key_destroy(typed);
}

/// A factor's life, and calls that fail.
static void use_record(void) {
  uint8_t record[OTP_RECORD_MAX];
  size_t len = sizeof record;
  char uri[OTP_URI_MAX + 1], codes[OTP_RECOVERY_CODE_LENGTH + 1];
  size_t uri_len = sizeof uri;
  const char *const both[2] = {"000000", "000001"};
  otp_named_key key = {sizeof key, "key", 3, (const uint8_t *)"0123456789abcdef0123456789abcdef", 32};
  otp_answer answer = OTP_ANSWER_INIT;
  otp_diagnosis diagnosis = OTP_DIAGNOSIS_INIT;
  otp_record_details details = {.size = sizeof details};
  otp_keyring *keyring = NULL, *none = NULL;
  expect(otp_keyring_create(&key, 1, &keyring) == OTP_OK);
#define OF keyring, "user 42", 7
#define NOW 1700000000
#define HELD record, len
#define NEXT (len = sizeof record, record), &len
  expect(otp_record_enroll(OF, NULL, NULL, 0, NOW, NEXT) == OTP_OK);
  expect(otp_record_uri(OF, HELD, "A", 1, "b", 1, uri, &uri_len) == OTP_OK);
  size_t old = len;
  expect(otp_record_confirm(OF, record, old, "000000", 6, NOW, NULL, NEXT, &answer) == OTP_OK);
  expect(otp_record_diagnose(OF, HELD, "000000", 6, NOW, &diagnosis) == OTP_OK);
  old = len;
  expect(otp_record_resynchronize(OF, record, old, both, 2, NOW, NULL, NEXT, &answer) == OTP_OK);
  old = len;
  expect(otp_record_verify(OF, record, old, "0", 1, NOW, NULL, NEXT, &answer) == OTP_OK);
  old = len;
  expect(otp_record_spend(OF, record, old, NOW, NULL, NEXT) == OTP_OK);
  old = len;
  expect(otp_record_unlock(OF, record, old, NOW, NEXT) == OTP_OK);
  old = len;
  expect(otp_record_reseal(OF, record, old, NEXT) == OTP_OK);
  expect(otp_record_info(OF, HELD, &details) == OTP_OK);

  record[len - 1] ^= 1;
  expect(otp_record_info(OF, HELD, &details) == OTP_NOT_AUTHENTIC);
  expect(otp_record_info(OF, record, 20, &details) != OTP_OK);
  expect(otp_record_info(keyring, "other", 5, HELD, &details) == OTP_ANOTHER_SUBJECT);
  expect(otp_record_recovery_codes(OF, 1, NOW, codes, sizeof codes, NEXT) == OTP_OK);
  otp_keyring_destroy(keyring);
  key.key_len = 31;
  expect(otp_keyring_create(&key, 1, &none) == OTP_INVALID_KEY && none == NULL);
}

int main(void) {
  for (unsigned round = 0; round < 200; round++) use(round);
  use_record();
  const size_t before = mallinfo2().uordblks;
  for (unsigned round = 0; round < 10000; round++) use(round);
  for (unsigned round = 0; round < 1000; round++) use_record();
  const size_t after = mallinfo2().uordblks;
  expect(after <= before + 1024);
  return finish("10000 keys and 1000 records made, used and destroyed");
}
