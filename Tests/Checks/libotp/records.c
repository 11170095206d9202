// Records from C: a factor's life, every misuse, a million alterations, and threads that share a column under the one
// rule.

#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "check.h"
#include "keyring_file.h"

static const char subject[] = "user 42";
enum { SUBJECT = sizeof subject - 1, NOW = 1700000000 };
static const uint8_t old_key[32] = {1}, new_key[32] = {2};

/// A record with its length.
typedef struct column {
  uint8_t bytes[OTP_RECORD_MAX];
  size_t len;
} column;

static otp_keyring *keyring_of(const uint8_t *first, const uint8_t *second) {
  otp_named_key keys[2] = {OTP_NAMED_KEY_INIT, OTP_NAMED_KEY_INIT};
  for (size_t i = 0; i < 2; i++) {
    const uint8_t *key = i == 0 ? first : second;
    keys[i].name = key == old_key ? "old" : "new";
    keys[i].name_len = 3;
    keys[i].key = key;
    keys[i].key_len = sizeof old_key;
  }
  otp_keyring *keyring = NULL;
  expect(otp_keyring_create(keys, second == NULL ? 1 : 2, &keyring) == OTP_OK && keyring != NULL);
  return keyring;
}

/// A confirmed TOTP factor with the RFCs' secret.
static column confirmed(const otp_keyring *keyring) {
  column made = {.len = sizeof made.bytes};
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.secret = seed;
  enrollment.secret_len = sizeof seed;
  enrollment.is_confirmed = 1;
  expect(otp_record_enroll(keyring, subject, SUBJECT, &enrollment, NULL, 0, NOW, made.bytes, &made.len) == OTP_OK);
  return made;
}

static void code_at(int64_t time, char out[9]) {
  otp_key *key = seed_key();
  expect(otp_totp(key, time, NULL, out) == OTP_OK);
  otp_key_destroy(key);
}

/// Submits a code, and replaces the column with what came of it.
static otp_answer verify(const otp_keyring *keyring, column *held, const char *typed, int64_t now) {
  otp_answer answer = OTP_ANSWER_INIT;
  column next = {.len = sizeof next.bytes};
  expect(
      otp_record_verify(
          keyring, subject, SUBJECT, held->bytes, held->len, typed, strlen(typed), now, NULL, next.bytes, &next.len,
          &answer)
      == OTP_OK);
  const int is_same = next.len == held->len && memcmp(next.bytes, held->bytes, next.len) == 0;
  expect(answer.changed == !is_same && answer.status == OTP_OK);
  *held = next;
  return answer;
}

static otp_record_details details_of(const otp_keyring *keyring, const column *held) {
  otp_record_details details = {.size = sizeof details};
  expect(otp_record_info(keyring, subject, SUBJECT, held->bytes, held->len, &details) == OTP_OK);
  return details;
}

/// A keyring's file seals and opens what its keys do, and a file that is damaged or open to others is refused.
static void file(const otp_keyring *both) {
  char path[] = "/tmp/otp-keyring-XXXXXX";
  write_private_file(path, keyring_text);
  otp_keyring *keyring = NULL;
  expect(otp_keyring_open(path, &keyring) == OTP_OK);
  const column here = confirmed(both), there = confirmed(keyring);
  expect(strcmp(details_of(keyring, &here).key_name, "new") == 0);
  expect(strcmp(details_of(both, &there).key_name, "new") == 0);
  otp_keyring_destroy(keyring);

  expect(chmod(path, 0640) == 0 && otp_keyring_open(path, &keyring) == OTP_KEYRING_READABLE_BY_OTHERS);
  expect(keyring == NULL && unlink(path) == 0 && otp_keyring_open(path, &keyring) == OTP_KEYRING_UNREADABLE);
  char text[sizeof keyring_text];
  memcpy(text, keyring_text, sizeof text);
  *strstr(text, "old") = 'c';
  strcpy(path, "/tmp/otp-keyring-XXXXXX");
  write_private_file(path, text);
  expect(otp_keyring_open(path, &keyring) == OTP_KEYRING_CORRUPT && unlink(path) == 0);
  text[sizeof text - 3] = 0;
  strcpy(path, "/tmp/otp-keyring-XXXXXX");
  write_private_file(path, text);
  expect(otp_keyring_open(path, &keyring) == OTP_KEYRING_MALFORMED && unlink(path) == 0);
}

