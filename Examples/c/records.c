#include <string.h>

#include "fields.h"
#include "tests.h"

enum { SECRET_ROOM = 1024, CODES = 3 };

static const char subject[] = "user 42";

/* A record, as its column holds it. */
struct column {
  uint8_t bytes[OTP_RECORD_MAX];
  size_t len;
};

static otp_answer_kind field_kind(const json_t *step, const char **wrong) {
  static const char *const names[] = {"rejected", "accepted", NULL, "wait", "locked"};
  const char *name = json_string_value(json_object_get(step, "answer"));
  for (int kind = 0; name != NULL && kind < 5; kind++) {
    if (names[kind] != NULL && strcmp(name, names[kind]) == 0) return (otp_answer_kind)kind;
  }
  *wrong = "an unknown answer";
  return OTP_ANSWER_REJECTED;
}

/* The answer that a step expects. */
static otp_answer expected_answer(const json_t *step, const char **wrong) {
  otp_answer answer = OTP_ANSWER_INIT;
  answer.kind = field_kind(step, wrong);
  if (answer.kind == OTP_ANSWER_ACCEPTED) {
    only_fields(step, "time codes answer matched", "", wrong);
    answer.step = field_uint64(step, "matched", wrong);
  } else if (answer.kind == OTP_ANSWER_REJECTED) {
    only_fields(step, "time codes answer", "", wrong);
  } else {
    only_fields(step, "time codes answer until", "", wrong);
    answer.has_until = answer.kind == OTP_ANSWER_WAIT || !json_is_null(json_object_get(step, "until"));
    if (answer.has_until) answer.until = field_int64(step, "until", wrong);
  }
  return answer;
}

static int is_same(const otp_answer *found, const otp_answer *expected) {
  return found->kind == expected->kind && found->status == OTP_OK && found->step == expected->step
      && found->has_until == expected->has_until && found->until == expected->until;
}

/* Clears the failures. */
static void unlock(const otp_keyring *keyring, const json_t *step, struct column *column, const char **wrong) {
  const char *answer = json_string_value(json_object_get(step, "answer"));
  struct column new = {.len = sizeof new.bytes};
  only_fields(step, "time codes answer", "", wrong);
  if (answer == NULL || strcmp(answer, "unlocked") != 0) *wrong = "not one to three codes";
  if (otp_record_unlock(
          keyring, subject, strlen(subject), column->bytes, column->len, field_int64(step, "time", wrong), new.bytes,
          &new.len)
      != OTP_OK) {
    *wrong = "otp_record_unlock fails";
  }
  *column = new;
}

/* Submits one step's codes, and replaces the record by the new one. */
static void submit(
    const otp_keyring *keyring, const otp_record_policy *policy, const json_t *step, struct column *column,
    const char **wrong) {
  const json_t *codes = json_object_get(step, "codes");
  const size_t count = json_array_size(codes);
  const char *texts[CODES] = {NULL, NULL, NULL};
  if (!json_is_array(codes) || count > CODES) *wrong = "not one to three codes";
  else if (count == 0) {
    unlock(keyring, step, column, wrong);
    return;
  }
  for (size_t i = 0; *wrong == NULL && i < count; i++) {
    texts[i] = json_string_value(json_array_get(codes, i));
    if (texts[i] == NULL) *wrong = "a code that is no text";
  }
  const otp_answer expected = expected_answer(step, wrong);
  const int64_t time = field_int64(step, "time", wrong);
  if (*wrong != NULL) return;
  otp_answer found = OTP_ANSWER_INIT;
  struct column new = {.len = sizeof new.bytes};
  otp_status status;
  if (count == 1) {
    status = otp_record_verify(
        keyring, subject, strlen(subject), column->bytes, column->len, texts[0], strlen(texts[0]), time, policy,
        new.bytes, &new.len, &found);
  } else {
    status = otp_record_resynchronize(
        keyring, subject, strlen(subject), column->bytes, column->len, texts, count, time, policy, new.bytes, &new.len,
        &found);
  }
  if (status != OTP_OK) *wrong = otp_status_string(status);
  else if (!is_same(&found, &expected)) *wrong = "otp_record_verify: another answer";
  *column = new;
}

