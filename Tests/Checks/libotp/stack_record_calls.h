// The record functions' calls for stack_calls.h, which has `prepare_records` called before them.

#ifndef STACK_RECORD_CALLS_H
#define STACK_RECORD_CALLS_H

#include "check.h"
#include "keyring_file.h"

/// A record with its length.
typedef struct column {
  uint8_t bytes[OTP_RECORD_MAX];
  size_t len;
} column;

static otp_keyring *keyring;
static column waiting, active, counted, written;
static const char *record_code;
static otp_answer answer = OTP_ANSWER_INIT;
/// 255 attempts are allowed in all, and each window is the widest.
static const otp_record_policy widest_policy = {sizeof widest_policy, 10, 10, 1500, 1000, 1000, 100, 0, 100, 0};
static const otp_named_key named_key = {
    sizeof named_key, "key", 3, (const uint8_t *)"0123456789abcdef0123456789abcdef", 32};
#define WHOSE keyring, "user 42", 7
#define READ(column) (column).bytes, (column).len
#define WRITE (written.len = sizeof written.bytes, written.bytes), &written.len
enum { RECORD_TIME = 30 * 100 };

static int made(otp_status status, otp_keyring *ring) {
  otp_keyring_destroy(ring);
  return status == OTP_OK && ring != NULL;
}
static int call_keyring_create(void) {
  otp_keyring *ring = NULL;
  const otp_status status = otp_keyring_create(&named_key, 1, &ring);
  return made(status, ring);
}
static int call_keyring_create_unsealed(void) {
  otp_keyring *ring = NULL;
  const otp_status status = otp_keyring_create_unsealed(&ring);
  return made(status, ring);
}
static int call_keyring_open(void) {
  otp_keyring *ring = NULL;
  char path[] = "/tmp/otp-keyring-XXXXXX";
  write_private_file(path, keyring_text);
  const otp_status status = otp_keyring_open(path, &ring);
  return unlink(path) == 0 && made(status, ring);
}
static int call_keyring_destroy(void) {
  otp_keyring_destroy(keyring);
  keyring = NULL;
  return 1;
}
static int call_record_enroll(void) {
  return otp_record_enroll(WHOSE, NULL, READ(active), RECORD_TIME, WRITE) == OTP_OK;
}
static int call_record_recovery_codes(void) {
  char recovery[20 * (OTP_RECOVERY_CODE_LENGTH + 1)];
  return otp_record_recovery_codes(WHOSE, 20, RECORD_TIME, recovery, sizeof recovery, WRITE) == OTP_OK;
}
static int call_record_uri(void) {
  static char uri[OTP_URI_MAX + 1];
  size_t len = sizeof uri;
  return otp_record_uri(WHOSE, READ(waiting), "ACME Co", 7, "john@example.com", 16, uri, &len) == OTP_OK;
}
static int call_record_confirm(void) {
  return otp_record_confirm(WHOSE, READ(waiting), record_code, 6, RECORD_TIME, &widest_policy, WRITE, &answer) == OTP_OK
      && answer.kind == OTP_ANSWER_ENROLLED;
}
static int call_record_verify(void) {
  return otp_record_verify(WHOSE, READ(active), record_code, 6, RECORD_TIME, &widest_policy, WRITE, &answer) == OTP_OK
      && answer.kind == OTP_ANSWER_ACCEPTED;
}
static int call_record_resynchronize(void) {
  const char *const wrong[3] = {"000000", "000001", "000002"};
  return otp_record_resynchronize(WHOSE, READ(active), wrong, 3, RECORD_TIME, &widest_policy, WRITE, &answer) == OTP_OK
      && answer.kind == OTP_ANSWER_REJECTED
      && otp_record_resynchronize(WHOSE, READ(counted), wrong, 3, RECORD_TIME, &widest_policy, WRITE, &answer) == OTP_OK
      && answer.kind == OTP_ANSWER_REJECTED;
}
static int call_record_diagnose(void) {
  otp_diagnosis diagnosis = OTP_DIAGNOSIS_INIT;
  return otp_record_diagnose(WHOSE, READ(waiting), "000000", 6, RECORD_TIME, &diagnosis) == OTP_OK;
}
static int call_record_unlock(void) { return otp_record_unlock(WHOSE, READ(active), WRITE) == OTP_OK; }
static int call_record_spend(void) {
  return otp_record_spend(WHOSE, READ(active), RECORD_TIME, &widest_policy, WRITE) == OTP_OK;
}
static int call_record_reseal(void) { return otp_record_reseal(WHOSE, READ(active), WRITE) == OTP_OK; }
static int call_record_info(void) {
  otp_record_details details = {.size = sizeof details};
  return otp_record_info(WHOSE, READ(active), &details) == OTP_OK && details.kind == OTP_RECORD_TOTP;
}

static int enroll(const otp_enrollment *enrollment, column *out) {
  out->len = sizeof out->bytes;
  return otp_record_enroll(WHOSE, enrollment, NULL, 0, 0, out->bytes, &out->len) == OTP_OK;
}

/// Makes the keyring and the records that the calls use, and keeps the code at the end of their widest window. Returns
/// false on failure.
static int prepare_records(otp_hash hash, const char *last_code) {
  record_code = last_code;
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.hash = hash;
  enrollment.secret = seed;
  enrollment.secret_len = sizeof seed;
  if (otp_keyring_create(&named_key, 1, &keyring) != OTP_OK || !enroll(&enrollment, &waiting)) return 0;
  enrollment.is_confirmed = 1;
  if (!enroll(&enrollment, &active)) return 0;
  enrollment.type = OTP_HOTP;
  return enroll(&enrollment, &counted);
}

#endif
