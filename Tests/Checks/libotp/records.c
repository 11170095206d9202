// Records from C: keyrings and their files, and what an FFI has instead of macros. The vectors' sequences have the
// rules of a record, FactorRecordTests what does not open, the bindings' tests what answers and details say, and
// arguments.c every misuse.

#define _GNU_SOURCE
#include <sys/stat.h>

#include "call.h"

#define WHOSE keyring, subject, subject_len

static otp_status reseal(const otp_keyring *keyring, const uint8_t *record, size_t len) {
  column next = {.len = sizeof next.bytes};
  return otp_record_reseal(WHOSE, record, len, next.bytes, &next.len);
}

/// A keyring's file, and one that is damaged, open to others, or none.
static void files(void) {
  otp_keyring *opened = NULL, *none = NULL;
  column held = {.len = sizeof held.bytes}, next = {.len = sizeof next.bytes};
  expect(otp_keyring_open(path, &opened) == OTP_OK);
  expect(
      otp_record_enroll(opened, subject, subject_len, enrollment, NULL, 0, TIME, held.bytes, &held.len) == OTP_OK
      && otp_record_reseal(opened, subject, subject_len, held.bytes, held.len, next.bytes, &next.len) == OTP_OK);
  // Its active key has sealed it.
  expect(next.len == held.len && memcmp(next.bytes, held.bytes, held.len) == 0);
  expect(reseal(keyring, held.bytes, held.len) == OTP_UNKNOWN_KEY);
  otp_keyring_destroy(opened);
  char copy[] = "/tmp/otp-keyring-XXXXXX", damaged[sizeof keyring_text];
  memcpy(damaged, keyring_text, sizeof damaged);
  *strstr(damaged, "old") = 'c';
  write_private_file(copy, damaged);
  expect(otp_keyring_open(copy, &none) == OTP_KEYRING_CORRUPT && none == NULL);
  expect(chmod(copy, 0640) == 0 && otp_keyring_open(copy, &none) == OTP_KEYRING_READABLE_BY_OTHERS);
  expect(chmod(copy, 0600) == 0 && truncate(copy, 60) == 0 && otp_keyring_open(copy, &none) == OTP_KEYRING_MALFORMED);
  expect(unlink(copy) == 0 && otp_keyring_open(copy, &none) == OTP_KEYRING_UNREADABLE);
  expect(otp_keyring_open("/dev/null", &none) == OTP_KEYRING_UNREADABLE && none == NULL);

  struct stat status;
  expect(otp_keyring_create_file(copy) == OTP_OK && otp_keyring_create_file(copy) == OTP_KEYRING_EXISTS);
  expect(stat(copy, &status) == 0 && (status.st_mode & 0777) == 0600);
  expect(otp_keyring_open(copy, &opened) == OTP_OK && reseal(opened, active.bytes, active.len) == OTP_UNKNOWN_KEY);
  otp_keyring_destroy(opened);
  expect(unlink(copy) == 0 && otp_keyring_create_file("/dev/null/keyring") == OTP_KEYRING_UNWRITABLE);
}

static otp_explanation explained(const column *record, const char *code, const otp_record_policy *policy) {
  otp_explanation found = OTP_EXPLANATION_INIT;
  expect(otp_record_explain(WHOSE, record->bytes, record->len, code, strlen(code), TIME, policy, &found) == OTP_OK);
  return found;
}

/// What a code is to an active record, and what an FFI has instead of macros and lists of names.
static void explanations(void) {
  const otp_explanation early = explained(&active, code, NULL);
  expect(early.cause == OTP_CAUSE_EARLY && early.found && early.step == STEP + WINDOW && early.offset == WINDOW);
  expect(early.digits == 6 && early.period == 30 && early.clock_offset == 30 * WINDOW && early.odds > 1000);
  expect(explained(&active, code, policy).cause == OTP_CAUSE_RIGHT);
  expect(explained(&counted, code, policy).offset == WINDOW && explained(&active, "x", NULL).found == 0);

  otp_record_policy strict = {.size = sizeof strict};
  otp_answer answer = {.size = sizeof answer, .kind = OTP_ANSWER_ACCEPTED};
  expect(
      otp_record_policy_strict_init(&strict) == OTP_OK && strict.look_ahead == 0 && strict.failures_until_lock == 10);
  expect(otp_answer_init(&answer) == OTP_OK && answer.kind == OTP_ANSWER_REJECTED && answer.size == sizeof answer);
  strict.failures_until_lock = 1;
  column locked = {.len = sizeof locked.bytes};
  expect(
      otp_record_verify(WHOSE, active.bytes, active.len, "000000", 6, TIME, &strict, locked.bytes, &locked.len, &answer)
      == OTP_OK);
  const otp_explanation refused = explained(&locked, code, &strict);
  expect(refused.refusal == OTP_ANSWER_LOCKED && refused.has_until && refused.until == TIME + strict.lock_seconds);
  expect(strcmp(otp_reason_string(answer.reason), "wrong") == 0);
  expect(strcmp(otp_answer_kind_string(refused.refusal), "locked") == 0);
  expect(strcmp(otp_cause_string(OTP_CAUSE_PARAMETERS), "parameters") == 0);
  expect(strcmp(otp_reason_string((otp_reason)99), "unknown") == 0);
}

/// What no binding's test refuses.
static void refusals(void) {
  otp_keyring *none = NULL, *plain = NULL;
  const otp_named_key twice[] = {named_key, named_key};
  expect(otp_keyring_create(twice, 2, &none) == OTP_DUPLICATE_KEY_NAME && none == NULL);
  column later = active, bare = {.len = sizeof bare.bytes};
  later.bytes[0] = 2;
  expect(reseal(keyring, later.bytes, later.len) == OTP_LATER_RECORD);
  // Without a seal, the bytes hold the secret. They are not bound to the subject, which must be one all the same.
  expect(otp_keyring_create_unsealed(&plain) == OTP_OK);
  expect(
      otp_record_enroll(plain, subject, subject_len, enrollment, NULL, 0, TIME, bare.bytes, &bare.len) == OTP_OK
      && memmem(bare.bytes, bare.len, seed, sizeof seed) != NULL);
  column next = {.len = sizeof next.bytes};
  expect(otp_record_reseal(plain, NULL, 0, bare.bytes, bare.len, next.bytes, &next.len) == OTP_INVALID_SUBJECT);
  otp_keyring_destroy(plain);
}

int main(void) {
  prepare_path();
  expect(prepare(OTP_SHA1));
  files();
  refusals();
  explanations();
  otp_key_destroy(key);
  otp_keyring_destroy(keyring);
  return finish("records");
}
