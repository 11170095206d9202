// Loads, uses and unloads the library 100 times, in this thread and in one that outlives it. Memory does not grow, the
// library is unmapped afterward, and none of its code is called at exit.
//
//   unload PATH

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>

#include "check.h"

static struct {
  otp_status (*key_create)(otp_hash hash, const uint8_t *secret, size_t secret_len, otp_key **out);
  otp_status (*totp_verify)(
      const otp_key *key, const char *code, size_t code_len, int64_t unix_time, const otp_totp_params *params,
      const otp_window *window, otp_match *out);
  void (*key_destroy)(otp_key *key);
} otp;

/// A function that the library exports. POSIX's dlsym returns a pointer to an object.
static void look_up(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  expect(found != NULL);
  memcpy(function, &found, sizeof found);
}

static void *use(void *is_right) {
  otp_key *key = NULL;
  otp_match match = OTP_MATCH_INIT;
  *(int *)is_right = otp.key_create(OTP_SHA1, seed, sizeof seed, &key) == OTP_OK
      && otp.totp_verify(key, seed_codes[5], 6, 150, NULL, NULL, &match) == OTP_OK && match.result == OTP_ACCEPTED
      && match.step == 5;
  otp.key_destroy(key);
  return NULL;
}

static pthread_barrier_t barrier;

/// Ends after the library has been unloaded.
static void *use_and_outlive(void *is_right) {
  use(is_right);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return NULL;
}

static size_t mapping_count(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  size_t count = 0;
  for (int c; file != NULL && (c = getc(file)) != EOF;) count += c == '\n';
  if (file != NULL) fclose(file);
  return count;
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  size_t heap = 0, mappings = 0;
  expect(pthread_barrier_init(&barrier, NULL, 2) == 0);
  for (int round = 0; round < 100; round++) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    expect(library != NULL);
    if (library == NULL) break;
    look_up(library, "otp_key_create", &otp.key_create);
    look_up(library, "otp_totp_verify", &otp.totp_verify);
    look_up(library, "otp_key_destroy", &otp.key_destroy);
    int here = 0, there = 0;
    pthread_t thread;
    expect(pthread_create(&thread, NULL, use_and_outlive, &there) == 0);
    use(&here);
    pthread_barrier_wait(&barrier);
    expect(here && there);
    expect(dlclose(library) == 0);
    expect(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == NULL);
    pthread_barrier_wait(&barrier);
    expect(pthread_join(thread, NULL) == 0);
    if (round == 20) {
      heap = mallinfo2().uordblks;
      mappings = mapping_count();
    }
  }
  // The contents of two threads' caches vary; a leak of 100 bytes per round would be more than that.
  expect(mallinfo2().uordblks <= heap + 8000);
  expect(mapping_count() <= mappings);
  return finish("loaded and unloaded 100 times");
}
