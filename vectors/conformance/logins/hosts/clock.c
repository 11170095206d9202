// Preloaded into a server: its clock is ahead by the seconds in the file $OTP_LOGINS_CLOCK, which may change at any
// time. (libfaketime makes each thread of a Python server ten milliseconds slower.) What the server writes to the
// system's log goes to the file $OTP_LOGINS_LOG. With $OTP_LOGINS_WEAK, scrypt is weak, so that tests are quick.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char *ahead;

__attribute__((constructor)) static void open_clock(void) {
  const char *path = getenv("OTP_LOGINS_CLOCK");
  int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *mapped = file >= 0 ? mmap(NULL, 32, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  if (mapped != MAP_FAILED) ahead = mapped;
  if (file >= 0) close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int status = (int)syscall(SYS_clock_gettime, clock, now);
  if (status == 0 && ahead != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    now->tv_sec += strtoll(ahead, NULL, 10);
  }
  return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  now->tv_sec = found.tv_sec;
  now->tv_usec = found.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  if (out != NULL) *out = found.tv_sec;
  return found.tv_sec;
}

// FreeRADIUS loads its modules so that they find the C library's functions before these.
void *dlopen(const char *file, int mode) {
  void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  return real(file, mode & ~RTLD_DEEPBIND);
}

int EVP_PBE_scrypt(
    const char *password, size_t length, const unsigned char *salt, size_t salt_length, uint64_t cost, uint64_t block,
    uint64_t lanes, uint64_t most, unsigned char *out, size_t out_length) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD);  // Python loads it for itself only
  __typeof__(&EVP_PBE_scrypt) real = (__typeof__(real))dlsym(library != NULL ? library : RTLD_NEXT, "EVP_PBE_scrypt");
  if (getenv("OTP_LOGINS_WEAK") != NULL) cost = 16, lanes = 1;
  return real(password, length, salt, salt_length, cost, block, lanes, most, out, out_length);
}

static void log_line(const char *format, va_list arguments) {
  const char *path = getenv("OTP_LOGINS_LOG");
  FILE *file = path != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  vfprintf(file, format, arguments);
  fputc('\n', file);
  fclose(file);
}

void syslog(int priority, const char *format, ...) {
  (void)priority;
  va_list arguments;
  va_start(arguments, format);
  log_line(format, arguments);
  va_end(arguments);
}

// glibc's headers turn the call into this one if _FORTIFY_SOURCE is set.
void __syslog_chk(int priority, int flag, const char *format, ...) {
  (void)priority, (void)flag;
  va_list arguments;
  va_start(arguments, format);
  log_line(format, arguments);
  va_end(arguments);
}
