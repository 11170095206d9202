// Child processes of one that has done nothing yet, and of one that has used the library and whose other threads are
// using it: all get right codes, and different secrets. Children of one whose other threads verify records, which draws
// nonces: all verify and enroll, and no two nonces are the same. And children of processes of which another thread is
// just making the first use.
//
//   processes fresh | busy | records | starting

#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { CHILDREN = 20, USERS = 4, STARTS = 400, VERIFIERS = 8, FORKS = 300 };

static otp_key *key;
static atomic_int is_over;

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

static void *user(void *argument) {
  while (!is_over) {
    if (!use()) return argument;
  }
  return NULL;
}

static int generate(void) {
  uint8_t secret[20];
  size_t length = sizeof secret;
  return otp_secret_generate(OTP_SHA1, secret, &length) == OTP_OK;
}

/// Makes the first use, and ends after the fork: libcrypto takes a lock of its own as a thread that has used it ends.
static void *start(void *is_generator) {
  if (is_generator == NULL) use();
  else generate();
  while (!is_over) usleep(100);
  return NULL;
}

/// Forks while another thread makes this process's first use. Returns whether the child could use the library.
static int fork_while_starting(int number) {
  pthread_t thread;
  int status = -1;
  void *const is_generator = number % 4 == 3 ? &thread : NULL;
  if (pthread_create(&thread, NULL, start, is_generator) != 0) return 0;
  // The first use takes some 3 ms, or 1 ms to generate a secret.
  usleep((useconds_t)(number * (is_generator == NULL ? 7 : 2)));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(use() && generate() ? 0 : 1);
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

static otp_keyring *keyring;
static uint8_t held[OTP_RECORD_MAX];
static size_t held_len;
enum { NONCE_BEGINS = 6 + 2 + 1, NONCE = 24 };  // After the record's header, and a key's name of one character.

/// Verifies a wrong code, and takes the nonce of the new record.
static int verify_record(uint8_t nonce[NONCE]) {
  uint8_t new[OTP_RECORD_MAX];
  size_t len = sizeof new;
  otp_answer answer = OTP_ANSWER_INIT;
  const int is_right =
      otp_record_verify(keyring, "u", 1, held, held_len, "000000", 6, 1700000000, NULL, new, &len, &answer) == OTP_OK
      && answer.reason == OTP_REASON_WRONG;
  memcpy(nonce, new + NONCE_BEGINS, NONCE);
  return is_right;
}

static void *verifier(void *argument) {
  uint8_t nonce[NONCE];
  while (!is_over) {
    if (!verify_record(nonce)) return argument;
  }
  return NULL;
}

/// Forks. The child enrolls, and writes the nonce of a verification into a pipe; so does its parent.
static void *fork_child(void *end) {
  uint8_t new[OTP_RECORD_MAX], nonce[NONCE];
  size_t len = sizeof new;
  const pid_t child = fork();
  if (child == 0) alarm(20);
  const int is_right = verify_record(nonce) && write(*(int *)end, nonce, NONCE) == NONCE;
  if (child == 0) {
    _exit(is_right && otp_record_enroll(keyring, "u", 1, NULL, NULL, 0, 1700000000, new, &len) == OTP_OK ? 0 : 1);
  }
  int status = -1;
  expect(is_right && child > 0 && waitpid(child, &status, 0) == child);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return NULL;
}

static int compare_nonces(const void *left, const void *right) { return memcmp(left, right, NONCE); }

/// Of every two children, one is forked by the main thread, and one by a thread that has never drawn a nonce.
static int records(void) {
  static uint8_t nonces[2 * FORKS][NONCE];
  otp_named_key named = OTP_NAMED_KEY_INIT;
  otp_enrollment enrollment = OTP_ENROLLMENT_INIT;
  pthread_t verifiers[VERIFIERS];
  int pipes[2], place;
  named.name = "k";
  named.name_len = 1;
  named.key = (const uint8_t *)"0123456789abcdef0123456789abcdef";
  named.key_len = 32;
  enrollment.is_confirmed = 1;
  held_len = sizeof held;
  expect(otp_self_test() == OTP_OK && pipe(pipes) == 0 && otp_keyring_create(&named, 1, &keyring) == OTP_OK);
  expect(otp_record_enroll(keyring, "u", 1, &enrollment, NULL, 0, 1700000000, held, &held_len) == OTP_OK);
  for (int i = 0; i < VERIFIERS; i++) expect(pthread_create(&verifiers[i], NULL, verifier, &place) == 0);
  for (int i = 0; i < FORKS && failed == 0; i++) {
    pthread_t thread;
    if (i % 2 == 0) fork_child(&pipes[1]);
    else expect(pthread_create(&thread, NULL, fork_child, &pipes[1]) == 0 && pthread_join(thread, NULL) == 0);
    expect(read(pipes[0], nonces[2 * i], 2 * NONCE) == 2 * NONCE);
  }
  is_over = 1;
  for (int i = 0; i < VERIFIERS; i++) {
    void *wrong = NULL;
    expect(pthread_join(verifiers[i], &wrong) == 0 && wrong == NULL);
  }
  qsort(nonces, 2 * FORKS, NONCE, compare_nonces);
  for (int i = 1; i < 2 * FORKS && failed == 0; i++) expect(memcmp(nonces[i - 1], nonces[i], NONCE) != 0);
  otp_keyring_destroy(keyring);
  return finish("children of a process that verifies records");
}

int main(int argc, char **argv) {
  const char *mode = argc == 2 ? argv[1] : "";
  pthread_t users[USERS];
  int places[USERS], pipes[2];
  const int is_busy = strcmp(mode, "busy") == 0;
  if (strcmp(mode, "starting") == 0) return starting();
  if (strcmp(mode, "records") == 0) return records();
  if (!is_busy && strcmp(mode, "fresh") != 0) return 64;
  if (is_busy) {
    key = seed_key();
    expect(use());
  }
  for (int i = 0; is_busy && i < USERS; i++) expect(pthread_create(&users[i], NULL, user, &places[i]) == 0);

  expect(pipe(pipes) == 0);
  for (int i = 0; i < CHILDREN; i++) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      uint8_t secret[20];
      size_t length = sizeof secret;
      const int is_right = use() && otp_secret_generate(OTP_SHA1, secret, &length) == OTP_OK
          && write(pipes[1], secret, sizeof secret) == sizeof secret;
      otp_key_destroy(key);
      _exit(is_right ? 0 : 1);
    }
    int status = -1;
    expect(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  is_over = 1;
  for (int i = 0; is_busy && i < USERS; i++) {
    void *wrong = NULL;
    expect(pthread_join(users[i], &wrong) == 0 && wrong == NULL);
  }
  uint8_t secrets[CHILDREN][20];
  expect(read(pipes[0], secrets, sizeof secrets) == sizeof secrets);
  for (int i = 0; i < CHILDREN; i++) {
    for (int j = 0; j < i; j++) expect(memcmp(secrets[i], secrets[j], 20) != 0);
  }
  expect(use());
  otp_key_destroy(key);
  char name[32];
  snprintf(name, sizeof name, "20 children, %s", mode);
  return finish(name);
}
