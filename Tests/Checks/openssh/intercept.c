// Preloaded into a PAM client. Redirects the system log to the file $OTP_LOG. When a code is about to be checked:
//   $OTP_CRASH         if set, the process ends as in a power failure
//   $OTP_MEANWHILE     a command to run in a shell, which must succeed
// Such a command at other moments:
//   $OTP_WIPED         after every wipe
//   $OTP_RENAMING      before the first rename or exchange of a file
// For files:
//   $OTP_NO_EXCHANGE   if set, the file system cannot exchange files
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <otp.h>

static void write_down(const char *format, va_list arguments) {
  const char *path = getenv("OTP_LOG");
  FILE *file = path != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) abort();
  vfprintf(file, format, arguments);
  fputc('\n', file);
  fclose(file);
}

void syslog(int priority, const char *format, ...) {
  (void)priority;
  va_list arguments;
  va_start(arguments, format);
  write_down(format, arguments);
  va_end(arguments);
}

// glibc's headers turn the call into this one if _FORTIFY_SOURCE is set.
void __syslog_chk(int priority, int flag, const char *format, ...) {
  (void)priority, (void)flag;
  va_list arguments;
  va_start(arguments, format);
  write_down(format, arguments);
  va_end(arguments);
}

// Runs the command in an environment variable, without preloading this library.
static void run(const char *variable) {
  const char *command = getenv(variable);
  if (command == NULL) return;
  unsetenv("LD_PRELOAD");
  if (system(command) != 0) abort();
}

// The module's last call wipes what the user typed: afterward nothing may be left.
void explicit_bzero(void *start, size_t length) {
  for (volatile unsigned char *at = start; length > 0; length--) *at++ = 0;
  run("OTP_WIPED");
}

static int rename_as(int from, const char *old, int to, const char *new, unsigned flags) {
  static int renamed;
  if (renamed++ == 0) run("OTP_RENAMING");
  if (flags != 0 && getenv("OTP_NO_EXCHANGE") != NULL) {
    errno = EINVAL;
    return -1;
  }
  return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}

int renameat(int from, const char *old, int to, const char *new) { return rename_as(from, old, to, new, 0); }

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  return rename_as(from, old, to, new, flags);
}

otp_status otp_record_verify(
    const otp_keyring *keyring, const void *subject, size_t subject_len, const uint8_t *record, size_t record_len,
    const char *typed, size_t typed_len, int64_t now, const otp_record_policy *policy, uint8_t *out, size_t *out_len,
    otp_answer *answer) {
  if (getenv("OTP_CRASH") != NULL) _exit(70);
  run("OTP_MEANWHILE");
  void *library = dlopen("libotp.so.0", RTLD_NOW | RTLD_NOLOAD);
  if (library == NULL) abort();
  __typeof__(&otp_record_verify) verify = (__typeof__(verify))dlsym(library, "otp_record_verify");
  dlclose(library);  // Only the module keeps it loaded, so that it is unloaded with the module.
  return verify(keyring, subject, subject_len, record, record_len, typed, typed_len, now, policy, out, out_len, answer);
}