static void life(const otp_keyring *keyring) {
  column held = {.len = sizeof held.bytes};
  expect(otp_record_enroll(keyring, subject, SUBJECT, NULL, NULL, 0, NOW, held.bytes, &held.len) == OTP_OK);
  expect(details_of(keyring, &held).is_pending == 1);

  char text[OTP_URI_MAX + 1], memory[OTP_URI_MEMORY], code[9];
  size_t text_len = sizeof text;
  expect(
      otp_record_uri(keyring, subject, SUBJECT, held.bytes, held.len, "Example", 7, "alice", 5, text, &text_len)
      == OTP_OK);
  otp_uri uri = OTP_URI_INIT;
  otp_key *key = NULL;
  expect(otp_uri_parse(text, text_len, 0, &uri, memory, sizeof memory, NULL) == OTP_OK);
  expect(otp_key_create(uri.hash, uri.secret, uri.secret_len, &key) == OTP_OK);
  expect(otp_totp(key, NOW, NULL, code) == OTP_OK);
  // A pending record signs no user in, and does not change.
  expect(verify(keyring, &held, code, NOW).reason == OTP_REASON_PENDING);

  // The app's clock is three minutes slow.
  char slow[9];
  otp_diagnosis diagnosis = OTP_DIAGNOSIS_INIT;
  expect(otp_totp(key, NOW - 210, NULL, slow) == OTP_OK);
  expect(otp_record_diagnose(keyring, subject, SUBJECT, held.bytes, held.len, slow, 6, NOW, &diagnosis) == OTP_OK);
  expect(diagnosis.found == 1 && diagnosis.clock_offset == -210 && diagnosis.hash == OTP_SHA1 && diagnosis.digits == 6);

  otp_answer answer = OTP_ANSWER_INIT;
  column next = {.len = sizeof next.bytes};
  expect(
      otp_record_confirm(
          keyring, subject, SUBJECT, held.bytes, held.len, code, 6, NOW, NULL, next.bytes, &next.len, &answer)
      == OTP_OK);
  expect(answer.kind == OTP_ANSWER_ENROLLED && answer.step == NOW / 30 && answer.changed == 1);
  held = next;
  expect(verify(keyring, &held, code, NOW).reason == OTP_REASON_REPLAYED);
  expect(details_of(keyring, &held).failures == 1);

  expect(otp_totp(key, NOW + 30, NULL, code) == OTP_OK);
  answer = verify(keyring, &held, code, NOW + 30);
  expect(answer.kind == OTP_ANSWER_ACCEPTED && answer.step == NOW / 30 + 1);
  const otp_record_details details = details_of(keyring, &held);
  expect(details.kind == OTP_RECORD_TOTP && details.failures == 0 && details.acceptances == 1 && !details.is_pending);
  expect(strcmp(details.key_name, "new") == 0 && details.enrollment_time == NOW && details.has_last_attempt == 1);
  expect(
      otp_record_uri(keyring, subject, SUBJECT, held.bytes, held.len, "", 0, "alice", 5, text, &text_len)
      == OTP_NOT_PENDING);
  expect(
      otp_record_diagnose(keyring, subject, SUBJECT, held.bytes, held.len, slow, 6, NOW, &diagnosis)
      == OTP_NOT_PENDING);
  otp_key_destroy(key);
}

static column unlocked(const otp_keyring *keyring, const column *held, int64_t now) {
  column next = {.len = sizeof next.bytes};
  expect(otp_record_unlock(keyring, subject, SUBJECT, held->bytes, held->len, now, next.bytes, &next.len) == OTP_OK);
  return next;
}

