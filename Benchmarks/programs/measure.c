// The nanoseconds of what a process does once.
//
//   measure libotp | OpenSSL                the first code in this process
//   measure start PROGRAM ARGUMENT...       from a program's start to its end: the median of 40
#define OPENSSL_SUPPRESS_DEPRECATED

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <openssl/hmac.h>
#include <otp.h>

enum { RUNS = 40 };
extern char **environ;
static const uint8_t secret[20] = "12345678901234567890";

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// RFC 6238, appendix B, at 59 seconds.
static int by_libotp(void) {
  otp_match match = OTP_MATCH_INIT;
  return otp_totp_verify_secret(OTP_SHA1, secret, 20, "287082", 6, 59, NULL, NULL, &match) == OTP_OK
      && match.result == OTP_ACCEPTED;
}

static int by_openssl(void) {
  const uint8_t step[8] = {0, 0, 0, 0, 0, 0, 0, 1};
  uint8_t tag[20];
  HMAC(EVP_sha1(), secret, 20, step, 8, tag, NULL);
  return tag[0] == 0x75;
}

static int run(char **program) {
  posix_spawn_file_actions_t quiet;
  pid_t child;
  int status;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  return posix_spawnp(&child, program[0], &quiet, NULL, program, environ) == 0 && waitpid(child, &status, 0) == child
      && status == 0;
}

static int order(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int main(int count, char **arguments) {
  int64_t taken[RUNS];
  if (count < 2) return 64;
  const int runs = strcmp(arguments[1], "start") == 0 ? RUNS : 1;
  for (int i = 0; i < runs; i++) {
    const int64_t start = now();
    const int is_right = runs > 1 ? run(arguments + 2) : arguments[1][0] == 'l' ? by_libotp() : by_openssl();
    taken[i] = now() - start;
    if (!is_right) return 1;
  }
  qsort(taken, runs, sizeof taken[0], order);
  printf("%lld\n", (long long)taken[runs / 2]);
  return 0;
}
