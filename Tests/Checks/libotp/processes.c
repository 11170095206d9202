// Child processes of one that has used the library, one that has only called otp_self_test(), one that has done nothing
// yet, and one whose other threads are using it: all get right codes, and different secrets. And children of processes
// of which another thread is just making the first use.
//
//   processes used | tested | fresh | busy | starting

#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { CHILDREN = 20, USERS = 4, STARTS = 400 };

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

int main(int argc, char **argv) {
  const char *mode = argc == 2 ? argv[1] : "";
  pthread_t users[USERS];
  int places[USERS], pipes[2];
  const int is_busy = strcmp(mode, "busy") == 0;
  if (strcmp(mode, "starting") == 0) return starting();
  if (strcmp(mode, "used") == 0 || is_busy) {
    key = seed_key();
    expect(use());
  } else if (strcmp(mode, "tested") == 0) {
    expect(otp_self_test() == OTP_OK);
  } else if (strcmp(mode, "fresh") != 0) {
    return 64;
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