/* The fields that both kinds share. */
static const char *run(
    const json_t *group, const json_t *test, otp_enrollment *enrollment, otp_record_policy *policy, const char *wrong) {
  uint8_t secret[SECRET_ROOM];
  const json_t *steps = json_object_get(test, "steps");
  only_fields(test, "id flags last steps", "comment needs", &wrong);
  enrollment->hash = field_hash(group, &wrong);
  enrollment->digits = (unsigned)field_integer(group, "digits", 6, 8, &wrong);
  enrollment->secret = secret;
  enrollment->secret_len = field_bytes(group, "secretHex", secret, sizeof secret, &wrong);
  enrollment->is_confirmed = 1;
  policy->failures_until_lock = (unsigned)field_integer(group, "failuresUntilLock", 1, 100, &wrong);
  policy->lock_seconds = field_integer(group, "lockSeconds", 1, INT64_C(1) << 32, &wrong);
  policy->first_delayed_failure = (unsigned)field_integer(group, "firstDelayedFailure", 1, 100, &wrong);
  policy->initial_delay_seconds = field_integer(group, "initialDelaySeconds", 0, INT64_C(1) << 32, &wrong);
  if (json_array_size(steps) == 0) wrong = "no steps";
  if (wrong != NULL) return wrong;

  /* A server would seal its records: see login.c. */
  otp_keyring *keyring = NULL;
  struct column column = {.len = sizeof column.bytes};
  const int64_t start = field_int64(json_array_get(steps, 0), "time", &wrong);
  if (otp_keyring_create_unsealed(&keyring) != OTP_OK
      || otp_record_enroll(keyring, subject, strlen(subject), enrollment, NULL, 0, start, column.bytes, &column.len)
          != OTP_OK) {
    wrong = "no record";
  }
  for (size_t i = 0; wrong == NULL && i < json_array_size(steps); i++) {
    submit(keyring, policy, json_array_get(steps, i), &column, &wrong);
  }
  otp_keyring_destroy(keyring);
  return wrong;
}

const char *test_record_totp(const json_t *group, const json_t *test) {
  const char *wrong = NULL;
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  otp_record_policy policy = OTP_RECORD_POLICY_STRICT_INIT;
  only_fields(
      group,
      "id type reference needs algorithm digits period t0 secretHex window failuresUntilLock lockSeconds "
      "firstDelayedFailure initialDelaySeconds tests",
      "comment", &wrong);
  enrollment.period = field_period(group, &wrong);
  enrollment.t0 = field_int64(group, "t0", &wrong);
  enrollment.has_after = !json_is_null(json_object_get(test, "last"));
  if (enrollment.has_after) enrollment.after = field_uint64(test, "last", &wrong);
  policy.adjacent_intervals = (unsigned)field_integer(group, "window", 0, 10, &wrong);
  return run(group, test, &enrollment, &policy, wrong);
}

const char *test_record_hotp(const json_t *group, const json_t *test) {
  const char *wrong = NULL;
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  otp_record_policy policy = OTP_RECORD_POLICY_STRICT_INIT;
  only_fields(
      group,
      "id type reference needs algorithm digits secretHex lookAhead resynchronizationLookAhead failuresUntilLock "
      "lockSeconds firstDelayedFailure initialDelaySeconds tests",
      "comment", &wrong);
  enrollment.type = OTP_HOTP;
  if (!json_is_null(json_object_get(test, "last"))) enrollment.counter = field_uint64(test, "last", &wrong) + 1;
  policy.look_ahead = (unsigned)field_integer(group, "lookAhead", 0, 1000, &wrong);
  policy.resynchronization_look_ahead = (unsigned)field_integer(group, "resynchronizationLookAhead", 0, 1000, &wrong);
  return run(group, test, &enrollment, &policy, wrong);
}
