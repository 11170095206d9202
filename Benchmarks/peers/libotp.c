// This repository's own C library, as called by servers that are not written in Swift.
#include <otp.h>

#include "peer.h"

enum { DIGITS = 6 };
static otp_keyring *keyring;
static uint8_t record[OTP_RECORD_MAX];
static size_t record_size;

// Otherwise only its first thousands of codes would show which kernels are the fastest.
__attribute__((constructor)) static void start(void) { otp_self_test(); }

static otp_hash hash_of(size_t size) { return size == 20 ? OTP_SHA1 : size == 32 ? OTP_SHA256 : OTP_SHA512; }

static void *prepare(void *kept, size_t size, const uint8_t *secret) {
  otp_key *key = NULL;
  otp_key_destroy(kept);
  return otp_key_create(hash_of(size), secret, size, &key) == OTP_OK ? key : NULL;
}

static int verify(void *key, uint64_t step, unsigned side, const char *code) {
  const otp_window window = {sizeof window, side, side, 0, 0};
  otp_match match = OTP_MATCH_INIT;
  otp_totp_verify(key, code, DIGITS, (int64_t)step * 30, NULL, &window, &match);
  return match.result == OTP_ACCEPTED;
}

static int verify_secret(size_t size, const uint8_t *secret, uint64_t step, unsigned side, const char *code) {
  const otp_window window = {sizeof window, side, side, 0, 0};
  otp_match match = OTP_MATCH_INIT;
  otp_totp_verify_secret(hash_of(size), secret, size, code, DIGITS, (int64_t)step * 30, NULL, &window, &match);
  return match.result == OTP_ACCEPTED;
}

static void enroll(const uint8_t secret[20], uint64_t step) {
  static const uint8_t key[32] = "any 32 bytes will do as the key";
  const otp_named_key named = {sizeof named, "2026-11", 7, key, sizeof key};
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.secret = secret, enrollment.secret_len = 20, enrollment.is_confirmed = 1;
  record_size = sizeof record;
  otp_keyring_destroy(keyring);
  otp_keyring_create(&named, 1, &keyring);
  otp_record_enroll(keyring, "user 42", 7, &enrollment, NULL, 0, (int64_t)step * 30, record, &record_size);
}

static int verify_record(uint64_t step, const char *code) {
  uint8_t changed[OTP_RECORD_MAX];
  size_t size = sizeof changed;
  otp_answer answer = OTP_ANSWER_INIT;
  const int64_t time = (int64_t)step * 30;
  const otp_status status =
      otp_record_verify(keyring, "user 42", 7, record, record_size, code, DIGITS, time, NULL, changed, &size, &answer);
  return status != OTP_OK || !answer.changed ? -1 : answer.kind == OTP_ANSWER_ACCEPTED;
}

const peer peers[] = {{"libotp", prepare, NULL, verify, verify_secret, enroll, verify_record}, {0}};