/// What waits, and what an administrator does; the vectors' sequences have all delays and locks.
static void limits(const otp_keyring *keyring) {
  column held = confirmed(keyring);
  char right[9];
  code_at(NOW, right);
  for (int i = 0; i < 4; i++) expect(verify(keyring, &held, "000000", NOW).reason == OTP_REASON_WRONG);
  // From the fourth failure on it must wait; the right code is not looked at, and nothing is written.
  otp_answer answer = verify(keyring, &held, right, NOW);
  expect(answer.kind == OTP_ANSWER_WAIT && answer.until == NOW + 1 && answer.changed == 0);
  int64_t now = NOW;
  for (int i = 4; i < 100; i++) expect(verify(keyring, &held, "000000", now += 3600).reason == OTP_REASON_WRONG);
  // Then only a new enrollment helps.
  column next = unlocked(keyring, &held, now);
  expect(next.len == held.len && memcmp(next.bytes, held.bytes, next.len) == 0);
  answer = verify(keyring, &held, right, now + 86400);
  expect(answer.kind == OTP_ANSWER_LOCKED && answer.has_until == 0);
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.secret = seed;
  enrollment.secret_len = sizeof seed;
  enrollment.is_confirmed = 1;
  next.len = sizeof next.bytes;
  expect(
      otp_record_enroll(keyring, subject, SUBJECT, &enrollment, held.bytes, held.len, now, next.bytes, &next.len)
      == OTP_OK);
  held = next;
  code_at(now, right);
  expect(verify(keyring, &held, right, now).kind == OTP_ANSWER_ACCEPTED);

  // After a backup was restored, what the app shows is spent; waiting for its next code costs nothing.
  next.len = sizeof next.bytes;
  expect(otp_record_spend(keyring, subject, SUBJECT, held.bytes, held.len, now, NULL, next.bytes, &next.len) == OTP_OK);
  held = next;
  answer = verify(keyring, &held, right, now);
  expect(answer.kind == OTP_ANSWER_WAIT && answer.changed == 0 && answer.until > now && answer.until <= now + 180);
  code_at(answer.until, right);
  expect(verify(keyring, &held, right, answer.until).kind == OTP_ANSWER_ACCEPTED);
}

static void counters_and_codes(const otp_keyring *keyring) {
  column held = {.len = sizeof held.bytes}, next = {.len = sizeof next.bytes};
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.type = OTP_HOTP;
  enrollment.secret = seed;
  enrollment.secret_len = sizeof seed;
  enrollment.is_confirmed = 1;
  expect(otp_record_enroll(keyring, subject, SUBJECT, &enrollment, NULL, 0, NOW, held.bytes, &held.len) == OTP_OK);
  expect(verify(keyring, &held, seed_codes[2], NOW).step == 2);
  expect(verify(keyring, &held, seed_codes[2], NOW).reason == OTP_REASON_REPLAYED);
  const char *const codes[] = {seed_codes[7], seed_codes[8], seed_codes[9]};
  otp_answer answer = OTP_ANSWER_INIT;
  expect(
      otp_record_resynchronize(
          keyring, subject, SUBJECT, held.bytes, held.len, codes, 3, NOW, NULL, next.bytes, &next.len, &answer)
      == OTP_OK);
  expect(answer.kind == OTP_ANSWER_ACCEPTED && answer.step == 9);

  // Enrolled again with the same secret, what was spent stays spent.
  held.len = sizeof held.bytes;
  expect(
      otp_record_enroll(keyring, subject, SUBJECT, &enrollment, next.bytes, next.len, NOW, held.bytes, &held.len)
      == OTP_OK);
  expect(verify(keyring, &held, seed_codes[9], NOW).reason == OTP_REASON_REPLAYED);

  // A pending record of another kind with the same secret, made within the same second, is not the old one.
  column pending = {.len = sizeof pending.bytes};
  enrollment.is_confirmed = 0;
  enrollment.type = OTP_TOTP;
  expect(
      otp_record_enroll(keyring, subject, SUBJECT, &enrollment, NULL, 0, NOW, pending.bytes, &pending.len) == OTP_OK);
  enrollment.type = OTP_HOTP;
  held.len = sizeof held.bytes;
  expect(
      otp_record_enroll(keyring, subject, SUBJECT, &enrollment, pending.bytes, pending.len, NOW, held.bytes, &held.len)
      == OTP_OK);
  expect(details_of(keyring, &held).kind == OTP_RECORD_HOTP);

  char written[10][OTP_RECOVERY_CODE_LENGTH + 1];
  held.len = sizeof held.bytes;
  expect(
      otp_record_recovery_codes(keyring, subject, SUBJECT, 10, NOW, written[0], sizeof written, held.bytes, &held.len)
      == OTP_OK);
  expect(held.len < 1024 && strlen(written[9]) == OTP_RECOVERY_CODE_LENGTH);
  answer = verify(keyring, &held, written[4], NOW);
  expect(answer.kind == OTP_ANSWER_ACCEPTED && answer.step == 5);
  expect(verify(keyring, &held, written[4], NOW).reason == OTP_REASON_REPLAYED);
  expect(details_of(keyring, &held).unused_codes == 0x3EF);
  next.len = sizeof next.bytes;
  expect(
      otp_record_resynchronize(
          keyring, subject, SUBJECT, held.bytes, held.len, codes, 2, NOW, NULL, next.bytes, &next.len, &answer)
          == OTP_ANOTHER_KIND
      && answer.status == OTP_ANOTHER_KIND && answer.kind == OTP_ANSWER_REJECTED);
}

