// Children of a process that verifies records, at first on one thread, and then while others also make codes; and
// children of processes of which another thread is just making the first use. All make right codes, verify and enroll,
// no two seal the same record to the same bytes, and none draws another's secret.
//
//   processes busy | starting

#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { STARTS = 400, USERS = 8, FORKS = 300, KEPT = 200, TIME = 1700000000 };

static otp_key *key;
static otp_keyring *keyring;
static uint8_t held[OTP_RECORD_MAX];
static size_t held_len;
static atomic_int is_over;

/// What no two may have: the nonce of a record, after the record's header and a key's name of one character, and a
/// secret.
enum { NONCE_BEGINS = 6 + 2 + 1 };
typedef struct drawn {
  uint8_t nonce[24], secret[20];
} drawn;

static int use(void) {
  otp_key *own = seed_key();
  const otp_key *keys[2] = {own, key == NULL ? own : key};
  for (unsigned i = 0; i < 20; i++) {
    char code[9];
    otp_match match = OTP_MATCH_INIT;
    const unsigned step = i / 2;
    if (otp_hotp(keys[i % 2], step, 6, code) != OTP_OK || strcmp(code, seed_codes[step]) != 0) return 0;
    if (otp_totp_verify(keys[i % 2], code, 6, 30 * step, NULL, NULL, &match) != OTP_OK || match.step != step) return 0;
    if (match.result != OTP_ACCEPTED) return 0;
  }
  otp_key_destroy(own);
  return 1;
}

static int generate(uint8_t secret[20]) {
  size_t length = 20;
  return otp_secret_generate(OTP_SHA1, secret, &length) == OTP_OK;
}

/// First uses: a code, by kernels that are being tested; a secret, by a libcrypto that initializes itself; and a
/// self-test, which does both and measures.
typedef enum first_use { CODE, SECRET, SELF_TEST } first_use;

/// Makes the first use, and ends after the fork: libcrypto takes a lock of its own as a thread that has used it ends.
static void *start(void *kind) {
  uint8_t secret[20];
  switch (*(first_use *)kind) {
    case CODE: use(); break;
    case SECRET: generate(secret); break;
    case SELF_TEST: otp_self_test(); break;
  }
  while (!is_over) usleep(100);
  return NULL;
}

