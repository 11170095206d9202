// The nanoseconds of what a process does once: its first code, or another program's start and end.
//
//   measure libotp | OpenSSL
//   measure start PROGRAM ARGUMENT...
#define OPENSSL_SUPPRESS_DEPRECATED

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <openssl/hmac.h>
#include <otp.h>

extern char **environ;
static const uint8_t secret[20] = "12345678901234567890";

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

static int start(char **program) {
  posix_spawn_file_actions_t quiet;
  pid_t child;
  int status;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  return posix_spawnp(&child, program[0], &quiet, NULL, program, environ) == 0 && waitpid(child, &status, 0) == child
      && status == 0;
}

int main(int count, char **arguments) {
  struct timespec before, after;
  if (count < 2) return 64;
  clock_gettime(CLOCK_MONOTONIC, &before);
  const int is_right = count > 2 ? start(arguments + 2) : arguments[1][0] == 'l' ? by_libotp() : by_openssl();
  clock_gettime(CLOCK_MONOTONIC, &after);
  printf("%ld\n", (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec);
  return !is_right;
}