static void keys(void) {
  otp_keyring *old = keyring_of(old_key, NULL), *both = keyring_of(new_key, old_key), *new = keyring_of(new_key, NULL);
  otp_keyring *plain = NULL;
  expect(otp_keyring_create_unsealed(&plain) == OTP_OK);
  column held = confirmed(old), next = {.len = sizeof next.bytes};
  expect(strcmp(details_of(both, &held).key_name, "old") == 0);
  // The record's length is as stated, and a change seals with the first key.
  expect(held.len < 200);
  expect(otp_record_reseal(new, subject, SUBJECT, held.bytes, held.len, next.bytes, &next.len) == OTP_UNKNOWN_KEY);
  expect(otp_record_reseal(both, subject, SUBJECT, held.bytes, held.len, next.bytes, &next.len) == OTP_OK);
  expect(strcmp(details_of(new, &next).key_name, "new") == 0);
  column same = {.len = sizeof same.bytes};
  expect(otp_record_reseal(both, subject, SUBJECT, next.bytes, next.len, same.bytes, &same.len) == OTP_OK);
  expect(same.len == next.len && memcmp(same.bytes, next.bytes, same.len) == 0);

  // Without a seal, the bytes hold the secret, and either kind of keyring refuses the other's.
  column bare = confirmed(plain);
  int found = 0;
  for (size_t i = 0; i + sizeof seed <= bare.len; i++) found |= memcmp(bare.bytes + i, seed, sizeof seed) == 0;
  expect(found);
  same.len = sizeof same.bytes;
  expect(otp_record_reseal(both, subject, SUBJECT, bare.bytes, bare.len, same.bytes, &same.len) == OTP_WRONG_ENCODING);
  expect(otp_record_reseal(plain, subject, SUBJECT, next.bytes, next.len, same.bytes, &same.len) == OTP_WRONG_ENCODING);
  char right[9];
  code_at(NOW, right);
  expect(verify(plain, &bare, right, NOW).kind == OTP_ANSWER_ACCEPTED);
  expect(verify(plain, &bare, right, NOW).reason == OTP_REASON_REPLAYED);
  for (size_t len = 0; len < bare.len; len++) {
    expect(otp_record_reseal(plain, subject, SUBJECT, bare.bytes, len, same.bytes, &same.len) == OTP_MALFORMED_RECORD);
  }
  otp_keyring_destroy(old);
  otp_keyring_destroy(both);
  otp_keyring_destroy(new);
  otp_keyring_destroy(plain);
  otp_keyring_destroy(NULL);
}