static int64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/// Forks while another thread makes this process's first use. Returns whether the child could use the library.
static int fork_while_starting(int number) {
  pthread_t thread;
  uint8_t secret[20];
  int status = -1;
  // A code takes some 0.2 ms, a secret 1 ms, a self-test 2 ms, after the thread has started.
  static const int64_t most[] = {400000, 1200000, 2400000};
  first_use kind = (first_use)(number % 3);
  const int64_t end = nanoseconds() + most[kind] * number / STARTS;
  if (pthread_create(&thread, NULL, start, &kind) != 0) return 0;
  while (nanoseconds() < end) continue;
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(use() && generate(secret) ? 0 : 1);
  }
  is_over = 1;
  const int has_ended = child > 0 && waitpid(child, &status, 0) == child && pthread_join(thread, NULL) == 0;
  return has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int starting(void) {
  for (int i = 0; i < STARTS && failed == 0; i++) {
    int status = -1;
    const pid_t process = fork();
    if (process == 0) _exit(fork_while_starting(i) ? 0 : 1);
    expect(process > 0 && waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  return finish("children of processes that were starting");
}

/// Verifies a wrong code, and takes the nonce of the new record.
static int draw(drawn *out) {
  uint8_t new[OTP_RECORD_MAX];
  size_t len = sizeof new;
  otp_answer answer = OTP_ANSWER_INIT;
  const int is_right =
      otp_record_verify(keyring, "u", 1, held, held_len, "000000", 6, TIME, NULL, new, &len, &answer) == OTP_OK
      && answer.reason == OTP_REASON_WRONG;
  memcpy(out->nonce, new + NONCE_BEGINS, sizeof out->nonce);
  return is_right && generate(out->secret);
}

/// Draws until the end, and keeps the first. Returns NULL if it could not.
static void *user(void *kept) {
  drawn out;
  for (int round = 0; !is_over || round < KEPT; round++) {
    if (!draw(round < KEPT ? (drawn *)kept + round : &out) || (round % 8 == 0 && !use())) return NULL;
  }
  return kept;
}

static int compare_nonces(const void *a, const void *b) { return memcmp(a, b, sizeof(((drawn *)0)->nonce)); }

static int compare_secrets(const void *a, const void *b) {
  return memcmp(((const drawn *)a)->secret, ((const drawn *)b)->secret, sizeof(((drawn *)0)->secret));
}

static void expect_different(drawn *all, size_t count, int (*compare)(const void *, const void *)) {
  qsort(all, count, sizeof *all, compare);
  for (size_t i = 1; i < count; i++) expect(compare(&all[i - 1], &all[i]) != 0);
}

/// Forks. The child enrolls and makes codes, and writes what it draws into a pipe; so does its parent.
static void *fork_child(void *end) {
  uint8_t new[OTP_RECORD_MAX];
  size_t len = sizeof new;
  drawn out;
  const pid_t child = fork();
  if (child == 0) alarm(20);
  const int is_right = draw(&out) && write(*(int *)end, &out, sizeof out) == sizeof out;
  if (child == 0) {
    const otp_status status = otp_record_enroll(keyring, "u", 1, NULL, NULL, 0, TIME, new, &len);
    _exit(is_right && use() && status == OTP_OK ? 0 : 1);
  }
  int status = -1;
  expect(is_right && child > 0 && waitpid(child, &status, 0) == child);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return NULL;
}

/// Of every two children, one is forked by the main thread, and one by a thread that has never sealed.
static int busy(void) {
  static drawn all[2 * FORKS + USERS * KEPT];
  otp_named_key named = OTP_NAMED_KEY_INIT;
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  pthread_t users[USERS];
  int pipes[2];
  named.name = "k";
  named.name_len = 1;
  named.key = (const uint8_t *)"0123456789abcdef0123456789abcdef";
  named.key_len = 32;
  enrollment.is_confirmed = 1;
  enrollment.secret = seed;
  enrollment.secret_len = sizeof seed;
  held_len = sizeof held;
  expect(otp_self_test() == OTP_OK && pipe(pipes) == 0 && otp_keyring_create(&named, 1, &keyring) == OTP_OK);
  expect(otp_record_enroll(keyring, "u", 1, &enrollment, NULL, 0, TIME, held, &held_len) == OTP_OK);
  key = seed_key();
  for (int i = 0; i < FORKS && failed == 0; i++) {
    pthread_t thread;
    for (int j = 0; i == FORKS / 3 && j < USERS; j++) {
      expect(pthread_create(&users[j], NULL, user, &all[2 * FORKS + j * KEPT]) == 0);
    }
    if (i % 2 == 0) fork_child(&pipes[1]);
    else expect(pthread_create(&thread, NULL, fork_child, &pipes[1]) == 0 && pthread_join(thread, NULL) == 0);
    expect(read(pipes[0], &all[2 * i], 2 * sizeof *all) == 2 * sizeof *all);
  }
  is_over = 1;
  for (int i = 0; i < USERS && failed == 0; i++) {
    void *kept = NULL;
    expect(pthread_join(users[i], &kept) == 0 && kept != NULL);
  }
  expect_different(all, sizeof all / sizeof *all, compare_nonces);
  expect_different(all, sizeof all / sizeof *all, compare_secrets);
  otp_key_destroy(key);
  otp_keyring_destroy(keyring);
  return finish("children of a busy process");
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "busy") == 0) return busy();
  if (argc == 2 && strcmp(argv[1], "starting") == 0) return starting();
  return 64;
}
