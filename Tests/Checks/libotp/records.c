// Records from C: what an answer, a diagnosis and the details of a record say, keyrings and their files, a million
// alterations, and threads that share a column under the one rule. The vectors' sequences have the rules of a record,
// and arguments.c every misuse.

#define _GNU_SOURCE
#include <sys/stat.h>

#include "call.h"

enum { NOW = TIME };
#define WHOSE keyring, subject, subject_len

/// Submits a text, and replaces the column with what came of it.
static otp_answer verify(const otp_keyring *keyring, column *held, const char *text, int64_t now) {
  otp_answer answer = OTP_ANSWER_INIT;
  column next = {.len = sizeof next.bytes};
  expect(
      otp_record_verify(WHOSE, held->bytes, held->len, text, strlen(text), now, NULL, next.bytes, &next.len, &answer)
      == OTP_OK);
  const int is_same = next.len == held->len && memcmp(next.bytes, held->bytes, next.len) == 0;
  expect(answer.changed == !is_same && answer.status == OTP_OK);
  *held = next;
  return answer;
}

static otp_record_details details_of(const otp_keyring *keyring, const column *held) {
  otp_record_details details = {.size = sizeof details};
  expect(otp_record_info(WHOSE, held->bytes, held->len, &details) == OTP_OK);
  return details;
}

static void code_at(int64_t time, char out[9]) { expect(otp_totp(key, time, NULL, out) == OTP_OK); }

/// What each outcome says, of a record that is pending, then active, then locked for good.
static void answers(void) {
  column held = pending, next = {.len = sizeof next.bytes};
  char right[9], slow[9];
  otp_answer answer = OTP_ANSWER_INIT;
  otp_diagnosis diagnosis = OTP_DIAGNOSIS_INIT;
  code_at(NOW, right);
  code_at(NOW - 210, slow);
  expect(verify(keyring, &held, right, NOW).reason == OTP_REASON_PENDING && details_of(keyring, &held).is_pending);
  expect(otp_record_diagnose(WHOSE, held.bytes, held.len, slow, 6, NOW, &diagnosis) == OTP_OK);
  expect(diagnosis.found == 1 && diagnosis.clock_offset == -210 && diagnosis.hash == OTP_SHA1 && diagnosis.digits == 6);
  expect(
      otp_record_confirm(WHOSE, held.bytes, held.len, right, 6, NOW, NULL, next.bytes, &next.len, &answer) == OTP_OK);
  expect(answer.kind == OTP_ANSWER_ENROLLED && answer.step == NOW / 30 && answer.changed == 1);
  held = next;
  expect(verify(keyring, &held, right, NOW).reason == OTP_REASON_REPLAYED);
  expect(verify(keyring, &held, "1", NOW).reason == OTP_REASON_MALFORMED);
  for (int i = 1; i < 4; i++) expect(verify(keyring, &held, "000000", NOW).reason == OTP_REASON_WRONG);
  // From the fourth failure on it must wait; the right code is not looked at, and nothing is written.
  code_at(NOW + 30, right);
  answer = verify(keyring, &held, right, NOW);
  expect(answer.kind == OTP_ANSWER_WAIT && answer.has_until == 1 && answer.until == NOW + 1 && answer.changed == 0);
  answer = verify(keyring, &held, right, NOW + 30);
  expect(answer.kind == OTP_ANSWER_ACCEPTED && answer.step == NOW / 30 + 1);
  expect(verify(keyring, &held, "000000", NOW + 30).reason == OTP_REASON_WRONG);
  const otp_record_details details = details_of(keyring, &held);
  expect(details.kind == OTP_RECORD_TOTP && details.failures == 1 && details.acceptances == 1 && !details.is_pending);
  expect(details.hash == OTP_SHA1 && details.digits == 6 && details.period == 30 && details.t0 == 0);
  expect(details.has_last_accepted == 1 && details.last_accepted == NOW / 30 + 1 && !details.has_weak_secret);
  expect(details.enrollment_time == NOW && details.has_last_attempt == 1 && details.last_attempt_time == NOW + 30);
  expect(strcmp(details.key_name, "key") == 0);
  for (int i = 1; i < 100; i++) verify(keyring, &held, "000000", NOW + 3600 * (i + 1));
  answer = verify(keyring, &held, right, NOW + 400000);
  expect(answer.kind == OTP_ANSWER_LOCKED && answer.has_until == 0 && details_of(keyring, &held).failures == 100);

  // A record of codes, and one of a counter.
  char texts[10][OTP_RECOVERY_CODE_LENGTH + 1];
  held.len = sizeof held.bytes;
  expect(otp_record_recovery_codes(WHOSE, 10, NOW, texts[0], sizeof texts, held.bytes, &held.len) == OTP_OK);
  expect(held.len < 1024 && strlen(texts[9]) == OTP_RECOVERY_CODE_LENGTH);
  answer = verify(keyring, &held, texts[4], NOW);
  expect(answer.kind == OTP_ANSWER_ACCEPTED && answer.step == 5 && details_of(keyring, &held).unused_codes == 0x3EF);
  next.len = sizeof next.bytes;
  const otp_status status =
      otp_record_resynchronize(WHOSE, held.bytes, held.len, codes, 2, NOW, NULL, next.bytes, &next.len, &answer);
  expect(status == OTP_ANOTHER_KIND && answer.status == status && answer.kind == OTP_ANSWER_REJECTED);
  held = counted;
  expect(verify(keyring, &held, code, NOW).step == STEP + WINDOW);
  expect(details_of(keyring, &held).kind == OTP_RECORD_HOTP);
}