static void refused_keyrings(void) {
  otp_keyring *made = NULL;
  otp_named_key key = OTP_NAMED_KEY_INIT, two[2];
  key.name = "k";
  key.name_len = 1;
  key.key = old_key;
  key.key_len = 32;
  two[0] = two[1] = key;
#define expect_no_keyring(call, expected)         \
  do {                                            \
    made = (otp_keyring *)(uintptr_t)0x1000;      \
    expect((call) == (expected) && made == NULL); \
  } while (0)
  expect(otp_keyring_create(&key, 1, NULL) == OTP_INVALID_ARGUMENT);
  expect(otp_keyring_create_unsealed(NULL) == OTP_INVALID_ARGUMENT);
  expect(otp_keyring_open("x", NULL) == OTP_INVALID_ARGUMENT);
  expect_no_keyring(otp_keyring_open(NULL, &made), OTP_INVALID_ARGUMENT);
  expect_no_keyring(otp_keyring_open("/nonexistent", &made), OTP_KEYRING_UNREADABLE);
  expect_no_keyring(otp_keyring_open("/dev/null", &made), OTP_KEYRING_UNREADABLE);
  expect_no_keyring(otp_keyring_create(NULL, 1, &made), OTP_INVALID_ARGUMENT);
  expect_no_keyring(otp_keyring_create(&key, 0, &made), OTP_INVALID_ARGUMENT);
  expect_no_keyring(otp_keyring_create((const otp_named_key *)sizeof key, 0, &made), OTP_INVALID_ARGUMENT);
  expect_no_keyring(otp_keyring_create(&key, 65, &made), OTP_INVALID_ARGUMENT);
  expect_no_keyring(otp_keyring_create(two, 2, &made), OTP_DUPLICATE_KEY_NAME);
  two[1].size = 0;
  expect_no_keyring(otp_keyring_create(two, 2, &made), OTP_INVALID_ARGUMENT);
  key.key_len = 31;
  expect_no_keyring(otp_keyring_create(&key, 1, &made), OTP_INVALID_KEY);
  key.key_len = 0;
  expect_no_keyring(otp_keyring_create(&key, 1, &made), OTP_INVALID_KEY);
  key.key_len = 32;
  key.name = "two words";
  key.name_len = 9;
  expect_no_keyring(otp_keyring_create(&key, 1, &made), OTP_INVALID_KEY_NAME);
  key.name_len = 0;
  expect_no_keyring(otp_keyring_create(&key, 1, &made), OTP_INVALID_KEY_NAME);
}

/// The arguments of a verification.
typedef struct call {
  const otp_keyring *keyring;
  const void *subject;
  size_t subject_len;
  const uint8_t *record;
  size_t record_len;
  const char *typed;
  const otp_record_policy *policy;
  uint8_t *out;
  size_t *out_len;
  otp_answer *answer;
} call;

static otp_status made(call c) {
  return otp_record_verify(
      c.keyring, c.subject, c.subject_len, c.record, c.record_len, c.typed, 6, NOW, c.policy, c.out, c.out_len,
      c.answer);
}

