// Processes that exit while threads that have used libcrypto are ending: without a signal, if they have called
// otp_keep_libcrypto_at_exit(). Without that call, libcrypto's own handler at exit crashes some of them, which is the
// control. (If it no longer does in a later OpenSSL, the control has become unnecessary, and so has the function.)
//
//   exits

#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { EXITS = 1000, CONTROLS = 500, THREADS = 40 };

static int keeps;

/// Uses the library, and ends at about the time of the exit. Without libcrypto it would also fail.
static void *use(void *argument) {
  uint8_t secret[20];
  size_t length = sizeof secret;
  otp_key *key = seed_key();
  const int is_right = key != NULL && otp_secret_generate(OTP_SHA1, secret, &length) == OTP_OK;
  if (keeps && !is_right) _exit(1);
  otp_key_destroy(key);
  return argument;
}

static void work_and_exit(void) {
  if (keeps && (otp_keep_libcrypto_at_exit() != OTP_OK || otp_keep_libcrypto_at_exit() != OTP_OK)) _exit(2);
  for (int i = 0; i < THREADS; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, use, NULL) != 0) _exit(3);
    pthread_detach(thread);
  }
  exit(0);
}

/// Whether one of several processes ends by a signal. They end in no other way but well.
static int one_dies(int count) {
  for (int i = 0; i < count; i++) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) work_and_exit();
    expect(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) return 1;
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  return 0;
}

int main(void) {
  const struct rlimit none = {0, 0};
  expect(setrlimit(RLIMIT_CORE, &none) == 0);
  keeps = 1;
  expect(!one_dies(EXITS));
  keeps = 0;
  expect(one_dies(CONTROLS));
  // Too late.
  expect(otp_self_test() == OTP_OK);
  expect(otp_keep_libcrypto_at_exit() == OTP_CRYPTOGRAPHY_FAILED);
  return finish("1000 exits");
}