static column sealed(const otp_keyring *keyring) {
  column made = {.len = sizeof made.bytes};
  expect(otp_record_enroll(WHOSE, enrollment, NULL, 0, NOW, made.bytes, &made.len) == OTP_OK);
  return made;
}

/// Keyrings of an old key, of both, and of the new one, of a file, and one that does not seal.
static void keyrings(void) {
  static const uint8_t old_key[32] = {1}, new_key[32] = {2};
  const otp_named_key named[] = {{sizeof named[0], "new", 3, new_key, 32}, {sizeof named[0], "old", 3, old_key, 32}};
  otp_keyring *old = NULL, *both = NULL, *new = NULL, *plain = NULL, *file = NULL;
  expect(otp_keyring_create(&named[1], 1, &old) == OTP_OK && otp_keyring_create(named, 2, &both) == OTP_OK);
  expect(otp_keyring_create(named, 1, &new) == OTP_OK && otp_keyring_create_unsealed(&plain) == OTP_OK);
  expect(otp_keyring_open(path, &file) == OTP_OK);
  const otp_named_key twice[] = {named[0], named[0]}, spaced = {sizeof spaced, "a b", 3, old_key, 32};
  otp_keyring *none = NULL;
  expect(otp_keyring_create(twice, 2, &none) == OTP_DUPLICATE_KEY_NAME && none == NULL);
  expect(otp_keyring_create(&spaced, 1, &none) == OTP_INVALID_KEY_NAME && none == NULL);

  const column held = sealed(old);
  column next = {.len = sizeof next.bytes};
#define RESEAL(keyring, column) \
  otp_record_reseal(keyring, subject, subject_len, (column).bytes, (column).len, next.bytes, &next.len)
  expect(held.len < 200 && strcmp(details_of(both, &held).key_name, "old") == 0);
  expect(RESEAL(new, held) == OTP_UNKNOWN_KEY && RESEAL(plain, held) == OTP_WRONG_ENCODING);
  expect(RESEAL(both, held) == OTP_OK && strcmp(details_of(new, &next).key_name, "new") == 0);
  const column resealed = next;
  next.len = sizeof next.bytes;
  expect(RESEAL(file, resealed) == OTP_OK && next.len == resealed.len);
  expect(memcmp(next.bytes, resealed.bytes, next.len) == 0);
  next.len = sizeof next.bytes;
  expect(otp_record_reseal(both, "user 43", 7, held.bytes, held.len, next.bytes, &next.len) == OTP_ANOTHER_SUBJECT);

  // Without a seal, the bytes hold the secret.
  column bare = sealed(plain);
  expect(memmem(bare.bytes, bare.len, seed, sizeof seed) != NULL && details_of(plain, &bare).key_name[0] == '\0');
  expect(RESEAL(both, bare) == OTP_WRONG_ENCODING);
  // It is not bound to the subject, which must be one all the same.
  expect(otp_record_reseal(plain, NULL, 0, bare.bytes, bare.len, next.bytes, &next.len) == OTP_INVALID_SUBJECT);
  expect(otp_record_reseal(plain, subject, 1025, bare.bytes, bare.len, next.bytes, &next.len) == OTP_INVALID_SUBJECT);
  expect(verify(plain, &bare, "000000", NOW).reason == OTP_REASON_WRONG);
  for (size_t len = 0; len < bare.len; len++) {
    expect(otp_record_reseal(plain, "user", 4, bare.bytes, len, next.bytes, &next.len) == OTP_MALFORMED_RECORD);
  }
  column later = held;
  later.bytes[0] = 2;
  expect(RESEAL(old, later) == OTP_LATER_RECORD);
  later.bytes[0] = 1;
  later.bytes[1] = OTP_RECORD_HOTP;
  expect(RESEAL(old, later) == OTP_NOT_AUTHENTIC);

  // A file that is damaged, open to others, or none.
  char copy[] = "/tmp/otp-keyring-XXXXXX", damaged[sizeof keyring_text];
  memcpy(damaged, keyring_text, sizeof damaged);
  *strstr(damaged, "old") = 'c';
  write_private_file(copy, damaged);
  expect(otp_keyring_open(copy, &none) == OTP_KEYRING_CORRUPT && none == NULL);
  expect(chmod(copy, 0640) == 0 && otp_keyring_open(copy, &none) == OTP_KEYRING_READABLE_BY_OTHERS);
  expect(chmod(copy, 0600) == 0 && truncate(copy, 60) == 0 && otp_keyring_open(copy, &none) == OTP_KEYRING_MALFORMED);
  expect(unlink(copy) == 0 && otp_keyring_open(copy, &none) == OTP_KEYRING_UNREADABLE);
  expect(otp_keyring_open("/dev/null", &none) == OTP_KEYRING_UNREADABLE && none == NULL);
  otp_keyring *const made[] = {old, both, new, plain, file, NULL};
  for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) otp_keyring_destroy(made[i]);
}