static void misuse(const otp_keyring *keyring) {
  const column held = confirmed(keyring);
  column next = {.len = sizeof next.bytes}, later = held;
  otp_answer answer = OTP_ANSWER_INIT;
  otp_record_policy policy = OTP_RECORD_POLICY_INIT;
  char right[9];
  code_at(NOW, right);
  const call whole = {keyring, subject, SUBJECT, held.bytes, held.len, right, NULL, next.bytes, &next.len, &answer};
#define expect_misuse(change, expected)                                        \
  do {                                                                         \
    call c = whole;                                                            \
    change;                                                                    \
    answer.kind = OTP_ANSWER_ACCEPTED;                                         \
    next.len = sizeof next.bytes;                                              \
    expect_refused(made(c), expected, next.bytes);                             \
    expect(answer.kind == OTP_ANSWER_REJECTED && answer.status == (expected)); \
  } while (0)
  expect_misuse(c.keyring = NULL, OTP_INVALID_ARGUMENT);
  expect_misuse((c.subject = NULL, c.subject_len = 0), OTP_INVALID_SUBJECT);
  expect_misuse(c.subject = NULL, OTP_INVALID_ARGUMENT);
  static const uint8_t long_subject[1025];
  expect_misuse((c.subject = long_subject, c.subject_len = 1025), OTP_INVALID_SUBJECT);
  expect_misuse(c.subject = "user 43", OTP_ANOTHER_SUBJECT);
  expect_misuse((c.record = NULL, c.record_len = 0), OTP_MALFORMED_RECORD);
  expect_misuse((c.record = NULL, c.record_len = 1), OTP_INVALID_ARGUMENT);
  expect_misuse(c.typed = NULL, OTP_INVALID_ARGUMENT);
  expect_misuse(c.out = NULL, OTP_INVALID_ARGUMENT);
  call without = whole;
  without.out_len = NULL;
  expect(made(without) == OTP_INVALID_ARGUMENT);
  without = whole;
  without.answer = NULL;
  expect(made(without) == OTP_INVALID_ARGUMENT);
  // Too little room: the length is written, and the code was not accepted.
  next.len = held.len - 1;
  answer.kind = OTP_ANSWER_ACCEPTED;
  expect(made(whole) == OTP_OUTPUT_TOO_SHORT && next.len > held.len - 1 && answer.kind == OTP_ANSWER_REJECTED);
  // A policy of an earlier or later header, and numbers that are out of range.
  policy.adjacent_intervals = 11;
  expect_misuse(c.policy = &policy, OTP_INVALID_ARGUMENT);
  policy.adjacent_intervals = 10;
  policy.failures_until_lock = 101;
  expect_misuse(c.policy = &policy, OTP_INVALID_ARGUMENT);
  policy.failures_until_lock = 100;
  policy.size = 8;
  expect_misuse(c.policy = &policy, OTP_INVALID_ARGUMENT);
  // A given secret that has no bytes, unlike none, is not replaced by a random one.
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  enrollment.secret = seed;
  next.len = sizeof next.bytes;
  expect_refused(
      otp_record_enroll(keyring, subject, SUBJECT, &enrollment, NULL, 0, NOW, next.bytes, &next.len), OTP_EMPTY_SECRET,
      next.bytes);
  // A later version, a kind that there is not, and a TOTP record in the place of an HOTP one.
  later.bytes[0] = 2;
  expect_misuse(c.record = later.bytes, OTP_LATER_RECORD);
  later.bytes[0] = 1;
  later.bytes[1] = 9;
  expect_misuse(c.record = later.bytes, OTP_MALFORMED_RECORD);
  later.bytes[1] = OTP_RECORD_HOTP;
  expect_misuse(c.record = later.bytes, OTP_NOT_AUTHENTIC);
}

/// A time in milliseconds, or before 2000, is refused by every function that takes one.
static void wild_times(const otp_keyring *keyring) {
  const column held = confirmed(keyring);
  static const int64_t times[] = {59, 946684799, 7258118400, 1700000000000, INT64_MIN, INT64_MAX};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    column next = {.len = sizeof next.bytes};
    otp_answer answer = OTP_ANSWER_INIT;
    otp_diagnosis diagnosis = OTP_DIAGNOSIS_INIT;
    char codes[OTP_RECOVERY_CODE_LENGTH + 1];
    const char *const two[] = {"000000", "000001"};
    const int64_t now = times[i];
#define WHOSE keyring, subject, SUBJECT
#define HELD held.bytes, held.len
#define OUT next.bytes, &next.len
#define expect_invalid(call) expect_refused(call, OTP_INVALID_TIME, next)
    expect_invalid(otp_record_enroll(WHOSE, NULL, NULL, 0, now, OUT));
    expect_invalid(otp_record_recovery_codes(WHOSE, 1, now, codes, sizeof codes, OUT));
    expect_invalid(otp_record_confirm(WHOSE, HELD, "000000", 6, now, NULL, OUT, &answer));
    expect_invalid(otp_record_verify(WHOSE, HELD, "000000", 6, now, NULL, OUT, &answer));
    expect_invalid(otp_record_resynchronize(WHOSE, HELD, two, 2, now, NULL, OUT, &answer));
    expect_invalid(otp_record_diagnose(WHOSE, HELD, "000000", 6, now, &diagnosis));
    expect_invalid(otp_record_unlock(WHOSE, HELD, now, OUT));
    expect_invalid(otp_record_spend(WHOSE, HELD, now, NULL, OUT));
    expect(answer.kind == OTP_ANSWER_REJECTED && answer.status == OTP_INVALID_TIME);
  }
  // An attempt that a wrong clock dated is forgotten by unlocking.
  column poisoned = held;
  verify(keyring, &poisoned, "000000", 4000000000);
  poisoned = unlocked(keyring, &poisoned, NOW);
  for (int i = 0; i < 4; i++) expect(verify(keyring, &poisoned, "000000", NOW).reason == OTP_REASON_WRONG);
  expect(verify(keyring, &poisoned, "000000", NOW).until == NOW + 1);
}

/// Nothing that was altered or cut short opens.
static void alterations(const otp_keyring *keyring) {
  const column held = confirmed(keyring);
  column next;
  size_t opened = 0;
  uint64_t state = 42;
  for (size_t len = 0; len < held.len; len++) {
    next.len = sizeof next.bytes;
    opened += otp_record_reseal(keyring, subject, SUBJECT, held.bytes, len, next.bytes, &next.len) == OTP_OK;
  }
  for (size_t i = 0; i < 1000000; i++) {
    column altered = held;
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint8_t change = (uint8_t)(state >> 56);
    altered.bytes[(state >> 20) % held.len] ^= change == 0 ? 1 : change;
    next.len = sizeof next.bytes;
    opened += otp_record_reseal(keyring, subject, SUBJECT, altered.bytes, altered.len, next.bytes, &next.len) == OTP_OK;
  }
  expect(opened == 0);
}

/// The column that threads share, its lock standing for a database's atomic update.
static struct {
  pthread_mutex_t lock;
  column held;
  const otp_keyring *keyring;
  const char *typed;
  int accepted, looked_at;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *request(void *unused) {
  for (;;) {
    pthread_mutex_lock(&shared.lock);
    const column old = shared.held;
    pthread_mutex_unlock(&shared.lock);
    otp_answer answer = OTP_ANSWER_INIT;
    column next = {.len = sizeof next.bytes};
    const otp_status status = otp_record_verify(
        shared.keyring, subject, SUBJECT, old.bytes, old.len, shared.typed, 6, NOW, NULL, next.bytes, &next.len,
        &answer);
    pthread_mutex_lock(&shared.lock);
    const int is_there = old.len == shared.held.len && memcmp(old.bytes, shared.held.bytes, old.len) == 0;
    if (status == OTP_OK && is_there) {
      shared.held = next;
      shared.accepted += answer.kind == OTP_ANSWER_ACCEPTED;
      shared.looked_at += answer.kind == OTP_ANSWER_ACCEPTED || answer.kind == OTP_ANSWER_REJECTED;
    }
    pthread_mutex_unlock(&shared.lock);
    if (status != OTP_OK || is_there) return unused;
  }
}

static void concurrency(const otp_keyring *keyring) {
  char right[9];
  code_at(NOW, right);
  for (int is_right = 0; is_right < 2; is_right++) {
    shared.held = confirmed(keyring);
    shared.keyring = keyring;
    shared.typed = is_right ? right : "000000";
    shared.accepted = shared.looked_at = 0;
    pthread_t threads[200];
    int started = 0;
    while (started < 200 && pthread_create(&threads[started], NULL, request, NULL) == 0) started++;
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    expect(started == 200 && shared.accepted == is_right);
    // Four failures, from which the next attempt must wait; with the right code, the accepted one and four replays.
    expect(shared.looked_at == (is_right ? 5 : 4));
  }
}

/// With an argument, only the threads.
int main(int argc, char **argv) {
  (void)argv;
  otp_keyring *keyring = keyring_of(new_key, NULL);
  if (argc > 1) {
    concurrency(keyring);
    otp_keyring_destroy(keyring);
    return finish("records, threads");
  }
  life(keyring);
  limits(keyring);
  counters_and_codes(keyring);
  keys();
  otp_keyring *both = keyring_of(new_key, old_key);
  file(both);
  otp_keyring_destroy(both);
  refused_keyrings();
  misuse(keyring);
  wild_times(keyring);
  alterations(keyring);
  concurrency(keyring);
  otp_keyring_destroy(keyring);
  return finish("records");
}