/// Nothing that was altered or cut short opens.
static void alterations(void) {
  const column held = active;
  column next;
  size_t opened = 0;
  uint64_t state = 42;
  for (size_t len = 0; len < held.len; len++) {
    next.len = sizeof next.bytes;
    opened += otp_record_reseal(WHOSE, held.bytes, len, next.bytes, &next.len) == OTP_OK;
  }
  for (size_t i = 0; i < 1000000; i++) {
    column altered = held;
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint8_t change = (uint8_t)(state >> 56);
    altered.bytes[(state >> 20) % held.len] ^= change == 0 ? 1 : change;
    next.len = sizeof next.bytes;
    opened += otp_record_reseal(WHOSE, altered.bytes, altered.len, next.bytes, &next.len) == OTP_OK;
  }
  expect(opened == 0);
}

/// The column that threads share, its lock standing for a database's atomic update.
static struct {
  pthread_mutex_t lock;
  column held;
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
    const otp_status status =
        otp_record_verify(WHOSE, old.bytes, old.len, shared.typed, 6, NOW, NULL, next.bytes, &next.len, &answer);
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

static void concurrency(void) {
  char right[9];
  code_at(NOW, right);
  for (int is_right = 0; is_right < 2; is_right++) {
    shared.held = active;
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
  prepare_path();
  expect(prepare(OTP_SHA1));
  if (argc == 1) {
    answers();
    keyrings();
    alterations();
  }
  concurrency();
  otp_key_destroy(key);
  otp_keyring_destroy(keyring);
  return finish("records");
}
